package grow

// guard says which ranks execute a block.
type guard struct {
	form guardForm
	axis int8
	c    int32
}

type guardForm uint8

const (
	always     guardForm = iota
	equals               // the coordinate is c
	differs              // the coordinate is not c
	equalsLast           // the coordinate is the last but c
	differsLast
	even   // the coordinate is even
	odd    // the coordinate is odd
	lower  // the coordinate is in the lower half
	upper  // the coordinate is in the upper half
	evens  // the sum of all coordinates is even
	odds   // the sum of all coordinates is odd
	inside // no coordinate is the first or the last
)

// guards lists the guards of places with the given number of axes, always first.
func guards(axes int) []guard {
	all := []guard{{}}
	for a := range int8(axes) {
		for _, f := range []guardForm{equals, differs, equalsLast, differsLast, even, odd, lower, upper} {
			all = append(all, guard{f, a, 0})
		}
	}
	for _, f := range []guardForm{evens, odds, inside} {
		all = append(all, guard{form: f})
	}
	return all
}

// single reports whether only one rank executes the block.
func (g guard) single() bool { return g.axis == 0 && (g.form == equals || g.form == equalsLast) }

// has reports whether the rank at p executes the block.
func (g guard) has(p *place) bool {
	x, n := p.coord[g.axis], p.size[g.axis]
	switch g.form {
	case equals:
		return x == int(g.c)
	case differs:
		return x != int(g.c)
	case equalsLast:
		return x == n-1-int(g.c)
	case differsLast:
		return x != n-1-int(g.c)
	case even:
		return x%2 == 0
	case odd:
		return x%2 == 1
	case lower:
		return 2*x < n
	case upper:
		return 2*x >= n
	case evens:
		return p.sum()%2 == 0
	case odds:
		return p.sum()%2 == 1
	case inside:
		return p.inside()
	}
	return true
}

// sum returns the sum of the coordinates in the grid, or the rank if there is none.
func (p *place) sum() (n int) {
	if p.axes == 1 {
		return p.rank
	}
	for d := 1; d < p.axes; d++ {
		n += p.coord[d]
	}
	return n
}

func (p *place) inside() bool {
	for d := min(1, p.axes-1); d < p.axes; d++ {
		if p.coord[d] == 0 || p.coord[d] == p.size[d]-1 {
			return false
		}
	}
	return true
}
