package analysis

import (
	"math"

	"spoor/traces/heap"
	"spoor/traces/trace"
)

// queue has the processor whose next item ends first in front. Key is that time.
type queue = heap.Heap[uint64, trace.Proc, uint8, struct{}]

func entry(time uint64, p trace.Proc) heap.Item[uint64, trace.Proc, uint8, struct{}] {
	return heap.Item[uint64, trace.Proc, uint8, struct{}]{Key: time, Tie: p}
}

// second returns the entry after the first, or the largest time if there is none.
func second(q queue) (uint64, trace.Proc) {
	switch {
	case len(q) < 2:
		return math.MaxUint64, math.MaxInt32
	case len(q) == 2 || q[1].Before(&q[2]):
		return q[1].Key, q[1].Tie
	}
	return q[2].Key, q[2].Tie
}
