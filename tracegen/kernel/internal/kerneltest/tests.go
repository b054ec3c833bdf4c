package kerneltest

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"spoor/tracegen/spmd"
)

// NativeRunsAreVerified is what the race detector should watch: recordings run one rank at a time.
func (ks Kernels) NativeRunsAreVerified(t *testing.T) {
	ks.everyRun(t, func(t *testing.T, r Run) {
		inst := r.Of(t, ks.All)
		RunNatively(t, inst, r.Procs)
		if err := inst.Verify(); err != nil {
			t.Error(err)
		}
	})
}

// AllFormsAgree tests that the results of the native, the counting and the recording form have the same bits, that the
// latter two count the same instructions, and that recordings hold what closed forms say.
func (ks Kernels) AllFormsAgree(t *testing.T) {
	ks.everyRun(t, func(t *testing.T, r Run) {
		if testing.Short() && r.Procs > 2 {
			t.Skip("records and counts every kernel")
		}
		native, count, full := r.Of(t, ks.All), r.Of(t, ks.Counted), r.Of(t, ks.Recorded)
		RunNatively(t, native, r.Procs)
		_, counts := RecordAs(t, count, spmd.Options{Procs: r.Procs, NoRefs: true})
		m, rec := Record(t, full, r.Procs)
		if err := full.Verify(); err != nil {
			t.Error("recorded:", err)
		}
		if a, b, c := native.Digest(), count.Digest(), full.Digest(); a != b || a != c {
			t.Errorf("native result %s, counted %s, recorded %s", a, b, c)
		}
		for p, total := range rec.Totals {
			if n := counts.Totals[p].Instr; n != total.Instr {
				t.Errorf("rank %d: counted %d instructions, recorded %d", p, n, total.Instr)
			}
		}
		checkCounts(t, native.Counts(), m, rec)
	})
}

// VerifyFindsOneWrongElement also tests that Verify refuses a program that has not run.
func (ks Kernels) VerifyFindsOneWrongElement(t *testing.T) {
	for _, k := range ks.All {
		set := ks.Cases[k.Name].Sizes[2]
		inst := Instance(t, k, set, 2)
		if inst.Verify() == nil {
			t.Errorf("%s: Verify accepts a program that has not run", k.Name)
		}
		RunNatively(t, inst, 2)
		ks.Cases[k.Name].Spoil(inst)
		if inst.Verify() == nil {
			t.Errorf("%s: Verify accepts a wrong result", k.Name)
		}
	}
}

// RecordingIsTheSameAtAnyGOMAXPROCS compares all references and events.
func (ks Kernels) RecordingIsTheSameAtAnyGOMAXPROCS(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, k := range ks.All {
		var first *Memory
		for _, n := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(n)
			m, _ := Record(t, Run{k.Name, ks.Cases[k.Name].Sizes[1], 4}.Of(t, ks.Recorded), 4)
			if first == nil {
				first = m
			}
			for p := range 4 {
				a, b := &first.RefsOf[p], &m.RefsOf[p]
				if !slices.Equal(a.Addr, b.Addr) || !slices.Equal(a.Instr, b.Instr) || !slices.Equal(a.Op, b.Op) || !slices.Equal(a.Size, b.Size) {
					t.Errorf("%s: references of rank %d differ at GOMAXPROCS=%d", k.Name, p, n)
				}
				if fmt.Sprint(first.EventsOf[p]) != fmt.Sprint(m.EventsOf[p]) {
					t.Errorf("%s: events of rank %d differ at GOMAXPROCS=%d", k.Name, p, n)
				}
			}
		}
	}
}
