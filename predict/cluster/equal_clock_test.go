package cluster

import (
	"math"
	"strings"
	"testing"

	"spoor/calibrate/machine"
	"spoor/calibrate/param"
	"spoor/predict/internal/model"
)

// All times of the machines are in cycles, so that E(Instr) is inversely proportional to the clock.
func TestEqualClock(t *testing.T) {
	run := lawRun(t, 1, 1.3, 90, 0.31)
	m := smpMachine(t)
	one, err := Paper{}.Predict(&Case{Runs: []*Run{run}, Machine: m, Processors: 1})
	many, err2 := Paper{}.Predict(&Case{Runs: []*Run{run}, Machine: m, Processors: m.Count()})
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	s := &Study{Runs: []*Run{run}, Models: []model.Model[*Case]{Paper{}}, Processors: []int{1}}
	all, err := s.EqualClocks([]*machine.Machine{m}, m)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	want := float64(m.Processor.Clock) * float64(one.EInstr/many.EInstr)
	if got := float64(all[0].Clock); math.Abs(got/want-1) > 1e-6 || m.Processor.Clock != 200e6 {
		t.Errorf("%g Hz, want %g", got, want)
	}
	slow := smpMachine(t, `"50 cycles"`, `"1 ms"`)
	if _, err := s.EqualClocks([]*machine.Machine{slow}, m); err == nil {
		t.Error("no clock makes a memory of 1 ms as fast")
	}
}

// Warnings of both predictions stand once beside the clock, also that a parameter is at its bound.
func TestEqualClockWarns(t *testing.T) {
	run := lawRun(t, 1, 1.3, 90, 0.31)
	bound := &param.Set{}
	for _, p := range run.Params.All() {
		p.Method = "least squares; beta is at its bound 1"
		if err := bound.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	run.Params = bound
	m := smpMachine(t)
	s := &Study{Runs: []*Run{run}, Models: []model.Model[*Case]{Paper{}}, Processors: []int{1}}
	all, err := s.EqualClocks([]*machine.Machine{m}, m)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	for _, once := range []string{"at its bound", "scaled from 1 processor to 8"} { // the second is of the other machine
		if got := warnings(all[0].prediction()); strings.Count(got, once) != 1 {
			t.Errorf("%q is not once in %q", once, got)
		}
	}
	if rows := EqualClockRemarks(all).Rows(); rows != len(all[0].Warnings) || rows < 2 {
		t.Errorf("%d remarks of %d warnings", rows, len(all[0].Warnings))
	}
}
