package cache

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Caches of every kind of array count misses of lines of all sizes, up to the largest, as lists of lines by set do.
func TestLRUOfLargeLines(t *testing.T) {
	for i, shape := range [][2]int64{{1, 1}, {4, 2}, {7, 3}, {8, 8}, {2, 16}, {1, 40}, {7, 3}, {64, 8}, {2, 40}} {
		r := rand.New(rand.NewPCG(uint64(shape[0]), 5))
		caches := 1
		if i >= 6 {
			caches = mostDense
		}
		c, sets := NewLRU(shape[0], shape[1], caches), make([][]uint64, shape[0])
		for range 200 {
			var lines []uint64
			misses := uint64(0)
			for range r.IntN(30) {
				l := r.Uint64N(60)
				switch r.IntN(4) {
				case 0:
					l = 1<<63 - 2 - l
				case 1:
					l += 1 << 62 // differs from another line in the highest bit of the key alone
				}
				lines = append(lines, l)
				set := &sets[l%uint64(shape[0])]
				at := slices.Index(*set, l)
				if at < 0 {
					misses++
					if at = len(*set); at == int(shape[1]) {
						at--
						*set = (*set)[:at]
					}
				} else {
					*set = slices.Delete(*set, at, at+1)
				}
				*set = slices.Insert(*set, 0, l)
			}
			if got := c.Misses(lines); got != misses {
				t.Fatalf("%v: %d misses, want %d", shape, got, misses)
			}
			has := uint64(0)
			for _, l := range lines {
				if slices.Contains(sets[l%uint64(shape[0])], l) {
					has++
				}
			}
			if got := c.Has(lines); got != has {
				t.Fatalf("%v: %d of %d lines, want %d", shape, got, len(lines), has)
			}
		}
	}
}
