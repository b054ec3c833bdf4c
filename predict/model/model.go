// Package model is what all models share: a prediction that explains itself.
//
// A prediction names its terms in the symbols of its paper, says which of them
// binds, how far off it may be and what that interval covers, and carries the
// warnings that speak against believing it.
package model

import (
	"errors"
	"fmt"
	"math"

	"spoor/traces/unit"
)

// A Model predicts from inputs of type In. It is stateless: the same input gives
// the same prediction.
type Model[In any] interface {
	// Name is what commands and tables call the model.
	Name() string
	// Paper is the key of the paper that the model is from.
	Paper() string
	// Predict is an error if the input lacks what the model needs.
	Predict(in In) (Prediction, error)
}

// Prediction is the predicted E(Instr) of one program on one machine: the time of
// the run over the instructions of all processors [du2000, eq. 3.4]. The zero
// Prediction is none: see Check.
type Prediction struct {
	Program     string
	Trace       string // identifies the trace that was measured
	Machine     string
	Target      string // kind of machine: smp, cow, clump
	Processors  int
	Model       string
	EInstr      unit.Seconds
	Interval    Interval    // by what the model itself varies
	ModelMargin ModelMargin // how far simulations were outside of such intervals
	Untested    string      // why simulations of other programs say nothing of how far off this is; "" if they do
	Split       Split
	Terms       []Term
	Limit       string // what binds: the largest part of the split, or a saturated resource
	// Utilization is the share of the time for which the bus is held.
	Utilization float64
	Warnings    []error // what makes the result doubtful
}

// Interval is where E(Instr) may lie as far as Covers reaches. The zero Interval
// is unknown.
type Interval struct {
	Lo, Hi unit.Seconds
	Covers string // what is varied between Lo and Hi
}

// Known reports whether i says anything.
func (i Interval) Known() bool { return i.Covers != "" }

// ModelMargin is how far below and above the intervals of a model the simulations of other programs were, as shares of the ends of
// the interval: the model's own error. The zero ModelMargin is unknown.
type ModelMargin struct {
	Below, Above float64
	Covers       string // which simulations
}

// Known reports whether b says anything.
func (b ModelMargin) Known() bool { return b.Covers != "" }

// FullInterval is where E(Instr) may lie with the model's own error: what the model varies, or where that is not known the value
// alone, widened by p.ModelMargin. It is unknown where that was not tested: what the model varies is only a part of it.
func (p Prediction) FullInterval() Interval {
	i := p.Interval
	if p.Untested != "" {
		return Interval{}
	}
	if !p.ModelMargin.Known() {
		return i
	}
	if !i.Known() {
		i = Interval{Lo: p.EInstr, Hi: p.EInstr}
	}
	covers := p.ModelMargin.Covers
	if i.Covers != "" {
		covers = i.Covers + "; and " + covers
	}
	return Interval{Lo: i.Lo * unit.Seconds(1-p.ModelMargin.Below), Hi: i.Hi * unit.Seconds(1+p.ModelMargin.Above), Covers: covers}
}

// Split is E(Instr) by cause. The parts add up to it.
type Split struct {
	Ideal      unit.Seconds // instructions and cache latency, if every reference hit
	Latency    unit.Seconds // of memory and disks, if nobody else used them
	Contention unit.Seconds // waiting for them
	Sync       unit.Seconds // waiting for the slowest processor
}

// Total is the sum of the parts.
func (s Split) Total() unit.Seconds { return s.Ideal + s.Latency + s.Contention + s.Sync }

// Largest is the name of the largest part, the first of equals.
func (s Split) Largest() string {
	name, most := "ideal", s.Ideal
	for _, part := range []struct {
		name string
		time unit.Seconds
	}{{"latency", s.Latency}, {"contention", s.Contention}, {"sync", s.Sync}} {
		if part.time > most {
			name, most = part.name, part.time
		}
	}
	return name
}

// Term is one quantity of the model's formula.
type Term struct {
	Symbol string // as the paper writes it
	Value  float64
	Unit   string
	What   string
}

// Check says why p is no answer: a missing name, a time that is not positive and
// finite, parts that do not add up, or an interval that does not hold the value.
func (p Prediction) Check() error {
	switch {
	case p.Model == "" || p.Machine == "" || p.Processors < 1:
		return errors.New("an empty prediction")
	case !(p.EInstr > 0) || math.IsInf(float64(p.EInstr), 0):
		return fmt.Errorf("E(Instr) of %v is no time", p.EInstr)
	case !close(p.Split.Total(), p.EInstr):
		return fmt.Errorf("the parts of E(Instr) add up to %v, not to %v", p.Split.Total(), p.EInstr)
	case min(p.Split.Ideal, p.Split.Latency, p.Split.Contention, p.Split.Sync) < 0:
		return fmt.Errorf("a part of E(Instr) is negative: %+v", p.Split)
	case p.Interval.Known() && !(p.Interval.Lo <= p.EInstr && p.EInstr <= p.Interval.Hi):
		return fmt.Errorf("E(Instr) of %v is outside its interval from %v to %v", p.EInstr, p.Interval.Lo, p.Interval.Hi)
	case p.ModelMargin.Known() && !(p.ModelMargin.Below >= 0 && p.ModelMargin.Below < 1 && p.ModelMargin.Above >= 0 && !math.IsInf(p.ModelMargin.Above, 0)):
		return fmt.Errorf("simulations of %v below and %v above the interval", p.ModelMargin.Below, p.ModelMargin.Above)
	case p.ModelMargin.Known() && p.Untested != "":
		return fmt.Errorf("simulations of other programs %v below and %v above the interval of a prediction that none tests: %s", p.ModelMargin.Below, p.ModelMargin.Above, p.Untested)
	case p.Limit == "":
		return errors.New("a prediction that does not say what binds")
	case !(p.Utilization >= 0 && p.Utilization <= 1):
		return fmt.Errorf("a utilization of %v", p.Utilization)
	}
	return nil
}

// close allows for rounding.
func close(a, b unit.Seconds) bool {
	return math.Abs(float64(a-b)) <= 1e-9*math.Abs(float64(b))
}
