// Package sensitivity finds how the time of a run depends on the costs of its machine. It runs the program again on machines
// with one cost changed, so that it holds for every simulator, with contention.
//
// LLAMP [shen2024] finds the same for LogGPS without contention by linear programming.
package sensitivity

import (
	"context"
	"errors"
	"math"

	"spoor/calibrate/machine"
	"spoor/traces/unit"
)

// The changes that are reported.
const (
	Larger    = 1.1  // a cost is so many times as large
	Slower    = 1.05 // the run takes so many times as long
	mostTimes = 1000 // the cost is at most so many times as large
	precision = 1e-3 // of the factor of a cost
)

// Sensitivity is how the time of a run depends on a cost.
type Sensitivity struct {
	machine.Cost
	Time   float64 // relative change of the time if the cost is Larger
	Factor float64 // of the cost at which the time is Slower; +Inf: it is not, up to mostTimes
	At     string  // the cost there, "" if Factor is infinite
	Limit  error   // why the cost could not grow up to mostTimes, or nil
}

// Run simulates the program on a machine.
type Run func(*machine.Machine) (unit.Picos, error)

// Of returns how the time of a run on m depends on a cost. The run takes the time begin on m itself.
func Of(m *machine.Machine, c machine.Cost, begin unit.Picos, run Run) (Sensitivity, error) {
	times := func(factor float64) (float64, error) {
		changed, _ := c.Times(m, factor)
		t, err := run(changed)
		return float64(t) / float64(begin), err
	}
	s := Sensitivity{Cost: c, Factor: math.Inf(1)}
	larger, err := times(Larger)
	if err != nil {
		return s, err
	}
	s.Time = larger - 1
	if s.Factor, err = reach(larger, times); err != nil && !errors.Is(err, context.Canceled) {
		s.Factor, s.Limit, err = math.Inf(1), err, nil // no machine can have this cost
	}
	if err == nil && !math.IsInf(s.Factor, 1) {
		_, s.At = c.Times(m, s.Factor)
	}
	return s, err
}

// span has two factors of a cost and the times of the runs there.
type span struct{ low, atLow, high, atHigh float64 }

// reach returns the least factor at which the time is Slower, given the time at Larger.
func reach(larger float64, times func(float64) (float64, error)) (factor float64, err error) {
	if larger == 1 { // most costs without an effect have none at all
		if most, err := times(mostTimes); err != nil || most < Slower {
			return math.Inf(1), err
		}
	}
	s := span{1, 1, Larger, larger}
	for s.atHigh < Slower {
		if s.high == mostTimes {
			return math.Inf(1), nil
		}
		if err := s.advance(times); err != nil {
			return 0, err
		}
	}
	return s.narrow(times)
}

// advance moves the span to larger factors, not much beyond the place where the line through it is Slower.
func (s *span) advance(times func(float64) (float64, error)) (err error) {
	next := s.high * 4
	if slope := (s.atHigh - s.atLow) / (s.high - s.low); slope > 0 {
		next = min(next, s.high+1.1*(Slower-s.atHigh)/slope)
	}
	s.low, s.atLow, s.high = s.high, s.atHigh, min(max(next, s.high*1.01), mostTimes)
	s.atHigh, err = times(s.high)
	return err
}

// narrow returns the factor in a span whose ends are on both sides of Slower. The time is nearly a line between them: its crossing
// is tried, and every other time the middle.
func (s *span) narrow(times func(float64) (float64, error)) (float64, error) {
	for i := 0; s.high-s.low > precision*s.high; i++ {
		edge := (s.high - s.low) / 64
		middle := s.low + (s.high-s.low)*(Slower-s.atLow)/(s.atHigh-s.atLow)
		if middle = min(max(middle, s.low+edge), s.high-edge); i%2 == 1 {
			middle = (s.low + s.high) / 2
		}
		at, err := times(middle)
		if err != nil {
			return 0, err
		}
		if at < Slower {
			s.low, s.atLow = middle, at
		} else {
			s.high, s.atHigh = middle, at
		}
	}
	return s.high, nil
}
