package spmd

import "spoor/traces/trace"

// scanRecursiveDoubling is the scan of Hillis and Steele. In round k, rank r sends the combination of ranks
// r-2^k+1..r to rank r+2^k. It takes ceil(log2 P) rounds. Values are combined in the order of ranks: rank 3
// computes (x0 x1)(x2 x3), and rank 2 computes x0 (x1 x2).
func scanRecursiveDoubling[T any](c *Comm, data []T, op func(a, b T) T) {
	other := make([]T, len(data))
	for dist := 1; dist < c.size; dist *= 2 {
		to, from := nobody, nobody
		if c.index+dist < c.size {
			to = c.index + dist
		}
		if c.index >= dist {
			from = c.index - dist
		}
		exchange(c, trace.Scan, to, data, from, other)
		if from != nobody {
			combine(data, other, true, op)
		}
	}
}

// scanRecursiveDoublingTraffic: ceil(log2(P-r)) messages.
func scanRecursiveDoublingTraffic(c Call) Traffic {
	n := int64(log2Ceil(c.Procs - c.ID))
	return Traffic{n, n * c.Bytes()}
}
