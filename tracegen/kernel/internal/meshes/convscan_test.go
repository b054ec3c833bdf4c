package meshes

import (
	"context"
	"slices"
	"testing"

	"spoor/tracegen/kernel/internal/kerneltest"
	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
	"spoor/traces/testsize"
)

var convScanSizes = []workload.Values{{"l": 16, "b": 1}, {"l": 33, "b": 2}, {"l": 50, "b": 3, "weight": 255}, {"l": 48, "b": 3, "meshrows": 1}}

func spoilConvScan(inst workload.Instance) {
	f := inst.(*convScan)
	f.sums[1][3]++
}

// TestBothConvolutionsAreTheSame also where prefix sums exceed 2^31.
func TestBothConvolutionsAreTheSame(t *testing.T) {
	const procs = 6
	for _, set := range []workload.Values{{"l": 40, "b": 5, "meshrows": 2}, {"l": 4200, "b": 2, "meshrows": 3}}[:testsize.Cases(2, 1)] {
		shift := kerneltest.Instance(t, ConvShift, set, procs).(*convShift)
		scan := kerneltest.Instance(t, ConvScan, set, procs).(*convScan)
		for _, program := range []spmd.Program{shift.Program, scan.Program} {
			if err := spmd.Native(context.Background(), procs, program); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(shift.gathered(), scan.gathered()) {
			t.Errorf("%v: the results differ", set)
		}
	}
}
