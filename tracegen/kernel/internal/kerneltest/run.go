// Package kerneltest contains the tests that every package of kernels has.
package kerneltest

import (
	"context"
	"fmt"
	"testing"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// Kernels are the kernels of a package in all forms, with what tests know of each.
type Kernels struct {
	All, Counted, Recorded []workload.Kernel
	Cases                  map[string]Case // by name
}

// Case is what tests know of a kernel: small runs, edges of its parameters among them, and how to spoil a result by
// little.
type Case struct {
	Sizes []workload.Values
	Spoil func(workload.Instance)
}

// ProcCounts are the numbers of ranks that kernels are tested on.
var ProcCounts = []int{1, 2, 3, 4, 5, 8, 16}

// Run is one kernel with values on a number of ranks.
type Run struct {
	Name  string
	Set   workload.Values
	Procs int
}

// Of makes the run in one of the forms of the kernels: All, Counted or Recorded.
func (r Run) Of(t testing.TB, form []workload.Kernel) workload.Instance {
	t.Helper()
	k, err := workload.Find(form, r.Name)
	if err != nil {
		t.Fatal(err)
	}
	return Instance(t, k, r.Set, r.Procs)
}

// everyRun calls f for every kernel, size and number of processors.
func (ks Kernels) everyRun(t *testing.T, f func(t *testing.T, r Run)) {
	for _, k := range ks.All {
		if len(ks.Cases[k.Name].Sizes) == 0 {
			t.Errorf("no sizes to test %s at", k.Name)
		}
		for _, set := range ks.Cases[k.Name].Sizes {
			for _, procs := range ProcCounts {
				if testing.Short() && procs != 2 && procs != 5 && procs != 8 {
					continue // short tests are for the race detector
				}
				if k.Procs != nil && k.Procs(Complete(t, k, set), procs) != nil && !workload.PowerOfTwo(procs) {
					continue // powers of two every kernel must run on
				}
				t.Run(fmt.Sprintf("%s %v on %d", k.Name, set, procs), func(t *testing.T) {
					f(t, Run{k.Name, set, procs})
				})
			}
		}
	}
}

// Complete is set with the defaults.
func Complete(t testing.TB, k workload.Kernel, set workload.Values) workload.Values {
	t.Helper()
	v, err := k.Values(set)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Instance is an instance of a kernel with the seed of all tests.
func Instance(t testing.TB, k workload.Kernel, set workload.Values, procs int) workload.Instance {
	t.Helper()
	inst, err := k.New(Complete(t, k, set), procs, 7)
	if err != nil {
		t.Fatal(err)
	}
	return inst
}

// RunNatively runs all ranks of an instance at full speed.
func RunNatively(t testing.TB, inst workload.Instance, procs int) {
	t.Helper()
	if err := spmd.Native(context.Background(), procs, inst.Program); err != nil {
		t.Fatal(err)
	}
}
