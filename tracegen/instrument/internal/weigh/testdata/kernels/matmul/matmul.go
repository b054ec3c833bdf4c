// Package matmul multiplies matrices, of rows that are slices of their own.
package matmul

// Run multiplies and returns an element.
func Run() float64 {
	const n = 80
	a, b, c := square(n), square(n), square(n)
	for i := range n {
		for j := range n {
			a[i][j] = float64(i - j)
			b[i][j] = float64(i + j)
			c[i][j] = 0
		}
	}
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			for k := 0; k < n; k++ {
				c[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return c[n/2][n/3]
}

func square(n int) [][]float64 {
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
	}
	return a
}
