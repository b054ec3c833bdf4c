package reusetime

import (
	"math"
	"sort"
)

// A Program shares a cache with others.
type Program struct {
	*Profile
	Rate float64 // uses of lines per instruction, or per another unit of time common to all programs
}

// A Share is the part of a shared cache that a program gets.
type Share struct {
	Window float64 // uses of the program while a line stays
	Lines  float64 // average number of lines that it occupies
	Miss   float64 // miss ratio
}

// Compose predicts the shares of programs in a fully associative LRU cache of the given lines [xiang2013].
// The cache contains all lines used in the last T instructions, where T solves
//
//	fp_1(r_1 T) + fp_2(r_2 T) + ... = lines,  r_i uses per instruction of program i
//
// So program i occupies fp_i(r_i T) lines, its natural partition [brock2015]. It misses as often as alone in
// a cache of that size. Assumptions: all programs run all the time and at even rates, their uses interleave
// independently, and they share no lines.
func Compose(programs []Program, lines float64) []Share {
	longest, all := 0.0, 0.0
	for _, p := range programs {
		all += p.Lines
		if p.Uses > 0 {
			longest = max(longest, p.Uses/p.Rate)
		}
	}
	t := longest
	if lines < all {
		t = solve(longest, func(t float64) bool {
			sum := 0.0
			for _, p := range programs {
				sum += p.Footprint(p.Rate * t)
			}
			return sum >= lines
		})
	}
	shares := make([]Share, len(programs))
	for i, p := range programs {
		w := min(p.Rate*t, p.Uses)
		shares[i] = Share{w, p.Footprint(w), p.missAt(w)}
	}
	return shares
}

// solve returns the smallest t from 0 to limit for which reached holds. If reached holds for t, it must hold
// for all larger values. The bits of positive numbers order like the numbers. So the search covers every
// number, however small.
func solve(limit float64, reached func(t float64) bool) float64 {
	n := sort.Search(int(math.Float64bits(limit)), func(i int) bool { return reached(math.Float64frombits(uint64(i))) })
	return math.Float64frombits(uint64(n))
}
