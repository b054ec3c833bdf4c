package du2000

import (
	"strings"
	"testing"

	"spoor/tracegen/kernel/internal/kerneltest"
	"spoor/tracegen/kernel/internal/workload"
)

// cases is what tests know of each kernel.
var cases = map[string]kerneltest.Case{
	"fft":   {Sizes: fftSizes, Spoil: spoilFFT},
	"lu":    {Sizes: luSizes, Spoil: spoilLU},
	"radix": {Sizes: radixSizes, Spoil: spoilRadix},
	"edge":  {Sizes: edgeSizes, Spoil: spoilEdge},
	"tpcc":  {Sizes: tpccSizes, Spoil: spoilTPCC},
}

var kernels = kerneltest.Kernels{All: All, Counted: Counted, Recorded: Recorded, Cases: cases}

func TestNativeRunsAreVerified(t *testing.T) { kernels.NativeRunsAreVerified(t) }

func TestAllFormsAgree(t *testing.T) { kernels.AllFormsAgree(t) }

func TestVerifyFindsOneWrongElement(t *testing.T) { kernels.VerifyFindsOneWrongElement(t) }

func TestRecordingIsTheSameAtAnyGOMAXPROCS(t *testing.T) {
	kernels.RecordingIsTheSameAtAnyGOMAXPROCS(t)
}

// TestParametersThatDoNotFitSayWhy names the constraint or the nearest parameter.
func TestParametersThatDoNotFitSayWhy(t *testing.T) {
	for _, bad := range []struct {
		k    workload.Kernel
		set  workload.Values
		want string
	}{
		{FFT, workload.Values{"points": 32}, "a power of 4"},
		{FFT, workload.Values{"point": 64}, `did you mean "points"`},
		{Radix, workload.Values{"radix": 1000}, "a power of 2"},
		{LU, workload.Values{"n": 100, "block": 16}, "a multiple of block=16"},
	} {
		t.Run(bad.want, func(t *testing.T) {
			_, err := bad.k.Values(bad.set)
			if err == nil || !strings.Contains(err.Error(), bad.want) {
				t.Errorf("%s %v: %v, want %q", bad.k.Name, bad.set, err, bad.want)
			}
		})
	}
}
