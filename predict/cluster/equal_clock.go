package cluster

import (
	"fmt"
	"math"
	"slices"

	"spoor/calibrate/machine"
	"spoor/predict/internal/model"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// EqualClock is the clock at which one machine has the time of another [du2000, sec. 6.1].
type EqualClock struct {
	Program, Model, Machine, Like string
	Processors                    int // of Machine
	Clock                         unit.Hertz
	EInstr                        unit.Seconds // at that clock
	Warnings                      []error      // of both predictions
}

// The range of clocks that [Study.EqualClocks] searches.
const (
	minEqualClock = 1e6
	maxEqualClock = 1e12
)

// EqualClocks searches, for each machine and model, the clock at which E(Instr) is that of all processors of the machine like. If
// the study has one number of processors, the machines run on so many, otherwise on all. What a machine counts in cycles takes
// as many cycles at every clock. What it counts in seconds does not change.
func (s *Study) EqualClocks(machines []*machine.Machine, like *machine.Machine) (all []EqualClock, err error) {
	for _, m := range machines {
		n := m.Count()
		if len(s.Processors) == 1 {
			n = s.Processors[0]
		}
		for _, v := range s.Models {
			want, err := s.at(v, like, like.Count(), like.Processor.Clock)
			if err != nil {
				return nil, fmt.Errorf("predicting %s with model %s: %w", like.Name, v.Name(), err)
			}
			e, err := s.equalClock(v, m, n, want.EInstr)
			if err != nil {
				return nil, fmt.Errorf("predicting %s with model %s: %w", m.Name, v.Name(), err)
			}
			e.Program, e.Model, e.Machine, e.Like, e.Processors = want.Program, v.Name(), m.Name, like.Name, n
			e.addWarnings(want.Warnings)
			all = append(all, e)
		}
	}
	return all, nil
}

// at predicts n processors of m at another clock.
func (s *Study) at(v model.Model[*Case], m *machine.Machine, n int, clock unit.Hertz) (model.Prediction, error) {
	runs, err := s.runsOn(m)
	if err != nil {
		return model.Prediction{}, err
	}
	other := *m
	other.Processor.Clock = clock
	return v.Predict(&Case{Runs: runs, Machine: &other, Processors: n})
}

// equalClock bisects the logarithm of the clock. A faster clock never takes longer.
func (s *Study) equalClock(v model.Model[*Case], m *machine.Machine, n int, want unit.Seconds) (e EqualClock, err error) {
	lo, hi := math.Log(minEqualClock), math.Log(maxEqualClock)
	for range 60 {
		middle := (lo + hi) / 2
		p, err := s.at(v, m, n, unit.Hertz(math.Exp(middle)))
		if err != nil {
			return e, err
		}
		e.Clock, e.EInstr, e.Warnings = unit.Hertz(math.Exp(middle)), p.EInstr, p.Warnings
		if p.EInstr > want {
			lo = middle
		} else {
			hi = middle
		}
	}
	if math.Abs(float64(e.EInstr/want-1)) > 1e-6 {
		return e, fmt.Errorf("no clock up to %v has the time of %v an instruction; what it counts in seconds takes longer", unit.Hertz(maxEqualClock), want)
	}
	return e, nil
}

// addWarnings adds those that e does not have.
func (e *EqualClock) addWarnings(more []error) {
	for _, w := range more {
		if !slices.ContainsFunc(e.Warnings, func(has error) bool { return has.Error() == w.Error() }) {
			e.Warnings = append(e.Warnings, w)
		}
	}
}

// prediction returns what tables and remarks of predictions need of e.
func (e EqualClock) prediction() model.Prediction {
	return model.Prediction{Program: e.Program, Machine: e.Machine, Processors: e.Processors, Model: e.Model, Warnings: e.Warnings}
}

// EqualClockRemarks lists the warnings, as [Remarks] does.
func EqualClockRemarks(all []EqualClock) *store.Table {
	var predictions []model.Prediction
	for _, e := range all {
		predictions = append(predictions, e.prediction())
	}
	return Remarks(predictions)
}

// EqualClockTable has a row for each machine and model.
func EqualClockTable(all []EqualClock) *store.Table {
	return &store.Table{Name: "equal_clock", Columns: []store.Column{
		store.ColumnOf(all, "program", "", func(e EqualClock) string { return e.Program }),
		store.ColumnOf(all, "machine", "", func(e EqualClock) string { return e.Machine }),
		store.ColumnOf(all, "processors", "", func(e EqualClock) int32 { return int32(e.Processors) }),
		store.ColumnOf(all, "like", "", func(e EqualClock) string { return e.Like }),
		store.ColumnOf(all, "model", "", func(e EqualClock) string { return e.Model }),
		store.ColumnOf(all, "clock", "MHz", func(e EqualClock) float64 { return float64(e.Clock) / 1e6 }),
		store.ColumnOf(all, "e_instr", "ns", func(e EqualClock) float64 { return 1e9 * float64(e.EInstr) }),
		store.ColumnOf(all, "warnings", "", func(e EqualClock) string { return warnings(e.prediction()) })}}
}
