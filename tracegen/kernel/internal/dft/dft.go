// Package dft contains what the kernels of discrete Fourier transforms share: their input, and how their results are
// checked.
package dft

import (
	"math"
	"math/cmplx"

	"spoor/tracegen/kernel/internal/workload"
)

// Input returns n complex numbers, uniform in the square from -1-i to 1+i.
func Input(n int, seed uint64) []complex128 {
	rng := workload.Generator(seed)
	x := make([]complex128, n)
	for i := range x {
		re, im := 2*rng.Float64()-1, 2*rng.Float64()-1
		x[i] = complex(re, im)
	}
	return x
}

// Root returns exp(-2 pi i k/n).
func Root(k, n int) complex128 {
	sin, cos := math.Sincos(-2 * math.Pi * float64(k) / float64(n))
	return complex(cos, sin)
}

// RelativeError returns ||got - want|| / ||want|| in the 2-norm.
func RelativeError(got, want []complex128) float64 {
	var diff, norm float64
	for i := range want {
		d, w := cmplx.Abs(got[i]-want[i]), cmplx.Abs(want[i])
		diff += d * d
		norm += w * w
	}
	return math.Sqrt(diff / norm)
}
