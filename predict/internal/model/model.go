// Package model defines the prediction that all models return. A prediction explains itself: it contains
//
//   - its terms in the symbols of the paper,
//   - what limits the time,
//   - an interval with a description of what the interval covers, and
//   - warnings, if something makes it doubtful.
package model

import (
	"errors"
	"fmt"
	"math"

	"spoor/traces/unit"
)

// A Model predicts from inputs of type In. It has no state: the same input gives the same prediction.
type Model[In any] interface {
	// Name returns the name of the model in commands and tables.
	Name() string
	// Paper returns the key of the paper that describes the model.
	Paper() string
	// Predict returns an error if the input lacks data that the model needs.
	Predict(in In) (Prediction, error)
}

// Prediction is the predicted E(Instr) of one program on one machine: the time of the run over the
// instructions of all processors [du2000, eq. 3.4]. The zero Prediction is invalid: see Check.
type Prediction struct {
	Program     string
	Trace       string // SHA-256 of the analyzed trace
	Machine     string
	MachineSHA  string // digest of the description; see [machine.Machine.Digest]
	Target      string // kind of machine: smp, cow or clump
	Processors  int
	Model       string
	EInstr      unit.Seconds
	Interval    Interval    // range over the inputs that the model varies
	ModelMargin ModelMargin // the model's own error, measured with simulations
	Untested    string      // why that error does not apply here; "" if it does
	Bounds      Bounds      // what the time cannot leave, whatever the errors
	Split       Split
	Terms       []Term
	Limit       string // what limits the time: the largest part of Split, or a saturated resource
	// Utilization is the share of the time in which the bus is held.
	Utilization float64
	Warnings    []error // what makes the result doubtful
}

// Interval is the range of E(Instr) for the uncertainties in Covers. The zero Interval is unknown.
type Interval struct {
	Lo, Hi unit.Seconds
	Covers string // what varies between Lo and Hi
}

// Bounds are times that hold for every run of the program on the machine, whatever the errors of the model.
// The zero Bounds are unknown.
type Bounds struct {
	Least unit.Seconds // of the instructions without any miss, and of what was counted of shared parts
	Most  unit.Seconds // if everything happens in sequence
}

// known reports whether the bounds are known.
func (b Bounds) known() bool { return b.Most > 0 }

// Clamp moves the ends of an interval into the bounds, if these are known.
func (b Bounds) Clamp(i Interval) Interval {
	if b.known() && i.Known() {
		i.Lo, i.Hi = max(i.Lo, b.Least), min(i.Hi, b.Most)
	}
	return i
}

// Known reports whether the interval is known.
func (i Interval) Known() bool { return i.Covers != "" }

// ModelMargin is the model's own error: how far simulations of other programs were below and above the
// intervals of the model, as shares of the ends of the interval. The zero ModelMargin is unknown.
type ModelMargin struct {
	Below, Above float64
	Covers       string // the simulations behind it
}

// Known reports whether the margin is known.
func (b ModelMargin) Known() bool { return b.Covers != "" }

// FullInterval returns p.Interval widened by p.ModelMargin, within p.Bounds. Without an interval it widens the value. It is
// unknown if the model's error does not apply, because the interval of the inputs is then only a part of the
// error.
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
	return p.Bounds.Clamp(Interval{Lo: i.Lo * unit.Seconds(1-p.ModelMargin.Below), Hi: i.Hi * unit.Seconds(1+p.ModelMargin.Above), Covers: covers})
}

// Split divides E(Instr) by cause. The parts add up to E(Instr).
type Split struct {
	Ideal      unit.Seconds // instructions and cache latency, if every reference hits
	Latency    unit.Seconds // of memory and disks without contention
	Contention unit.Seconds // waiting for memory and disks
	Sync       unit.Seconds // waiting for the slowest processor
}

// Total returns the sum of the parts.
func (s Split) Total() unit.Seconds { return s.Ideal + s.Latency + s.Contention + s.Sync }

// Largest returns the name of the largest part, or the first of equal parts.
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

// Term is one quantity in the formula of a model.
type Term struct {
	Symbol string // symbol in the paper
	Value  float64
	Unit   string
	What   string
}

// Check returns an error if p is invalid: a name is missing, the time is not positive and finite, the parts do
// not add up, or the interval does not contain the value.
func (p Prediction) Check() error {
	switch {
	case p.Model == "" || p.Machine == "" || p.Processors < 1:
		return errors.New("the prediction is empty")
	case !(p.EInstr > 0) || math.IsInf(float64(p.EInstr), 0):
		return fmt.Errorf("E(Instr) is %v, not a positive time", p.EInstr)
	case !close(p.Split.Total(), p.EInstr):
		return fmt.Errorf("the parts of E(Instr) add up to %v, not %v", p.Split.Total(), p.EInstr)
	case min(p.Split.Ideal, p.Split.Latency, p.Split.Contention, p.Split.Sync) < 0:
		return fmt.Errorf("a part of E(Instr) is negative: %+v", p.Split)
	case p.Interval.Known() && !(p.Interval.Lo <= p.EInstr && p.EInstr <= p.Interval.Hi):
		return fmt.Errorf("E(Instr) of %v is outside its interval from %v to %v", p.EInstr, p.Interval.Lo, p.Interval.Hi)
	case p.ModelMargin.Known() && !(p.ModelMargin.Below >= 0 && p.ModelMargin.Below < 1 && p.ModelMargin.Above >= 0 && !math.IsInf(p.ModelMargin.Above, 0)):
		return fmt.Errorf("the model's error is %v below and %v above the interval, which is out of range", p.ModelMargin.Below, p.ModelMargin.Above)
	case p.ModelMargin.Known() && p.Untested != "":
		return fmt.Errorf("the model's error is %v below and %v above the interval, but does not apply: %s", p.ModelMargin.Below, p.ModelMargin.Above, p.Untested)
	case p.Bounds.known() && !(p.Bounds.Least <= p.EInstr && p.EInstr <= p.Bounds.Most):
		return fmt.Errorf("E(Instr) of %v is outside its bounds, %v to %v", p.EInstr, p.Bounds.Least, p.Bounds.Most)
	case p.Limit == "":
		return errors.New("the prediction has no limit")
	case !(p.Utilization >= 0 && p.Utilization <= 1):
		return fmt.Errorf("the utilization is %v, not from 0 to 1", p.Utilization)
	}
	return nil
}

// close compares with a tolerance for rounding.
func close(a, b unit.Seconds) bool {
	return math.Abs(float64(a-b)) <= 1e-9*math.Abs(float64(b))
}
