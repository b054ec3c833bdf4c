package grow

import "math/bits"

// maxAxes is the number of axes of a place: the line of all ranks, and up to three dimensions of a grid.
const maxAxes = 4

// place is a rank among a number of ranks. Axis 0 is the line of all ranks. The others are the dimensions of the grid.
type place struct {
	rank, ranks int
	axes        int
	coord       [maxAxes]int
	size        [maxAxes]int
	stride      [maxAxes]int
}

// placeOf returns the place of a rank. The last dimension of the grid is the one of consecutive ranks, as in MPI.
func placeOf(g grid, rank, ranks int) place {
	p := place{rank: rank, ranks: ranks, axes: 1 + g.dims}
	p.coord[0], p.size[0], p.stride[0] = rank, ranks, 1
	sizes, stride := g.sizes(ranks), 1
	for d := g.dims; d >= 1; d-- {
		n := sizes[d-1]
		p.size[d], p.stride[d], p.coord[d] = n, stride, rank/stride%n
		stride *= n
	}
	return p
}

// moved returns the rank whose coordinate on an axis is x.
func (p *place) moved(axis, x int) int { return p.rank + (x-p.coord[axis])*p.stride[axis] }

// grid is a rule that gives the sizes of a grid of any number of ranks.
type grid struct {
	dims  int // 0: no grid
	rule  gridRule
	fixed int // size of the fixed dimension
}

type gridRule uint8

const (
	falling    gridRule = 1 + iota // as near to equal as possible, the largest first: MPI_Dims_create
	rising                         // the same, the smallest first
	fixedLast                      // two dimensions, the last of a fixed size
	fixedFirst                     // two dimensions, the first of a fixed size
)

// maxFixed is the largest fixed size of a dimension that grids tries.
const maxFixed = 8

// grids lists the rules in the order of preference.
func grids() []grid {
	all := []grid{{}, {dims: 2, rule: falling}, {dims: 2, rule: rising}, {dims: 3, rule: falling}, {dims: 3, rule: rising}}
	for c := 2; c <= maxFixed; c++ {
		all = append(all, grid{2, fixedLast, c}, grid{2, fixedFirst, c})
	}
	return all
}

// fits reports whether n ranks can form the grid.
func (g grid) fits(n int) bool { return g.fixed == 0 || n%g.fixed == 0 }

// sizes returns the sizes of the dimensions for n ranks.
func (g grid) sizes(n int) []int {
	switch {
	case g.dims == 0:
		return nil
	case g.rule == fixedLast:
		return []int{n / g.fixed, g.fixed}
	case g.rule == fixedFirst:
		return []int{g.fixed, n / g.fixed}
	}
	all := balanced(n, g.dims)
	if g.rule == rising {
		for i, j := 0, len(all)-1; i < j; i, j = i+1, j-1 {
			all[i], all[j] = all[j], all[i]
		}
	}
	return all
}

// balanced returns dims falling factors of n that are as near to equal as possible: their sum is smallest.
func balanced(n, dims int) []int {
	if dims == 1 {
		return []int{n}
	}
	var best []int
	least := 0
	for first := 1; first <= n; first++ {
		if n%first != 0 || power(first, dims) < n {
			continue
		}
		rest := balanced(n/first, dims-1)
		sum := first
		for _, f := range rest {
			sum += f
		}
		if rest[0] <= first && (best == nil || sum < least) {
			best, least = append([]int{first}, rest...), sum
		}
	}
	return best
}

func power(x, n int) int {
	all := 1
	for range n {
		all *= x
	}
	return all
}

// rounds returns the number of rounds of n ranks if the distance doubles: the logarithm of n, rounded up.
func rounds(n int) int { return bits.Len(uint(max(n, 1) - 1)) }
