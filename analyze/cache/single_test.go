package cache

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Caches of every kind of array count misses of lines of all sizes, up to the largest, as lists of lines by set do.
func TestLRUOfLargeLines(t *testing.T) {
	for i, shape := range [][2]int64{{1, 1}, {4, 2}, {7, 3}, {8, 8}, {2, 16}, {1, 40}, {7, 3}, {64, 8}, {2, 40}} {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
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
		})
	}
}

// A use evicts the least recently used line of its set, and a place that became free is used again.
func TestLRUEvicts(t *testing.T) {
	for _, shape := range [][2]int64{{1, 1}, {1, 2}, {4, 2}, {7, 3}, {1, 5}, {8, 8}, {2, 16}, {1, 40}, {2, 40}} {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(shape[0]), 8))
			c, sets := NewLRU(shape[0], shape[1], 1), make([][]uint64, shape[0]) // latest used last
			for range 5000 {
				l := r.Uint64N(uint64(shape[0]*shape[1]) * 3 / 2)
				set := &sets[l%uint64(shape[0])]
				if got, want := c.Contains(l), slices.Contains(*set, l); got != want {
					t.Fatalf("%v: line %d is present: %v with %v", shape, l, got, *set)
				}
				*set = slices.DeleteFunc(*set, func(other uint64) bool { return other == l })
				if r.IntN(4) == 0 {
					c.Drop(l)
					continue
				}
				*set = append(*set, l)
				out, evicts := c.Use(l)
				if evicts != (len(*set) > int(shape[1])) || evicts && out != (*set)[0] {
					t.Fatalf("%v: line %d evicts %d, %v with %v", shape, l, out, evicts, *set)
				}
				if evicts {
					*set = (*set)[1:]
				}
			}
			if l, ok := c.array.(*list); ok && len(l.keys) > int(shape[0]*(shape[1]+1)) {
				t.Errorf("%v: %d places", shape, len(l.keys))
			}
		})
	}
}
