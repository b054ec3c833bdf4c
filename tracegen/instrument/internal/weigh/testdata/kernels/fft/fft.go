// Package fft transforms complex vectors, radix 2.
package fft

import (
	"math"
	"math/bits"
)

// Run transforms there and back and returns the largest difference.
func Run() float64 {
	const n = 4096
	x := make([]complex128, n)
	for i := range x {
		x[i] = complex(float64(i%17), float64(i%5))
	}
	transform(x, -1)
	transform(x, 1)
	worst := 0.0
	for i, v := range x {
		d := math.Abs(real(v)/n - float64(i%17))
		if d > worst {
			worst = d
		}
	}
	return worst
}

func transform(x []complex128, sign float64) {
	n := len(x)
	reverse(x)
	w := make([]complex128, n/2)
	for i := range w {
		s, c := math.Sincos(sign * 2 * math.Pi * float64(i) / float64(n))
		w[i] = complex(c, s)
	}
	for size := 2; size <= n; size *= 2 {
		half, step := size/2, n/size
		for start := 0; start < n; start += size {
			for j, k := start, 0; j < start+half; j, k = j+1, k+step {
				t := w[k] * x[j+half]
				x[j+half] = x[j] - t
				x[j] += t
			}
		}
	}
}

func reverse(x []complex128) {
	shift := 64 - bits.Len(uint(len(x)-1))
	for i := range x {
		j := int(bits.Reverse64(uint64(i)) >> shift)
		if j > i {
			x[i], x[j] = x[j], x[i]
		}
	}
}
