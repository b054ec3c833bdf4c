package machine

import (
	"fmt"

	"spoor/traces/unit"
)

// Latency is a duration, given in clock periods or in seconds.
type Latency struct {
	cycles  unit.Cycles
	seconds unit.Seconds
}

// InCycles is a latency that scales with the clock.
func InCycles(c unit.Cycles) Latency { return Latency{cycles: c} }

// InSeconds is a latency that no clock changes.
func InSeconds(s unit.Seconds) Latency { return Latency{seconds: s} }

// At is the duration of l for a processor of frequency f.
func (l Latency) At(f unit.Hertz) unit.Seconds { return l.cycles.At(f) + l.seconds }

// Cycles is the duration of l in periods of f.
func (l Latency) Cycles(f unit.Hertz) unit.Cycles {
	return l.cycles + unit.Cycles(float64(l.seconds)*float64(f))
}

// String prints l in the unit it was given in.
func (l Latency) String() string {
	if l.seconds != 0 {
		return l.seconds.String()
	}
	return l.cycles.String()
}

// parseLatency reads "58 cycles" or "290 ns".
func parseLatency(text string) (Latency, error) {
	if c, err := unit.Parse(text, "cycles"); err == nil {
		return InCycles(unit.Cycles(c)), nil
	}
	s, err := unit.Parse(text, "s")
	if err != nil {
		return Latency{}, fmt.Errorf("%q is not a time such as %q or %q", text, "58 cycles", "290 ns")
	}
	return InSeconds(unit.Seconds(s)), nil
}
