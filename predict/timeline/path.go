// Package timeline keeps what happened in a simulation of messages: the critical path, and the
// events of a trace at their simulated times, for viewers.
package timeline

import (
	"slices"

	"spoor/predict/engine"
	"spoor/traces/unit"
)

// Path observes what each processor did and what it waited for, to find the critical path: what had
// to take as long as it did for the run to take as long as it did. It goes back from the end of
// the processor that ended last; where a processor waited for a message, it follows the way of
// the message back to its sender, or to that of the message which held it: causes in a chain. So whoever computes longer on it
// makes the run as much longer, and if no other chain takes as long, who computes a little shorter makes it shorter.
//
// Differs: by more than a little, messages and operations may change their order, in ports, on links, for receives from any
// sender, in graphs and beside nonblocking collectives; the run may then take any time. Where messages share links, by
// bandwidth or in packets, all of a message's waiting there is counted from its own sender, whatever the others did that it waited for.
//
// It holds some 16 bytes for each operation.
type Path struct {
	engine.NopObserver
	ranks []activity
}

// activity is what a processor did, from 0 on without gaps.
type activity struct {
	periods []period
	causes  []engine.Cause
}

// piece is what a processor did since the piece before it.
type period struct {
	to    unit.Picos
	part  engine.Part
	cause int32 // of waiting, among causes; or none
}

const noIndex int32 = -1

// NewPath observes so many ranks.
func NewPath(ranks int) *Path { return &Path{ranks: make([]activity, ranks)} }

// Span implements engine.Observer.
func (p *Path) Span(rank int32, what engine.Part, _, to unit.Picos) {
	a := &p.ranks[rank]
	if busy := what == engine.Computing || what == engine.Overhead; !busy {
		what = engine.Waiting
	}
	if n := len(a.periods); n > 0 && a.periods[n-1].part == what && a.periods[n-1].cause == noIndex {
		a.periods[n-1].to = to
		return
	}
	a.periods = append(a.periods, period{to, what, noIndex})
}

// Waited implements engine.Observer.
func (p *Path) Waited(rank int32, why engine.Cause) {
	a := &p.ranks[rank]
	a.periods[len(a.periods)-1].cause = int32(len(a.causes))
	a.causes = append(a.causes, why)
}

// Segment is a part of the critical path: what a processor did, or the way of a message to it.
type Segment struct {
	Rank     int32 // whose processor or, of a message, who waited for it
	From     int32 // of a message, its sender; else engine.None
	Part     engine.Part
	Begin, T unit.Picos // when it began and how long it took
}

// Critical is the critical path of a run that took a time, from its begin to its end: segments
// follow each other without gaps, and add up to the time. Of ranks that end last it is that of the
// lowest.
func (p *Path) CriticalPath(end unit.Picos) []Segment {
	rank := int32(slices.IndexFunc(p.ranks, func(a activity) bool {
		return len(a.periods) > 0 && a.periods[len(a.periods)-1].to == end
	}))
	var path []Segment
	for t, jumps := end, 0; t > 0; {
		steps, next := p.traceBack(rank, t, jumps < len(p.ranks))
		if jumps++; next.Since < t {
			jumps = 0
		}
		for _, s := range steps {
			if s.T > 0 {
				path = appendSegment(path, s)
			}
		}
		rank, t = next.By, next.Since
	}
	slices.Reverse(path)
	return path
}

// join adds a segment in front of those that follow it: one with the one before if they are alike.
func appendSegment(path []Segment, s Segment) []Segment {
	if n := len(path); n > 0 && path[n-1].Rank == s.Rank && path[n-1].Part == s.Part && path[n-1].From == s.From {
		path[n-1].Begin, path[n-1].T = s.Begin, path[n-1].T+s.T
		return path
	}
	return append(path, s)
}

// back is what led to a time of a rank, the last first, and where that began. That may be at the same
// time on another rank, if it may jump.
func (p *Path) traceBack(rank int32, t unit.Picos, jump bool) ([]Segment, engine.Cause) {
	a := &p.ranks[rank]
	i, _ := slices.BinarySearchFunc(a.periods, t, func(x period, t unit.Picos) int { return int(min(1, max(-1, x.to-t))) })
	at, begin := a.periods[i], unit.Picos(0)
	if i > 0 {
		begin = a.periods[i-1].to
	}
	if at.cause == noIndex {
		return []Segment{{rank, engine.None, at.part, begin, t - begin}}, engine.Cause{By: rank, Since: begin}
	}
	why := a.causes[at.cause]
	if why.By == engine.None || why.Since > t || why.Since == t && !jump { // not known
		return []Segment{{rank, engine.None, engine.Contention, begin, t - begin}}, engine.Cause{By: rank, Since: begin}
	}
	contention := max(0, t-why.Since-why.Flight)
	return []Segment{{rank, why.By, engine.Latency, why.Since + contention, t - why.Since - contention}, {rank, why.By, engine.Contention, why.Since, contention}}, why
}
