// Package stencil smooths a cube.
package stencil

type cube struct {
	n    int
	cell []float64
}

func (c *cube) at(i, j, k int) float64 { return c.cell[(i*c.n+j)*c.n+k] }

func (c *cube) set(i, j, k int, v float64) { c.cell[(i*c.n+j)*c.n+k] = v }

// Run smooths some times and returns the middle.
func Run() float64 {
	const n = 24
	a, b := &cube{n, make([]float64, n*n*n)}, &cube{n, make([]float64, n*n*n)}
	for i := range a.cell {
		a.cell[i] = float64(i % 13)
	}
	for range 4 {
		smooth(b, a)
		a, b = b, a
	}
	return a.at(n/2, n/2, n/2)
}

func smooth(to, from *cube) {
	n := from.n
	for i := 1; i < n-1; i++ {
		for j := 1; j < n-1; j++ {
			for k := 1; k < n-1; k++ {
				sum := from.at(i-1, j, k) + from.at(i+1, j, k)
				sum += from.at(i, j-1, k) + from.at(i, j+1, k)
				sum += from.at(i, j, k-1) + from.at(i, j, k+1)
				to.set(i, j, k, sum/6)
			}
		}
	}
}
