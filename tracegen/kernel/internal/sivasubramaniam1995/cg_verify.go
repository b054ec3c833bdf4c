package sivasubramaniam1995

import (
	"fmt"
	"math"

	"spoor/tracegen/spmd"
)

// Verify runs the method serially on a list of the non-zeros, with dot products summed in the order of the program.
// It requires the same x and r, to the bit. It also compares b - A x, computed again, with the r that the method
// updates.
func (f *cg) Verify() error {
	s := &cgSerial{f: f, elements: cgMatrix(f.n, f.nonzeros, f.seed), x: make([]float64, f.n), slack: make([]float64, f.n)}
	s.gamma = s.rowGamma()
	s.run()
	for i := range f.x {
		if f.x[i] != s.x[i] || f.r[i] != s.r[i] {
			return fmt.Errorf("element %d: x is %v and r %v, serially %v and %v", i, f.x[i], f.r[i], s.x[i], s.r[i])
		}
	}
	ax := s.multiply(f.x)
	for i, bound := range s.residualBound() {
		if e := math.Abs(cgRightSide - ax[i] - f.r[i]); !(e <= bound) {
			return fmt.Errorf("element %d: the residual differs from b - A x by %.3g, more than %.3g", i, e, bound)
		}
	}
	return nil
}

// cgSerial is the textbook method, with a bound for the difference between r and b - A x.
type cgSerial struct {
	f        *cg
	elements []cgElement
	x, r     []float64
	slack    []float64
	gamma    float64
}

// rowGamma returns m u/(1 - m u); m is the largest number of non-zeros of a row, and 2 more operations.
func (s *cgSerial) rowGamma() float64 {
	most := 0
	count := make([]int, s.f.n)
	for _, e := range s.elements {
		count[e.row]++
		most = max(most, count[e.row])
	}
	mu := float64(most+2) * 0x1p-53
	return mu / (1 - mu)
}

func (s *cgSerial) run() {
	n := s.f.n
	s.r = make([]float64, n)
	for i := range s.r {
		s.r[i] = cgRightSide
	}
	p := append([]float64(nil), s.r...)
	for range s.f.iterations {
		q := s.multiply(p)
		rho := s.dot(s.r, s.r)
		alpha := quotient(rho, s.dot(p, q))
		for i := range n {
			s.x[i] += float64(alpha * p[i])
			s.r[i] -= float64(alpha * q[i])
		}
		s.widen(alpha, p, q)
		beta := quotient(s.dot(s.r, s.r), rho)
		for i := range n {
			p[i] = s.r[i] + float64(beta*p[i])
		}
	}
}

func (s *cgSerial) multiply(p []float64) []float64 {
	q := make([]float64, len(p))
	for _, e := range s.elements {
		q[e.row] += float64(e.value * p[e.column])
	}
	return q
}

// dot adds the products of each rank's share, and the sums of ranks at distance 1, 2, 4, ...
func (s *cgSerial) dot(a, b []float64) float64 {
	sums := make([]float64, s.f.procs)
	for rank := range sums {
		lo, hi := spmd.Share(len(a), len(sums), rank)
		for i := lo; i < hi; i++ {
			sums[rank] += float64(a[i] * b[i])
		}
	}
	for apart := 1; apart < len(sums); apart *= 2 {
		for rank := 0; rank+apart < len(sums); rank += 2 * apart {
			sums[rank] += sums[rank+apart]
		}
	}
	return sums[0]
}

// widen adds to the slack, element by element, the change of b - A x - r by the rounding errors of one iteration.
// The errors of x are at most |A| u (|alpha p| + |x|), those of r at most u (|alpha q| + |r|), and those of q at
// most |alpha| gamma |A||p|. Here gamma = gamma_m, m is the largest number of non-zeros of a row, and |A| = A [as
// in A. Greenbaum: Estimating the attainable accuracy of recursively computed residual methods. SIAM J. Matrix
// Anal. Appl. 18, 1997, sec. 2].
func (s *cgSerial) widen(alpha float64, p, q []float64) {
	const u = 0x1p-53
	moved := make([]float64, len(p))
	for i := range p {
		moved[i] = u*(math.Abs(alpha*p[i])+math.Abs(s.x[i])) + s.gamma*math.Abs(alpha*p[i])
	}
	for i, m := range s.multiply(moved) {
		s.slack[i] += m + u*(math.Abs(alpha*q[i])+math.Abs(s.r[i]))
	}
}

// residualBound returns the slack, plus the errors of computing b - A x again, plus a hundredth for those of the
// bound itself.
func (s *cgSerial) residualBound() []float64 {
	size := make([]float64, len(s.x))
	for i, x := range s.x {
		size[i] = math.Abs(x)
	}
	bound := s.multiply(size)
	for i := range bound {
		bound[i] = 1.01 * (s.slack[i] + s.gamma*(bound[i]+cgRightSide+math.Abs(s.r[i])))
	}
	return bound
}
