package meshes

import "spoor/tracegen/spmd"

// substructure is one rank's square. Vectors on the wire basket have the 4g points of the border, clockwise from
// the upper left corner. Where ranks share points, they have the same values, to the bit.
type substructure struct {
	r          *spmd.Rank
	mesh       mesh
	g          int
	neighbours [4]int // of each side: above, right, below, left
	sides      [4]borderSide
	solver     *fastPoisson
	coarse     *coarseGrid

	u, rhs      []float64 // g+1 rows of g+1
	work        []float64 // the same shape
	arriving    []float64 // a row or column from a neighbour
	edge        []float64 // the inside of an edge, g-1
	edgeFactors []float64 // factors of its wave numbers
	share       []float64 // of each point of the border: 1 / number of ranks that have it, 0 on the boundary
	sums        []float64 // inner products

	x, residual, z, p, product []float64 // vectors on the wire basket
}

// borderSide describes the g points of one side in a grid: the first, the step to the next, and the step into the
// square.
type borderSide struct{ start, step, inward int }

func newSubstructure(r *spmd.Rank, f *bps) *substructure {
	g, wide, m := f.g, f.g+1, f.mesh
	s := &substructure{r: r, mesh: m, g: g,
		neighbours: [4]int{m.neighbour(r.ID(), -1, 0), m.neighbour(r.ID(), 0, 1), m.neighbour(r.ID(), 1, 0), m.neighbour(r.ID(), 0, -1)},
		sides:      [4]borderSide{{0, 1, wide}, {g, wide, -1}, {wide*wide - 1, -1, -wide}, {g * wide, -wide, 1}},
		solver: &fastPoisson{g: g, roots: privateCopy(r, "roots", f.solver.roots), pivots: privateCopy(r, "pivots", f.solver.pivots),
			work: privateCopy(r, "transform", f.solver.work)},
		coarse: newCoarseGrid(r, m),
		u:      spmd.Private(r, "u", f.u[r.ID()]), rhs: spmd.Private(r, "rhs", f.rhs[r.ID()])}
	vector := func(name string, n int) []float64 { return spmd.Private(r, name, make([]float64, n)) }
	s.work, s.arriving, s.edge, s.sums = vector("work", wide*wide), vector("arriving", wide), vector("edge", g-1), vector("sums", 2)
	s.edgeFactors = spmd.Private(r, "edge factors", edgeFactors(g))
	s.x, s.residual, s.z, s.p, s.product = vector("x", 4*g), vector("residual", 4*g), vector("z", 4*g), vector("p", 4*g), vector("product", 4*g)
	s.share = vector("share", 4*g)
	for side := range s.sides {
		inside, turned := s.neighbours[side] != outside, s.neighbours[(side+3)%4] != outside
		for k := range g {
			switch {
			case k == 0 && inside && turned:
				s.share[side*g] = 0.25
			case k > 0 && inside:
				s.share[side*g+k] = 0.5
			}
		}
	}
	return s
}

// privateCopy returns a copy of a table that every rank needs.
func privateCopy[T any](r *spmd.Rank, name string, table []T) []T {
	return spmd.Private(r, name, append([]T(nil), table...))
}

// solveInside solves for the inside of a grid with given border. The right side is rhs, or 0 if that is nil.
func (s *substructure) solveInside(grid, rhs []float64) {
	g, wide := s.g, s.g+1
	for i := 1; i < g; i++ {
		row := grid[i*wide+1 : i*wide+g]
		if rhs == nil {
			clear(row)
		} else {
			copy(row, rhs[i*wide+1:i*wide+g])
		}
		row[0] += grid[i*wide]
		row[g-2] += grid[i*wide+g]
	}
	for j := 1; j < g; j++ {
		grid[wide+j] += grid[j]
		grid[(g-1)*wide+j] += grid[g*wide+j]
	}
	s.solver.solve(grid)
}

// applyAtBorder computes this square's part of the five-point operator on its border. A point has half of its own
// weight, and of the weights beside it, in each of two squares. A vertex has a quarter in each of four.
func (s *substructure) applyAtBorder(y, grid []float64) {
	g := s.g
	for n, side := range s.sides {
		at := side.start
		y[n*g] = grid[at] - (grid[at+side.step]+grid[at+side.inward])/2
		for k := 1; k < g; k++ {
			at += side.step
			y[n*g+k] = 2*grid[at] - (grid[at-side.step]+grid[at+side.step])/2 - grid[at+side.inward]
		}
	}
}

// findResidual computes the residual of u on the wire basket.
func (s *substructure) findResidual() {
	g, residual, share, rhs := s.g, s.residual, s.share, s.rhs
	s.applyAtBorder(residual, s.u)
	for n, side := range s.sides {
		at := side.start
		for k := n * g; k < (n+1)*g; k++ {
			residual[k] = share[k]*rhs[at] - residual[k]
			at += side.step
		}
	}
	s.sumOverRanks(residual)
}

// multiply sets y = S x; S is the Schur complement of the wire basket.
func (s *substructure) multiply(y, x []float64) {
	s.putBorder(s.work, x)
	s.solveInside(s.work, nil)
	s.applyAtBorder(y, s.work)
	s.sumOverRanks(y)
}

// sumOverRanks adds the parts that ranks have of the same point. On the boundary of the rectangle, where no value
// is unknown, the result is 0.
func (s *substructure) sumOverRanks(x []float64) {
	g, wide, work, share := s.g, s.g+1, s.work, s.share
	s.putBorder(work, x)
	column, row := spmd.Vector{Count: wide, Block: 1, Stride: wide}, spmd.Vector{Count: 1, Block: wide, Stride: wide}
	s.addNeighbours(s.neighbours[3], s.neighbours[1], work, work[g:], column)
	s.addNeighbours(s.neighbours[0], s.neighbours[2], work, work[g*wide:], row)
	for n, side := range s.sides {
		at := side.start
		for k := n * g; k < (n+1)*g; k++ {
			x[k] = 0
			if share[k] > 0 {
				x[k] = work[at]
			}
			at += side.step
		}
	}
}

// addNeighbours sends two opposite sides of a grid to the neighbours there, and adds the sides that they send.
func (s *substructure) addNeighbours(before, behind int, first, last []float64, layout spmd.Vector) {
	if before != outside {
		spmd.SendVector(s.r, before, 0, first, layout)
	}
	if behind != outside {
		spmd.SendVector(s.r, behind, 0, last, layout)
	}
	if before != outside {
		spmd.Recv(s.r, before, 0, s.arriving)
		addSide(first, s.arriving, layout)
	}
	if behind != outside {
		spmd.Recv(s.r, behind, 0, s.arriving)
		addSide(last, s.arriving, layout)
	}
}

// addSide adds x to the elements of y that a layout describes.
func addSide(y, x []float64, layout spmd.Vector) {
	for i := range layout.Count {
		block := y[i*layout.Stride : i*layout.Stride+layout.Block]
		for j := range block {
			block[j] += x[i*layout.Block+j]
		}
	}
}

// putBorder sets the border of a grid.
func (s *substructure) putBorder(grid, x []float64) {
	g := s.g
	for n, side := range s.sides {
		at := side.start
		for k := n * g; k < (n+1)*g; k++ {
			grid[at] = x[k]
			at += side.step
		}
	}
}

// addToBorder adds x to the border of a grid.
func (s *substructure) addToBorder(grid, x []float64) {
	g := s.g
	for n, side := range s.sides {
		at := side.start
		for k := n * g; k < (n+1)*g; k++ {
			grid[at] += x[k]
			at += side.step
		}
	}
}

// innerProduct returns the inner product over the wire basket.
func (s *substructure) innerProduct(x, y []float64) float64 {
	s.sums[0] = s.dot(x, y)
	spmd.AllReduce(s.r, s.sums[:1], add)
	return s.sums[0]
}

// innerProducts returns the inner products of x with y and with z, in one reduction.
func (s *substructure) innerProducts(x, y, z []float64) (float64, float64) {
	s.sums[0], s.sums[1] = s.dot(x, y), s.dot(x, z)
	spmd.AllReduce(s.r, s.sums, add)
	return s.sums[0], s.sums[1]
}

func add(a, b float64) float64 { return a + b }

// dot returns this rank's share of an inner product.
func (s *substructure) dot(x, y []float64) float64 {
	share, sum := s.share, 0.0
	for k := range share {
		sum += share[k] * x[k] * y[k]
	}
	return sum
}
