package reusetime

import (
	"math"
	"sort"
)

// A Program shares a cache with others.
type Program struct {
	*Profile
	Rate float64 // uses of lines per instruction, or per whatever passes alike for all programs
}

// A Share is what a program has of a shared cache.
type Share struct {
	Window float64 // the program's uses while a line stays
	Lines  float64 // that it occupies on average
	Miss   float64 // its miss ratio
}

// Compose predicts the shares of programs in a fully associative LRU cache of so many lines [xiang2013]: all
// lines that were used in the last T instructions are in it, where T solves
//
//	fp_1(r_1 T) + fp_2(r_2 T) + ... = lines,  r_i uses per instruction of program i
//
// so that a program occupies fp_i(r_i T) lines, its natural partition [brock2015], and misses as often as alone in a
// cache of so many. Programs are taken to run at the same time at even rates, all the time, with their
// uses interleaved without regard to each other, and to share no lines.
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

// solve is the least t from 0 to limit for which enough holds, which holds from there on. Numbers above 0 are as their bits are, so that
// none is left out, however small beside the limit.
func solve(limit float64, enough func(t float64) bool) float64 {
	n := sort.Search(int(math.Float64bits(limit)), func(i int) bool { return enough(math.Float64frombits(uint64(i))) })
	return math.Float64frombits(uint64(n))
}
