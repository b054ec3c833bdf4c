package meshes

import (
	"fmt"
	"math"
	"testing"

	"spoor/tracegen/kernel/internal/workload"
)

// TestSineTransformIsTheDefinition compares with the sum.
func TestSineTransformIsTheDefinition(t *testing.T) {
	rng := workload.Generator(1)
	for _, g := range []int{2, 4, 32} {
		t.Run(fmt.Sprint(g), func(t *testing.T) {
			s := newFastPoisson(g)
			a, b := make([]float64, g-1), make([]float64, g-1)
			for j := range a {
				a[j], b[j] = rng.Float64(), rng.Float64()
			}
			var wantA, wantB []float64
			for k := 1; k < g; k++ {
				var sumA, sumB float64
				for j := 1; j < g; j++ {
					sin := math.Sin(math.Pi * float64(j*k%(2*g)) / float64(g))
					sumA += a[j-1] * sin
					sumB += b[j-1] * sin
				}
				wantA, wantB = append(wantA, sumA), append(wantB, sumB)
			}
			s.transform(a, b)
			for k := range a {
				// The sum has g+2 roundings of values up to g; the transform of 2g numbers, together of
				// length sqrt(4g), makes them longer by sqrt(2g), and half of that is the result.
				bound := float64((g+2)*g)*0x1p-53 + fourierError(2*g)*math.Sqrt2*float64(g)
				if e := max(math.Abs(a[k]-wantA[k]), math.Abs(b[k]-wantB[k])); e > bound {
					t.Errorf("g=%d, wave number %d: off by %g, more than %g", g, k+1, e, bound)
				}
			}
		})
	}
}

// TestFastPoissonSolves multiplies the solution by the matrix.
func TestFastPoissonSolves(t *testing.T) {
	rng := workload.Generator(2)
	for _, g := range []int{2, 4, 16, 64} {
		t.Run(fmt.Sprint(g), func(t *testing.T) {
			wide := g + 1
			grid := make([]float64, wide*wide)
			for i := 1; i < g; i++ {
				for j := 1; j < g; j++ {
					grid[i*wide+j] = rng.Float64()
				}
			}
			b := append([]float64(nil), grid...)
			newFastPoisson(g).solve(grid)
			var residual, right, size float64
			for i := 1; i < g; i++ {
				for j := 1; j < g; j++ {
					at := i*wide + j
					e := 4*grid[at] - grid[at-1] - grid[at+1] - grid[at-wide] - grid[at+wide] - b[at]
					residual += e * e
					right += b[at] * b[at]
					size += grid[at] * grid[at]
				}
			}
			if bound := fastPoissonBound(g, math.Sqrt(right), math.Sqrt(size)); math.Sqrt(residual) > bound {
				t.Errorf("g=%d: residual %.3g, more than %.3g", g, math.Sqrt(residual), bound)
			}
		})
	}
}
