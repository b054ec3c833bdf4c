package meshes

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"spoor/tracegen/kernel/internal/kerneltest"
	"spoor/tracegen/kernel/internal/workload"
)

// TestMeshSaysWhatItCannotBe also through the kernels that have the parameter.
func TestMeshSaysWhatItCannotBe(t *testing.T) {
	for _, c := range []struct {
		k     workload.Kernel
		set   workload.Values
		procs int
		want  string
	}{
		{Scan, workload.Values{"meshrows": 4}, 6, "use a multiple of 4"},
		{Array, workload.Values{"meshrows": 4}, 2, "use a multiple of 4"},
		{Scan, workload.Values{"l": 3}, 4, ""},
		{Scan, workload.Values{"l": 3, "meshrows": 1}, 4, "fewer than 1"},
		{ConvScan, workload.Values{"l": 16, "b": 9}, 2, "fewer than 9"},
		{ConvShift, workload.Values{"l": 16, "b": 9}, 2, ""},
	} {
		t.Run(fmt.Sprintf("%v %v", c.procs, c.want), func(t *testing.T) {
			_, err := c.k.New(kerneltest.Complete(t, c.k, c.set), c.procs, 1)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s %v on %d: %v, want %q", c.k.Name, c.set, c.procs, err, c.want)
			}
		})
	}
}

// TestGatherIsTheInverseOfScatter for blocks of unequal size.
func TestGatherIsTheInverseOfScatter(t *testing.T) {
	whole := make([]int, 7*11)
	for i := range whole {
		whole[i] = i
	}
	for _, m := range []mesh{{1, 1}, {2, 3}, {3, 2}, {7, 1}, {1, 11}} {
		t.Run(fmt.Sprint(m), func(t *testing.T) {
			if got := gather(m, scatter(m, whole, 7, 11), 7, 11); !slices.Equal(got, whole) {
				t.Errorf("%+v: %v", m, got)
			}
		})
	}
}
