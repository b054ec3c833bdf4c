package comm

import "fmt"

// grid is a mesh or a torus. Processor y cols + x is in row y and column x.
type grid struct {
	rows, cols int
	wraps      bool
}

// Mesh has a link in each direction between neighbours in a row or column. Messages go along the
// row first, then along the column.
func Mesh(rows, cols int) Topology { return grid{rows, cols, false} }

// Torus is a mesh whose rows and columns are rings. Messages take the shorter direction; if both
// are equal, they go upwards.
func Torus(rows, cols int) Topology { return grid{rows, cols, true} }

func (g grid) Name() string {
	if g.wraps {
		return fmt.Sprintf("torus %dx%d", g.rows, g.cols)
	}
	return fmt.Sprintf("mesh %dx%d", g.rows, g.cols)
}

func (g grid) Procs() int   { return g.rows * g.cols }
func (g grid) Links() int64 { return 4 * int64(g.Procs()) }

// Bisection cuts all rows, or all columns, whichever crosses fewer links. A ring of more than two is cut at two places.
func (g grid) Bisection() int64 {
	switch {
	case g.rows < 2:
		return 2 * g.cut(g.cols, 1)
	case g.cols < 2:
		return 2 * g.cut(g.rows, 1)
	}
	return 2 * min(g.cut(g.cols, g.rows), g.cut(g.rows, g.cols))
}

// cut is how many pairs of neighbours the two halves of the grid part, if each of so many lines of n nodes is cut. An odd n makes
// a step: half of the lines have one node more on one side.
func (g grid) cut(n, lines int) int64 {
	if n%2 == 0 {
		return int64(lines) * g.places(n)
	}
	return int64(lines)*g.places(n) + g.places(lines)
}

// places is how many links a line of n nodes loses when it is cut in two.
func (g grid) places(n int) int64 {
	switch {
	case n < 2:
		return 0
	case g.wraps && n > 2:
		return 2
	}
	return 1
}

// The directions of the four links from a node.
const (
	right = iota
	left
	down
	up
	directions
)

func (g grid) Ends(l Link) (from, to int, ok bool) {
	from = int(l / directions)
	if l < 0 || from >= g.Procs() {
		return 0, 0, false
	}
	y, x := from/g.cols, from%g.cols
	switch l % directions {
	case right:
		x, ok = g.step(x, 1, g.cols)
	case left:
		x, ok = g.step(x, -1, g.cols)
	case down:
		y, ok = g.step(y, 1, g.rows)
	case up:
		y, ok = g.step(y, -1, g.rows)
	}
	return from, y*g.cols + x, ok
}

// step is the next place of n in a row. A ring of two has one link each way.
func (g grid) step(at, by, n int) (int, bool) {
	next := at + by
	if !g.wraps {
		return next, next >= 0 && next < n
	}
	return (next + n) % n, n > 2 || n == 2 && by > 0
}

func (g grid) Route(from, to int, into []Link) []Link {
	y, x := from/g.cols, from%g.cols
	for toX := to % g.cols; x != toX; {
		by := g.toward(x, toX, g.cols)
		into = append(into, link(y*g.cols+x, by, right, left))
		x = (x + by + g.cols) % g.cols
	}
	for toY := to / g.cols; y != toY; {
		by := g.toward(y, toY, g.rows)
		into = append(into, link(y*g.cols+x, by, down, up))
		y = (y + by + g.rows) % g.rows
	}
	return into
}

// toward is the step from one place of n to another.
func (g grid) toward(from, to, n int) int {
	if ahead := (to - from + n) % n; g.wraps && ahead <= n-ahead || !g.wraps && to > from {
		return 1
	}
	return -1
}

func link(node, by, forward, back int) Link {
	if by > 0 {
		return Link(node*directions + forward)
	}
	return Link(node*directions + back)
}
