// Package lu factors a matrix by blocks, without pivoting.
package lu

// Run factors a diagonally dominant matrix and returns the trace of the factors.
func Run() float64 {
	const n, block = 96, 16
	a := make([]float64, n*n)
	for i := range n {
		for j := range n {
			a[i*n+j] = 1 / float64(1+i+j)
		}
		a[i*n+i] += n
	}
	for k := 0; k < n; k += block {
		factor(a[k*n+k:], n, block)
		for j := k + block; j < n; j += block {
			lower(a[k*n+j:], a[k*n+k:], n, block)
		}
		for i := k + block; i < n; i += block {
			upper(a[i*n+k:], a[k*n+k:], n, block)
			for j := k + block; j < n; j += block {
				update(a[i*n+j:], a[i*n+k:], a[k*n+j:], n, block)
			}
		}
	}
	sum := 0.0
	for i := 0; i < n; i++ {
		sum += a[i*n+i]
	}
	return sum
}

func factor(a []float64, n, b int) {
	for k := 0; k < b; k++ {
		for i := k + 1; i < b; i++ {
			a[i*n+k] /= a[k*n+k]
			daxpy(a[i*n+k+1:i*n+b], a[k*n+k+1:k*n+b], -a[i*n+k])
		}
	}
}

func lower(c, d []float64, n, b int) {
	for k := 0; k < b; k++ {
		for i := k + 1; i < b; i++ {
			daxpy(c[i*n:i*n+b], c[k*n:k*n+b], -d[i*n+k])
		}
	}
}

func upper(c, d []float64, n, b int) {
	for i := 0; i < b; i++ {
		for k := 0; k < b; k++ {
			c[i*n+k] /= d[k*n+k]
			for j := k + 1; j < b; j++ {
				c[i*n+j] -= c[i*n+k] * d[k*n+j]
			}
		}
	}
}

func update(c, a, b []float64, n, block int) {
	for i := 0; i < block; i++ {
		for k := 0; k < block; k++ {
			daxpy(c[i*n:i*n+block], b[k*n:k*n+block], -a[i*n+k])
		}
	}
}

func daxpy(y, x []float64, a float64) {
	for i, v := range x {
		y[i] += a * v
	}
}
