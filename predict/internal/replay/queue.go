package replay

import (
	"math"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// action is when a processor acts next, or a time before that.
type action struct {
	at   unit.Picos
	proc trace.Proc
}

func (t action) before(u action) bool { return t.at < u.at || t.at == u.at && t.proc < u.proc }

// never is the time of a processor that cannot run.
const never = unit.Picos(math.MaxInt64)

// queue holds the next actions of all processors as a tournament tree. The second half of at has the times of the
// processors in order, and at[i] is the earlier of at[2i] and at[2i+1]. So the earliest time is at[1].
type queue struct{ at []unit.Picos }

func newQueue(procs int) queue {
	half := 1
	for half < procs {
		half *= 2
	}
	q := queue{at: make([]unit.Picos, 2*half)}
	for i := range q.at {
		q.at[i] = never
	}
	return q
}

// empty reports whether no processor can run.
func (q *queue) empty() bool { return q.at[1] == never }

// put sets the next action of a processor.
func (q *queue) put(t action) {
	at := q.at
	i := uint(len(at))/2 + uint(t.proc)
	at[i] = t.at
	for i > 1 {
		earlier := min(at[i], at[i^1])
		i /= 2
		at[i] = earlier
	}
}

// drop removes the next action of a processor.
func (q *queue) drop(p trace.Proc) { q.put(action{never, p}) }

// first returns the first action, and the last time at which its processor comes before all others.
func (q *queue) first() (t action, limit unit.Picos) {
	at, i := q.at, uint(1)
	half := uint(len(at)) / 2
	limit = horizon - 1
	for i < half {
		i *= 2
		left, right := at[i], at[i+1]
		second := uint(0) // no branch here, because it could not be predicted
		if right < left { // ties go to the lower processor
			second = 1
		}
		limit = min(limit, max(left, right)-unit.Picos(second))
		i += second
	}
	return action{at[i], trace.Proc(i - half)}, limit
}

// lastBefore returns the last time at which p acts before t.
func lastBefore(t action, p trace.Proc) unit.Picos {
	if p < t.proc {
		return t.at
	}
	return t.at - 1
}
