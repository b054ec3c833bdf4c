package analysis

import (
	"math"

	"spoor/traces/trace"
)

// entry is the time when the next item of a processor ends.
type entry struct {
	time uint64
	proc trace.Proc
}

func (a entry) before(b entry) bool {
	return a.time < b.time || a.time == b.time && a.proc < b.proc
}

// queue is a binary heap of entries, the earliest at index 0. It does not use container/heap
// because nearly every operation replaces the first entry, and the second one is needed too.
type queue []entry

// second returns the entry after the first, or the largest time if there is none.
func (q queue) second() (uint64, trace.Proc) {
	switch {
	case len(q) < 2:
		return math.MaxUint64, math.MaxInt32
	case len(q) == 2 || q[1].before(q[2]):
		return q[1].time, q[1].proc
	}
	return q[2].time, q[2].proc
}

func (q queue) replaceFirst(e entry) {
	i := 0
	for {
		child := 2*i + 1
		if child >= len(q) {
			break
		}
		if child+1 < len(q) && q[child+1].before(q[child]) {
			child++
		}
		if !q[child].before(e) {
			break
		}
		q[i] = q[child]
		i = child
	}
	q[i] = e
}

func (q *queue) pop() {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	if len(*q) > 0 {
		q.replaceFirst(last)
	}
}

func (q *queue) push(e entry) {
	*q = append(*q, e)
	h := *q
	i := len(h) - 1
	for i > 0 && e.before(h[(i-1)/2]) {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = e
}
