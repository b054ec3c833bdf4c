package spmd

import (
	"slices"

	"spoor/traces/trace"
)

// reduceBinomial combines blocks of ranks up the binomial tree. It takes ceil(log2 P) rounds and P-1 messages in
// all. Values are combined in the order of ranks for any root; with seven ranks as ((x0 x1)(x2 x3))((x4 x5)x6).
func reduceBinomial[T any](c *Comm, root int, data []T, op func(a, b T) T) {
	own, other := data, []T(nil)
	for size := 1; size < c.size; size *= 2 {
		switch mate, as := join(c.size, root, c.index, size); as {
		case child:
			Send(c, mate, int(trace.Reduce), own)
			return
		case parent:
			if other == nil {
				other = make([]T, len(data))
				if c.index != root {
					own = slices.Clone(data)
				}
			}
			fetch(c, trace.Reduce, mate, other)
			combine(own, other, mate < c.index, op)
		}
	}
}

// combine combines own and other in the order of their ranks, into own.
func combine[T any](own, other []T, otherFirst bool, op func(a, b T) T) {
	if otherFirst {
		for i := range own {
			own[i] = op(other[i], own[i])
		}
		return
	}
	for i := range own {
		own[i] = op(own[i], other[i])
	}
}

// reduceBinomialTraffic: one message; none from the root.
func reduceBinomialTraffic(c Call) Traffic {
	if c.ID == c.Root {
		return Traffic{}
	}
	return Traffic{1, c.Bytes()}
}

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
