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
// first in the order of (time, processor) is at 0.
type queue []turn

// push adds t.
func (q *queue) push(t turn) {
	*q = append(*q, t)
	for i := len(*q) - 1; i > 0; {
		up := (i - 1) / 2
		if !(*q)[i].before((*q)[up]) {
			return
		}
		(*q)[i], (*q)[up] = (*q)[up], (*q)[i]
		i = up
	}
}

// drop removes the first turn.
func (q *queue) drop() {
	last := len(*q) - 1
	t := (*q)[last]
	*q = (*q)[:last]
	if last > 0 {
		q.replace(t)
	}
}

// replace puts t in place of the first turn.
func (q queue) replace(t turn) {
	i := 0
	for {
		down := 2*i + 1
		if down+1 < len(q) && q[down+1].before(q[down]) {
			down++
		}
		if down >= len(q) || t.before(q[down]) {
			q[i] = t
			return
		}
		q[i] = q[down]
		i = down
	}
}

// limit is the last time at which the first processor acts before all others.
func (q queue) limit() unit.Picos {
	limit := end - 1
	for i := 1; i < min(3, len(q)); i++ {
		until := q[i].at
		if q[i].proc < q[0].proc {
			until--
		}
		limit = min(limit, until)
	}
	return limit
}
