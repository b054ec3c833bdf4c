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

// inCycles returns a latency that scales with the clock.
func inCycles(c unit.Cycles) Latency { return Latency{cycles: c} }

// InSeconds returns a latency that does not depend on the clock.
func InSeconds(s unit.Seconds) Latency { return Latency{seconds: s} }

// at returns the duration of l for a processor of frequency f.
func (l Latency) at(f unit.Hertz) unit.Seconds { return l.cycles.At(f) + l.seconds }

// Cycles returns the duration of l in clock periods of frequency f.
func (l Latency) Cycles(f unit.Hertz) unit.Cycles {
	return l.cycles + unit.Cycles(float64(l.seconds)*float64(f))
}

// Times returns l multiplied by f.
func (l Latency) Times(f float64) Latency {
	return Latency{l.cycles * unit.Cycles(f), l.seconds * unit.Seconds(f)}
}

// String returns l in the unit it was given in.
func (l Latency) String() string {
	if l.seconds != 0 {
		return l.seconds.String()
	}
	return l.cycles.String()
}

// parseLatency parses a latency such as "58 cycles" or "290 ns".
func parseLatency(text string) (Latency, error) {
	if c, err := unit.Parse(text, "cycles"); err == nil {
		return inCycles(unit.Cycles(c)), nil
	}
	s, err := unit.Parse(text, "s")
	if err != nil {
		return Latency{}, fmt.Errorf("%q is not a time such as %q or %q", text, "58 cycles", "290 ns")
	}
	return InSeconds(unit.Seconds(s)), nil
}
