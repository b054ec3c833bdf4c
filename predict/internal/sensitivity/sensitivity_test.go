package sensitivity

import (
	"context"
	"errors"
	"math"
	"testing"

	"spoor/calibrate/machine"
	"spoor/traces/unit"
)

// latency is network.L of loggp-example, 2 us.
func latency(t *testing.T) (*machine.Machine, machine.Cost) {
	t.Helper()
	m, err := machine.Read("../../../data/machine/loggp-example.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range m.Costs() {
		if c.Key == "network.L" {
			return m, c
		}
	}
	t.Fatal("network.L is no cost")
	return nil, machine.Cost{}
}

// The time is a function of the cost's factor; the factor at which it is 5 % more is known.
func TestOf(t *testing.T) {
	m, c := latency(t)
	for _, test := range []struct {
		name   string
		time   func(f float64) float64
		larger float64
		factor float64
		runs   int
	}{
		{"a line", func(f float64) float64 { return 0.8 + 0.2*f }, 0.02, 1.25, 12},
		{"steep", func(f float64) float64 { return f }, 0.1, 1.05, 12},
		{"two lines", func(f float64) float64 { return math.Max(1, 0.3*f) }, 0, 3.5, 24},
		{"a curve", func(f float64) float64 { return 0.999 + 0.001*f*f }, 0.00021, math.Sqrt(51), 24},
		{"steps", func(f float64) float64 { return 1 + 0.01*math.Floor(f/7) }, 0, 35, 30},
		{"no effect", func(float64) float64 { return 1 }, 0, math.Inf(1), 2},
		{"too little", func(f float64) float64 { return 1 + 0.00001*(f-1) }, 0.000001, math.Inf(1), 12},
	} {
		runs := 0
		got, err := Of(m, c, 1e12, func(m *machine.Machine) (unit.Picos, error) {
			runs++
			return unit.Picos(1e12 * test.time(float64(m.Network.Latency.Value)/2e-6)), nil
		})
		if err != nil || math.Abs(got.Time-test.larger) > 1e-6+1e-5*test.larger || runs > test.runs {
			t.Errorf("%s: %+v after %d runs, %v; want %v", test.name, got, runs, err, test.larger)
		}
		if math.IsInf(test.factor, 1) != math.IsInf(got.Factor, 1) || got.Factor < test.factor*(1-1e-9) || got.Factor > test.factor*(1+2*precision) {
			t.Errorf("%s: 5 %% slower at %v times, not %v (%d runs)", test.name, got.Factor, test.factor, runs)
		}
	}
	if m.Network.Latency.Value != 2e-6 {
		t.Error("the machine has changed")
	}
}

// TestOfAtALimit: a cost that no machine can have ends the search. An interrupt is an error, and so is one at 10 % more.
func TestOfAtALimit(t *testing.T) {
	m, c := latency(t)
	broken := errors.New("broken")
	for fails := range 4 {
		for _, why := range []error{broken, context.Canceled} {
			runs := 0
			s, err := Of(m, c, 1e12, func(m *machine.Machine) (unit.Picos, error) {
				if runs++; runs > fails {
					return 0, why
				}
				return unit.Picos(1e12 * (0.99 + 0.01*float64(m.Network.Latency.Value)/2e-6)), nil
			})
			if isError := fails == 0 || why == context.Canceled; isError != errors.Is(err, why) || isError == errors.Is(s.Limit, why) {
				t.Errorf("%v after %d runs: %+v, %v", why, fails, s, err)
			}
		}
	}
}
