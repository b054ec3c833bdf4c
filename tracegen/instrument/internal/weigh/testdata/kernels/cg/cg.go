// Package cg solves a sparse system by conjugate gradients.
package cg

type matrix struct {
	start  []int
	column []int
	value  []float64
}

// Run solves and returns the norm of the residual.
func Run() float64 {
	const n = 700
	m := random(n, 12)
	x, b := make([]float64, n), make([]float64, n)
	for i := range b {
		b[i] = 1
	}
	return solve(m, x, b, 7)
}

func random(n, perRow int) *matrix {
	m := &matrix{start: []int{0}}
	seed := uint64(1)
	for i := range n {
		for k := range perRow {
			seed = seed*6364136223846793005 + 1442695040888963407
			j := int(seed>>33) % n
			v := 0.01
			if k == 0 {
				j, v = i, 4
			}
			m.column = append(m.column, j)
			m.value = append(m.value, v)
		}
		m.start = append(m.start, len(m.column))
	}
	return m
}

func solve(m *matrix, x, b []float64, steps int) float64 {
	n := len(x)
	r, p, q := make([]float64, n), make([]float64, n), make([]float64, n)
	copy(r, b)
	copy(p, b)
	rho := dot(r, r)
	for range steps {
		m.times(q, p)
		alpha := rho / dot(p, q)
		for i := range x {
			x[i] += alpha * p[i]
			r[i] -= alpha * q[i]
		}
		old := rho
		rho = dot(r, r)
		beta := rho / old
		for i, v := range r {
			p[i] = v + beta*p[i]
		}
	}
	return rho
}

func (m *matrix) times(q, p []float64) {
	for i := range q {
		sum := 0.0
		for k := m.start[i]; k < m.start[i+1]; k++ {
			sum += m.value[k] * p[m.column[k]]
		}
		q[i] = sum
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
