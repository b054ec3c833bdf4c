package meshes

import (
	"math"

	"spoor/tracegen/spmd"
)

// coarseGrid is the grid of the squares' vertices. Every rank has all of it. The vertices inside the rectangle are
// unknown.
type coarseGrid struct {
	rows, cols int       // squares
	values     []float64 // rows-1 rows of cols-1 vertices
	swapped    []float64 // the same by columns
	sinesDown  []float64 // sin(pi j k/rows), j and k from 1 to rows-1
	sinesRight []float64 // the same for cols
}

func newCoarseGrid(r *spmd.Rank, m mesh) *coarseGrid {
	n := (m.rows - 1) * (m.cols - 1)
	return &coarseGrid{rows: m.rows, cols: m.cols,
		values: spmd.Private(r, "coarse", make([]float64, n)), swapped: spmd.Private(r, "coarse columns", make([]float64, n)),
		sinesDown:  spmd.Private(r, "sines down", sineTable(m.rows)),
		sinesRight: spmd.Private(r, "sines right", sineTable(m.cols))}
}

func sineTable(n int) []float64 {
	table := make([]float64, (n-1)*(n-1))
	for j := 1; j < n; j++ {
		for k := 1; k < n; k++ {
			table[(j-1)*(n-1)+k-1] = math.Sin(math.Pi * float64(j*k%(2*n)) / float64(n))
		}
	}
	return table
}

// at returns the index of the vertex at the lower right corner of square (row,col), or outside if it is on the
// boundary.
func (c *coarseGrid) at(row, col int) int {
	if row < 0 || row >= c.rows-1 || col < 0 || col >= c.cols-1 {
		return outside
	}
	return row*(c.cols-1) + col
}

// solve solves the five-point equations on the vertices, by sine transforms in both dimensions. There are few
// vertices, so the transforms are sums.
func (c *coarseGrid) solve() {
	down, right := c.rows-1, c.cols-1
	transformAcross(c.swapped, c.values, c.sinesRight, down, right)
	transformAcross(c.values, c.swapped, c.sinesDown, right, down)
	scale := 4 / float64(c.rows*c.cols)
	for i := range down {
		row := c.values[i*right : (i+1)*right]
		for j := range row {
			row[j] *= scale / (waveNumberSquared(i+1, c.rows) + waveNumberSquared(j+1, c.cols))
		}
	}
	transformAcross(c.swapped, c.values, c.sinesRight, down, right)
	transformAcross(c.values, c.swapped, c.sinesDown, right, down)
}

// transformAcross transforms the rows of x by a table of sines, and writes them to y as columns.
func transformAcross(y, x, sines []float64, rows, cols int) {
	for i := range rows {
		row := x[i*cols : (i+1)*cols]
		for k := range cols {
			sum := 0.0
			table := sines[k*cols : (k+1)*cols]
			for j := range row {
				sum += row[j] * table[j]
			}
			y[k*rows+i] = sum
		}
	}
}

// precondition sets z = M x: the sum of a solution on every edge and one on the vertices, interpolated along the
// edges.
func (s *substructure) precondition(z, x []float64) {
	clear(z)
	for side := range s.sides {
		if s.neighbours[side] != outside {
			s.solveEdge(z, x, side)
		}
	}
	if len(s.coarse.values) == 0 {
		return
	}
	s.restrict(x)
	spmd.AllReduce(s.r, s.coarse.values, add)
	s.coarse.solve()
	s.interpolate(z)
}

// solveEdge solves for the inside of an edge with the operator 2 sqrt(L), once sqrt(L) for each of the two squares.
// L has 2 on the diagonal and -1 beside it. Points are taken from left to right or downwards, as on the other side
// of the edge, so that both ranks round equally.
func (s *substructure) solveEdge(z, x []float64, side int) {
	g, edge, factors := s.g, s.edge, s.edgeFactors
	at, step := side*g, 1 // before the first point
	if side >= 2 {
		at, step = (side+1)*g, -1
	}
	for k := range edge {
		edge[k] = x[at+(k+1)*step]
	}
	s.solver.transform(edge, nil)
	for k := range edge {
		edge[k] *= factors[k]
	}
	s.solver.transform(edge, nil)
	for k := range edge {
		z[at+(k+1)*step] = edge[k]
	}
}

// edgeFactors returns the inverted eigenvalues of 2 sqrt(L), times 2/g. The factor makes the second sine transform
// the inverse of the first.
func edgeFactors(g int) []float64 {
	factors := make([]float64, g-1)
	for k := range factors {
		factors[k] = 1 / (float64(g) * math.Sqrt(waveNumberSquared(k+1, g)))
	}
	return factors
}

// corners returns the vertices of the square, clockwise.
func (s *substructure) corners() [4]int {
	row, col := s.mesh.position(s.r.ID())
	c := s.coarse
	return [4]int{c.at(row-1, col-1), c.at(row-1, col), c.at(row, col), c.at(row, col-1)}
}

// restrict sets the coarse right side to this square's part of it. It is the transpose of interpolation.
func (s *substructure) restrict(x []float64) {
	g, values, corners := s.g, s.coarse.values, s.corners()
	clear(values)
	for side := range s.sides {
		edge, share := x[side*g:(side+1)*g], s.share[side*g:(side+1)*g]
		begin, end := share[0]*edge[0], 0.0
		for k := 1; k < g; k++ {
			part := float64(k) / float64(g)
			begin += (1 - part) * share[k] * edge[k]
			end += part * share[k] * edge[k]
		}
		if at := corners[side]; at != outside {
			values[at] += begin
		}
		if at := corners[(side+1)%4]; at != outside {
			values[at] += end
		}
	}
}

// interpolate adds the solution on the vertices to z, linearly along edges. The conversions keep multiplication and
// addition separate, so that ranks on both sides of an edge have the same values.
func (s *substructure) interpolate(z []float64) {
	g, corners := s.g, s.corners()
	var values [4]float64
	for n, at := range corners {
		if at != outside {
			values[n] = s.coarse.values[at]
			z[n*g] += values[n]
		}
	}
	for side := range s.sides {
		if s.neighbours[side] == outside {
			continue
		}
		begin, end := values[side], values[(side+1)%4]
		edge := z[side*g : (side+1)*g]
		for k := 1; k < g; k++ {
			part := float64(k) / float64(g)
			edge[k] += float64((1-part)*begin) + float64(part*end)
		}
	}
}
