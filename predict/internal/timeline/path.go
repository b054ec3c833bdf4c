// Package timeline records the events of a simulation. It finds the critical path, and gives the events of a trace at
// their simulated times for viewers.
package timeline

import (
	"slices"

	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// Path is an observer that finds the critical path: the chain of causes that determines the run time. The path starts
// at the end of the processor that ended last, and goes backwards. If a processor waited for a message, the path
// follows the message back to its sender, or to the sender of the message that held it up. If it waited for a lock, a
// flag, a task or the last processor at a barrier, the path follows that processor. More computation on the
// path makes the run longer by the same amount. Slightly less computation makes it shorter, if no other chain takes
// as long.
//
// Differs: a larger change may change the order of messages and operations: in ports, on links, for receives from any
// sender, in graphs and next to nonblocking collectives. Then the run may take any time. If messages share links, by
// bandwidth or in packets, all waiting of a message there is counted from its own sender, whatever other messages it
// waited for. Waiting for the memory is a processor's own time, although the contention is due to others.
//
// A Path needs about 16 bytes for each operation.
type Path struct {
	observe.NopObserver
	ranks []activity
}

// activity is what a processor did, from time 0 on without gaps.
type activity struct {
	periods []period
	causes  []observe.Cause
	stalls  []stall
	cut     bool // the next Span begins a period, because an event began after a stall
}

// stall is the time of a period in which the processor waited for the memory.
type stall struct{ latency, contention unit.Picos }

// period is what a processor did since the end of the period before it.
type period struct {
	to    unit.Picos
	part  observe.Part
	index int32 // in causes of a wait; in stalls of computing; or noIndex
}

const noIndex int32 = -1

// NewPath returns an observer of ranks.
func NewPath(ranks int) *Path { return &Path{ranks: make([]activity, ranks)} }

// Span implements observe.Observer.
func (p *Path) Span(rank int32, what observe.Part, from, to unit.Picos) {
	a, part := &p.ranks[rank], what
	switch what {
	case observe.MemoryLatency, observe.MemoryContention:
		part = observe.Computing
	case observe.Latency, observe.Contention:
		part = observe.Waiting
	}
	n := len(a.periods) - 1
	if n < 0 || a.cut || a.periods[n].part != part || part != observe.Computing && a.periods[n].index != noIndex {
		a.periods = append(a.periods, period{to, part, noIndex})
		a.cut = false
		n++
	}
	a.periods[n].to = to
	switch what {
	case observe.MemoryLatency:
		a.stall(n).latency += to - from
	case observe.MemoryContention:
		a.stall(n).contention += to - from
	}
}

// stall returns the stalls of a period.
func (a *activity) stall(period int) *stall {
	p := &a.periods[period]
	if p.index == noIndex {
		p.index = int32(len(a.stalls))
		a.stalls = append(a.stalls, stall{})
	}
	return &a.stalls[p.index]
}

// Began implements observe.Observer. A cause is the begin of an event, so a period with stalls ends there.
func (p *Path) Began(rank int32, _ int64, _ unit.Picos) {
	a := &p.ranks[rank]
	n := len(a.periods)
	a.cut = n > 0 && a.periods[n-1].part == observe.Computing && a.periods[n-1].index != noIndex
}

// Waited implements observe.Observer.
func (p *Path) Waited(rank int32, why observe.Cause) {
	a := &p.ranks[rank]
	a.periods[len(a.periods)-1].index = int32(len(a.causes))
	a.causes = append(a.causes, why)
}

// Segment is a part of the critical path: an activity of a processor, or a message to it.
type Segment struct {
	Rank     int32 // the processor; for a message, its receiver
	From     int32 // for a message, its sender; for a wait, the processor that ended it; else engine.None
	Part     observe.Part
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
func (p *Path) traceBack(rank int32, t unit.Picos, jump bool) ([]Segment, observe.Cause) {
	a := &p.ranks[rank]
	i, _ := slices.BinarySearchFunc(a.periods, t, func(x period, t unit.Picos) int { return int(min(1, max(-1, x.to-t))) })
	at, begin := a.periods[i], unit.Picos(0)
	if i > 0 {
		begin = a.periods[i-1].to
	}
	switch {
	case at.index == noIndex:
		return []Segment{{rank, program.None, at.part, begin, t - begin}}, observe.Cause{By: rank, Since: begin}
	case at.part == observe.Computing:
		return a.stalls[at.index].segments(rank, begin, t), observe.Cause{By: rank, Since: begin}
	}
	why := a.causes[at.index]
	if why.By == program.None || why.Since > t || why.Since == t && !jump { // unknown cause
		return []Segment{{rank, program.None, observe.Contention, begin, t - begin}}, observe.Cause{By: rank, Since: begin}
	}
	if at.part == observe.Sync {
		return []Segment{{rank, why.By, observe.Sync, why.Since, t - why.Since}}, why
	}
	contention := max(0, t-why.Since-why.Flight)
	return []Segment{{rank, why.By, observe.Latency, why.Since + contention, t - why.Since - contention}, {rank, why.By, observe.Contention, why.Since, contention}}, why
}

// segments returns the parts of a processor's time from begin to t, the last first: it computes, and then it waits for
// the memory.
func (s stall) segments(rank int32, begin, t unit.Picos) []Segment {
	contention := min(s.contention, t-begin)
	latency := min(s.latency, t-begin-contention)
	computing := t - begin - contention - latency
	return []Segment{{rank, program.None, observe.MemoryContention, begin + computing + latency, contention},
		{rank, program.None, observe.MemoryLatency, begin + computing, latency}, {rank, program.None, observe.Computing, begin, computing}}
}
