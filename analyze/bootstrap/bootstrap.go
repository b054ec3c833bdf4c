// Package bootstrap draws samples with replacement, and takes intervals from the statistics of the draws.
//
// Its users differ in what they draw (points, launches, phases, processors, quanta) and in the statistic. The order
// in which they use random numbers is theirs.
package bootstrap

import (
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Draw draws n of n elements with replacement, and returns how often it drew each.
func Draw[N int | uint32 | float64](r *rand.Rand, n int) []N {
	times := make([]N, n)
	for range n {
		times[r.IntN(n)]++
	}
	return times
}

// BlockOf returns how many neighbours of n are drawn together if neighbours resemble each other: the square root.
func BlockOf(n int) int { return int(math.Ceil(math.Sqrt(float64(n)))) }

// Blocks draws blocks of [BlockOf] neighbours until they have n elements. It yields the first element and the
// size of each block. A block that passes the last element continues at the first. The last block may be shorter.
func Blocks(r *rand.Rand, n int) iter.Seq2[int, int] {
	return func(yield func(from, size int) bool) {
		block := BlockOf(n)
		for left := n; left > 0; left -= block {
			if !yield(r.IntN(n), min(block, left)) {
				return
			}
		}
	}
}

// Range sorts the values of a statistic, and returns the range of 95 % of them. There must be at least one.
func Range(values []float64) (least, most float64) {
	slices.Sort(values)
	return stat.Quantile(0.025, stat.Empirical, values, nil), stat.Quantile(0.975, stat.Empirical, values, nil)
}
