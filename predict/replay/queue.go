package replay

import (
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// turn says when a processor wants to act next, or a time before that.
type turn struct {
	at   unit.Picos
	proc trace.Proc
}

func (t turn) before(u turn) bool { return t.at < u.at || t.at == u.at && t.proc < u.proc }

// queue holds the turns of the processors that can run, as a binary heap: the
// first in the order of (time, processor) is turns[0].
type queue struct {
	turns []turn
	place []int // of each processor in turns, -1 if it is not there
}

func newQueue(procs int) queue {
	q := queue{place: make([]int, procs)}
	for p := range q.place {
		q.place[p] = -1
	}
	return q
}

// put adds the turn of a processor, or changes it.
func (q *queue) put(t turn) {
	i := q.place[t.proc]
	if i < 0 {
		i = len(q.turns)
		q.turns = append(q.turns, t)
	}
	for i > 0 && t.before(q.turns[(i-1)/2]) {
		q.set(i, q.turns[(i-1)/2])
		i = (i - 1) / 2
	}
	for {
		down := 2*i + 1
		if down+1 < len(q.turns) && q.turns[down+1].before(q.turns[down]) {
			down++
		}
		if down >= len(q.turns) || !q.turns[down].before(t) {
			break
		}
		q.set(i, q.turns[down])
		i = down
	}
	q.set(i, t)
}

func (q *queue) set(i int, t turn) {
	q.turns[i] = t
	q.place[t.proc] = i
}

// drop removes the first turn.
func (q *queue) drop() {
	last := len(q.turns) - 1
	first, moved := q.turns[0], q.turns[last]
	q.turns = q.turns[:last]
	q.place[first.proc] = -1
	if last > 0 {
		q.set(0, moved)
		q.put(moved)
	}
}

// limit is the last time at which the first processor acts before all others.
func (q *queue) limit() unit.Picos {
	limit := end - 1
	for i := 1; i < min(3, len(q.turns)); i++ {
		limit = min(limit, lastBefore(q.turns[i], q.turns[0].proc))
	}
	return limit
}

// lastBefore is the last time at which p acts before t.
func lastBefore(t turn, p trace.Proc) unit.Picos {
	if p < t.proc {
		return t.at
	}
	return t.at - 1
}
