package falsafi1997

import "math"

// serialMesh relaxes the mesh like the original: whole matrices, and loops across all systems at once, column by
// column.
type serialMesh struct {
	n              int
	x, y           [][]float64
	aa, dd, d      [][]float64
	residX, residY [][]float64
}

func newSerialMesh(n int, seed uint64) *serialMesh {
	matrix := func() [][]float64 {
		m := make([][]float64, n)
		for i := range m {
			m[i] = make([]float64, n)
		}
		return m
	}
	m := &serialMesh{n: n, x: matrix(), y: matrix(), aa: matrix(), dd: matrix(), d: matrix(), residX: matrix(), residY: matrix()}
	x, y := tomcatvInput(n, seed)
	for i := range n {
		copy(m.x[i], x[i*n:])
		copy(m.y[i], y[i*n:])
	}
	return m
}

// relax makes one iteration and returns the greatest residuals before it.
func (m *serialMesh) relax() (mostX, mostY float64) {
	inner := m.n - 2
	for i := 1; i <= inner; i++ {
		for j := 1; j <= inner; j++ {
			m.residual(i, j)
			mostX, mostY = math.Max(mostX, math.Abs(m.residX[i][j])), math.Max(mostY, math.Abs(m.residY[i][j]))
		}
	}
	m.eliminate(m.residX)
	m.eliminate(m.residY)
	for i := 1; i <= inner; i++ {
		for j := 1; j <= inner; j++ {
			m.x[i][j] += m.residX[i][j]
			m.y[i][j] += m.residY[i][j]
		}
	}
	return mostX, mostY
}

// residual sets the elements of the matrix and the residuals at point (i,j).
func (m *serialMesh) residual(i, j int) {
	product := func(a, b float64) float64 { return float64(a * b) }
	dot := func(a, b [2]float64) float64 { return product(a[0], b[0]) + product(a[1], b[1]) }
	down := [2]float64{m.x[i+1][j] - m.x[i-1][j], m.y[i+1][j] - m.y[i-1][j]}
	right := [2]float64{m.x[i][j+1] - m.x[i][j-1], m.y[i][j+1] - m.y[i][j-1]}
	a, b, c := dot(right, right)/4, dot(down, down)/4, dot(down, right)/8
	winslow := func(v [][]float64) float64 {
		ii := v[i+1][j] - 2*v[i][j] + v[i-1][j]
		jj := v[i][j+1] - 2*v[i][j] + v[i][j-1]
		ij := v[i+1][j+1] - v[i+1][j-1] - v[i-1][j+1] + v[i-1][j-1]
		return product(a, ii) + product(b, jj) - product(c, ij)
	}
	m.aa[i][j], m.dd[i][j] = -b, 2*b+product(a, tomcatvRel)
	m.residX[i][j], m.residY[i][j] = winslow(m.x), winslow(m.y)
}

// eliminate solves the systems of all rows for one right-hand side in each.
func (m *serialMesh) eliminate(v [][]float64) {
	last := m.n - 2
	for i := 1; i <= last; i++ {
		m.d[i][1] = 1 / m.dd[i][1]
	}
	for j := 2; j <= last; j++ {
		for i := 1; i <= last; i++ {
			l := m.aa[i][j] * m.d[i][j-1]
			m.d[i][j] = 1 / (m.dd[i][j] - float64(m.aa[i][j-1]*l))
			v[i][j] -= float64(v[i][j-1] * l)
		}
	}
	for i := 1; i <= last; i++ {
		v[i][last] *= m.d[i][last]
	}
	for j := last - 1; j >= 1; j-- {
		for i := 1; i <= last; i++ {
			v[i][j] = (v[i][j] - float64(m.aa[i][j]*v[i][j+1])) * m.d[i][j]
		}
	}
}
