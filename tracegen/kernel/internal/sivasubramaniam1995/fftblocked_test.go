package sivasubramaniam1995

import (
	"context"
	"fmt"
	"math/bits"
	"testing"

	"spoor/tracegen/kernel/internal/dft"
	"spoor/tracegen/kernel/internal/kerneltest"
	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

var fftBlockedSizes = []workload.Values{{"points": 256}, {"points": 512}, {"points": 4096}}

func spoilFFTBlocked(inst workload.Instance) {
	f := inst.(*fftBlocked)
	f.blocked[17] *= 1.01
}

// TestFFTBlockedIsTheDefinition: the transform as a sum, down to one point.
func TestFFTBlockedIsTheDefinition(t *testing.T) {
	for _, c := range []struct{ n, procs int }{{1, 1}, {2, 1}, {4, 2}, {64, 8}} {
		t.Run(fmt.Sprint(c.n), func(t *testing.T) {
			f := kerneltest.Instance(t, FFTBlocked, workload.Values{"points": c.n}, c.procs).(*fftBlocked)
			if err := spmd.Native(context.Background(), c.procs, f.Program); err != nil {
				t.Fatal(err)
			}
			got, want := make([]complex128, c.n), make([]complex128, c.n)
			for k := range want {
				got[k] = complex128(f.blocked[bits.Reverse64(uint64(k))>>(64-bits.TrailingZeros(uint(c.n)))])
				for j, x := range dft.Input(c.n, f.seed) {
					want[k] += complex128(complex64(x)) * dft.Root(j*k%c.n, c.n)
				}
			}
			if e := dft.RelativeError(got, want); !(e <= 8*0x1p-24*6) { // six stages, as Verify has it
				t.Errorf("%d points on %d: off by %g", c.n, c.procs, e)
			}
		})
	}
}

func TestFFTBlockedNeedsPointsForEachPair(t *testing.T) {
	v := kerneltest.Complete(t, FFTBlocked, workload.Values{"points": 128})
	for procs, ok := range map[int]bool{1: true, 2: true, 3: false, 8: true, 16: false} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			if err := FFTBlocked.Procs(v, procs); (err == nil) != ok {
				t.Errorf("128 points on %d: %v", procs, err)
			}
		})
	}
}
