package meshes

import (
	"math"
	"math/bits"
	"math/cmplx"
)

// fastPoisson solves the five-point equations 4u - (its four neighbours) = b inside a square of g x g intervals,
// with u = 0 around it, in O(g^2 log g) operations [R. W. Hockney: A fast direct solution of Poisson's equation
// using Fourier analysis. Journal of the ACM 12(1), 1965, pp. 95-113]. Sine transforms of the rows give a
// tridiagonal system for each wave number. Its solution is transformed back. g is a power of 2.
type fastPoisson struct {
	g      int
	roots  []complex128 // exp(-pi i k/g), k below g
	pivots []float64    // inverted pivots of the tridiagonal systems: row by row, those of all wave numbers
	work   []complex128 // 2g, for transforms
}

func newFastPoisson(g int) *fastPoisson {
	s := &fastPoisson{g: g, roots: make([]complex128, g), pivots: make([]float64, (g-1)*(g-1)), work: make([]complex128, 2*g)}
	for k := range s.roots {
		s.roots[k] = cmplx.Rect(1, -math.Pi*float64(k)/float64(g))
	}
	for k := 1; k < g; k++ {
		pivot := 0.0 // inverted
		for i := range g - 1 {
			pivot = 1 / (2 + waveNumberSquared(k, g) - pivot)
			s.pivots[i*(g-1)+k-1] = pivot
		}
	}
	return s
}

// waveNumberSquared returns eigenvalue k, from 1 to g-1, of the tridiagonal matrix with 2 on the diagonal and -1
// beside it.
func waveNumberSquared(k, g int) float64 {
	sin := math.Sin(math.Pi * float64(k) / float64(2*g))
	return 4 * sin * sin
}

// solve replaces the right side by the solution, inside a grid of g+1 rows of g+1 points. It does not change the
// border.
func (s *fastPoisson) solve(grid []float64) {
	s.transformRows(grid)
	s.solveTridiagonal(grid)
	s.transformRows(grid)
}

// transformRows transforms the inner rows, two at a time.
func (s *fastPoisson) transformRows(grid []float64) {
	g, wide := s.g, s.g+1
	for i := 1; i+1 < g; i += 2 {
		s.transform(grid[i*wide+1:i*wide+g], grid[(i+1)*wide+1:(i+1)*wide+g])
	}
	s.transform(grid[(g-1)*wide+1:(g-1)*wide+g], nil)
}

// transform replaces a and, unless it is nil, b by their sine transforms, sum of a_j sin(pi j k/g). Both have g-1
// elements. They are the real and imaginary part of an odd sequence of 2g elements, whose Fourier transform is -2i
// (A_k + i B_k).
func (s *fastPoisson) transform(a, b []float64) {
	g, work := s.g, s.work
	work[0], work[g] = 0, 0
	for j := 1; j < g; j++ {
		z := complex(a[j-1], 0)
		if b != nil {
			z = complex(a[j-1], b[j-1])
		}
		work[j], work[2*g-j] = z, -z
	}
	fourierTransform(work, s.roots)
	for k := 1; k < g; k++ {
		a[k-1] = -imag(work[k]) / 2
		if b != nil {
			b[k-1] = real(work[k]) / 2
		}
	}
}

// fourierTransform replaces x by its radix-2 transform, given half as many roots of unity.
func fourierTransform(x, roots []complex128) {
	shift := 64 - bits.Len(uint(len(x)-1))
	for i := range x {
		if j := int(bits.Reverse64(uint64(i)) >> shift); i < j {
			x[i], x[j] = x[j], x[i]
		}
	}
	for half, step := 1, len(roots); half < len(x); half, step = 2*half, step/2 {
		for start := 0; start < len(x); start += 2 * half {
			low, high := x[start:start+half], x[start+half:start+2*half]
			for j := range low {
				t := roots[j*step] * high[j]
				low[j], high[j] = low[j]+t, low[j]-t
			}
		}
	}
}

// solveTridiagonal solves the system of every wave number by elimination down and substitution up the rows. It
// scales by 2/g, which makes the second sine transform the inverse of the first.
func (s *fastPoisson) solveTridiagonal(grid []float64) {
	g, wide := s.g, s.g+1
	scale := 2 / float64(g)
	first, pivots := grid[wide+1:wide+g], s.pivots
	for k := range first {
		first[k] *= scale * pivots[k]
	}
	for i := 2; i < g; i++ {
		row, above := grid[i*wide+1:i*wide+g], grid[(i-1)*wide+1:(i-1)*wide+g]
		pivots := s.pivots[(i-1)*(g-1) : i*(g-1)]
		for k := range row {
			row[k] = (scale*row[k] + above[k]) * pivots[k]
		}
	}
	for i := g - 2; i > 0; i-- {
		row, below := grid[i*wide+1:i*wide+g], grid[(i+1)*wide+1:(i+1)*wide+g]
		pivots := s.pivots[(i-1)*(g-1) : i*(g-1)]
		for k := range row {
			row[k] += below[k] * pivots[k]
		}
	}
}
