package comm

import (
	"fmt"
	"slices"
)

// grid is a mesh or a torus. The number of a processor has its coordinates as digits, the last dimension lowest:
// processor y cols + x is in row y and column x.
type grid struct {
	dims  []int
	wraps bool
}

// Mesh has a link in each direction between neighbours in a dimension: in two dimensions, rows and
// columns. Messages go along the last dimension first, then along the one before it: first along the
// row, then along the column.
func Mesh(dims ...int) Topology { return grid{dims, false} }

// Torus is a mesh whose lines are rings. Messages take the shorter direction; if both are equal,
// they go upwards.
//
// Differs: SimGrid goes downwards in some of the latter cases.
func Torus(dims ...int) Topology { return grid{dims, true} }

var (
	meshKind  = gridKind("mesh", Mesh)
	torusKind = gridKind("torus", Torus)
)

func gridKind(name string, of func(dims ...int) Topology) TopologyKind {
	return TopologyKind{Name: name, Keys: []string{"rows", "cols", "dims"}, Switched: true, Detours: true, Hosts: gridHosts,
		New: func(s Shape, procs int) (Topology, error) {
			dims, err := s.grid(procs)
			if err != nil {
				return nil, err
			}
			return of(dims...), nil
		}}
}

// gridHosts returns the number of processors of a grid with a shape.
func gridHosts(s Shape) (int, error) {
	switch n := len(s.Dims); {
	case n == 0 && s.Rows == 0 && s.Cols == 0:
		return 0, nil
	case n > 0 && (s.Rows != 0 || s.Cols != 0):
		return 0, fmt.Errorf("network.dims is given besides network.rows; give one of them")
	case n > maxDims:
		return 0, fmt.Errorf("network.dims has %d dimensions; a grid has 1 to %d", n, maxDims)
	case n > 0:
		return product("dims", maxProcs, s.Dims...)
	}
	return product("rows times cols", maxProcs, s.Rows, s.Cols)
}

// grid returns the dimensions of a grid of procs processors.
func (s Shape) grid(procs int) ([]int, error) {
	hosts, err := gridHosts(s)
	switch {
	case err != nil:
		return nil, err
	case hosts == 0:
		rows, cols := Grid(procs)
		return []int{rows, cols}, nil
	case hosts == procs && len(s.Dims) > 0:
		return slices.Clone(s.Dims), nil
	case hosts == procs:
		return []int{s.Rows, s.Cols}, nil
	case len(s.Dims) > 0:
		return nil, fmt.Errorf("network.dims is %s; the product must be %d nodes", times(s.Dims), procs)
	}
	return nil, fmt.Errorf("network.rows is %d and network.cols is %d; their product must be %d nodes", s.Rows, s.Cols, procs)
}

func (g grid) Name() string {
	if g.wraps {
		return "torus " + times(g.dims)
	}
	return "mesh " + times(g.dims)
}

func (g grid) Procs() int {
	n := 1
	for _, d := range g.dims {
		n *= d
	}
	return n
}

// directions is the number of links from a processor, and of those that Ends says do not exist.
func (g grid) directions() int { return 2 * len(g.dims) }

func (g grid) Links() int64 { return int64(g.directions()) * int64(g.Procs()) }

// Bisection cuts all lines of one dimension, so that the fewest links are cut. If the lines have an odd
// number of processors, the layer in the middle is cut in the same way. In an order of falling size, up
// to the first even one, this is the least number [arjona2014].
func (g grid) Bisection() int64 { return 2 * g.cut(g.dims) }

// cut is how many pairs of neighbours two halves of a grid of these dimensions part.
func (g grid) cut(dims []int) int64 {
	least := int64(0)
	for i, n := range dims {
		if n < 2 {
			continue
		}
		rest := slices.Delete(slices.Clone(dims), i, i+1)
		cut := g.places(n)
		for _, d := range rest {
			cut *= int64(d)
		}
		if n%2 == 1 {
			cut += g.cut(rest)
		}
		if least == 0 || cut < least {
			least = cut
		}
	}
	return least
}

// places is how many links a line of n nodes, at least two, loses when it is cut in two.
func (g grid) places(n int) int64 {
	if g.wraps && n > 2 {
		return 2
	}
	return 1
}

// The links of a processor: two of the last dimension, forward and back, then two of the one before it.
func (g grid) Ends(l Link) (from, to int, ok bool) {
	from = int(l / Link(g.directions()))
	if l < 0 || from >= g.Procs() {
		return 0, 0, false
	}
	unit, i := 1, len(g.dims)-1
	for range int(l) % g.directions() / 2 {
		unit *= g.dims[i]
		i--
	}
	at := from / unit % g.dims[i]
	next, ok := g.step(at, 1-2*int(l%2), g.dims[i])
	return from, from + (next-at)*unit, ok
}

// step is the next place of n in a line. A ring of two has one link each way.
func (g grid) step(at, by, n int) (int, bool) {
	next := at + by
	if !g.wraps {
		return next, next >= 0 && next < n
	}
	return (next + n) % n, n > 2 || n == 2 && by > 0
}

func (g grid) Route(from, to int, into []Link) []Link { return g.route(from, to, into, g.forward) }

// route goes along each dimension, upwards if forward says so.
func (g grid) route(from, to int, into []Link, forward func(from, to, n int) bool) []Link {
	at, unit, links := from, 1, Link(g.directions())
	for i := len(g.dims) - 1; i >= 0; i-- {
		n := g.dims[i]
		x, toX := at/unit%n, to/unit%n
		l, by := Link(2*(len(g.dims)-1-i)), 1
		if !forward(x, toX, n) {
			l, by = l+1, -1
		}
		for x != toX {
			into = append(into, Link(at)*links+l)
			x, at = x+by, at+by*unit
			switch x {
			case n:
				x, at = 0, at-n*unit
			case -1:
				x, at = n-1, at+n*unit
			}
		}
		unit *= n
	}
	return into
}

// forward reports whether messages go upwards from one place of n to another.
func (g grid) forward(from, to, n int) bool {
	ahead := (to - from + n) % n
	return g.wraps && ahead <= n-ahead || !g.wraps && to > from
}

// Detour goes by way of a random processor.
func (g grid) Detour(from, to int, random uint64, into []Link) []Link {
	return via(g, from, to, random, into)
}
