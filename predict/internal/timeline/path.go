// Package timeline records the events of a message-passing simulation. It finds the critical path, and gives the
// events of a trace at their simulated times for viewers.
package timeline

import (
	"slices"

	"spoor/predict/internal/engine"
	"spoor/traces/unit"
)

// Path is an observer that finds the critical path: the chain of causes that determines the run time. The path starts
// at the end of the processor that ended last, and goes backwards. If a processor waited for a message, the path
// follows the message back to its sender, or to the sender of the message that held it up. More computation on the
// path makes the run longer by the same amount. Slightly less computation makes it shorter, if no other chain takes
// as long.
//
// Differs: a larger change may change the order of messages and operations: in ports, on links, for receives from any
// sender, in graphs and next to nonblocking collectives. Then the run may take any time. If messages share links, by
// bandwidth or in packets, all waiting of a message there is counted from its own sender, whatever other messages it
// waited for.
//
// A Path needs about 16 bytes for each operation.
type Path struct {
	engine.NopObserver
	ranks []activity
}

// activity is what a processor did, from time 0 on without gaps.
type activity struct {
	periods []period
	causes  []engine.Cause
}

// period is what a processor did since the end of the period before it.
type period struct {
	to    unit.Picos
	part  engine.Part
	cause int32 // index in causes of a wait; or noIndex
}

const noIndex int32 = -1

// NewPath returns an observer of ranks.
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

// Segment is a part of the critical path: an activity of a processor, or a message to it.
type Segment struct {
	Rank     int32 // the processor; for a message, its receiver
	From     int32 // for a message, its sender; else engine.None
	Part     engine.Part
	Begin, T unit.Picos // when it began and how long it took
}

// CriticalPath returns the critical path of a run that ended at end, from begin to end. Segments follow each other
// without gaps, and add up to the run time. If several ranks end last, the path starts at the lowest.
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

// appendSegment adds a segment before those that follow it. It merges the segment with the previous one if they are
// alike.
func appendSegment(path []Segment, s Segment) []Segment {
	if n := len(path); n > 0 && path[n-1].Rank == s.Rank && path[n-1].Part == s.Part && path[n-1].From == s.From {
		path[n-1].Begin, path[n-1].T = s.Begin, path[n-1].T+s.T
		return path
	}
	return append(path, s)
}

// traceBack returns the segments that led to time t of a rank, the last first, and the cause where they began. If
// jump is set, that may be at the same time on another rank.
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
	if why.By == engine.None || why.Since > t || why.Since == t && !jump { // unknown cause
		return []Segment{{rank, engine.None, engine.Contention, begin, t - begin}}, engine.Cause{By: rank, Since: begin}
	}
	contention := max(0, t-why.Since-why.Flight)
	return []Segment{{rank, why.By, engine.Latency, why.Since + contention, t - why.Since - contention}, {rank, why.By, engine.Contention, why.Since, contention}}, why
}
