package du2000

import (
	"context"
	"fmt"
	"math"
	"testing"

	"spoor/tracegen/kernel/internal/dft"
	"spoor/tracegen/kernel/internal/kerneltest"
	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

var fftSizes = []workload.Values{{"points": 16}, {"points": 64, "line": 16}, {"points": 1024}, {"points": 4096, "line": 256}}

func spoilFFT(inst workload.Instance) {
	f := inst.(*fft)
	f.t[17] += 1e-9
}

// TestFFTOfConjugateIsTheInverse uses the kernel itself for the way back.
func TestFFTOfConjugateIsTheInverse(t *testing.T) {
	run := func(f *fft) {
		if err := spmd.Native(context.Background(), f.procs, f.Program); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []int{16, 256, 4096} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			f := kerneltest.Instance(t, FFT, workload.Values{"points": n}, 4).(*fft)
			run(f)
			back := kerneltest.Instance(t, FFT, workload.Values{"points": n}, 4).(*fft)
			for i, v := range f.t {
				back.x[i] = complex(real(v), -imag(v))
			}
			run(back)
			for i, v := range back.t {
				back.t[i] = complex(real(v)/float64(n), -imag(v)/float64(n))
			}
			if e := dft.RelativeError(back.t, dft.Input(n, f.seed)); !(e < 1e-15*math.Log2(float64(n))) {
				t.Errorf("%d points: the inverse is off by %g", n, e)
			}
		})
	}
}

// TestFFTIsTheDefinition: the transform as a sum, for a small one.
func TestFFTIsTheDefinition(t *testing.T) {
	f := kerneltest.Instance(t, FFT, workload.Values{"points": 64}, 2).(*fft)
	if err := spmd.Native(context.Background(), 2, f.Program); err != nil {
		t.Fatal(err)
	}
	want := make([]complex128, 64)
	for k := range want {
		for j, x := range dft.Input(64, f.seed) {
			want[k] += x * dft.Root(j*k%64, 64)
		}
	}
	if e := dft.RelativeError(f.t, want); !(e < 1e-14) {
		t.Errorf("off by %g", e)
	}
}
