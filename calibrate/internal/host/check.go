package host

import (
	"fmt"
	"slices"
	"strings"

	"spoor/traces/unit"
)

// MaxStolen is the default largest share of time that may be stolen from a measured host.
const MaxStolen = 0.2

const (
	watchTime = unit.Seconds(0.3)
	sentinels = 200 // number for the histogram of a check
)

// Condition is the condition of a host before a measurement.
type Condition struct {
	Watched, Stolen unit.Seconds
	Sentinels       []unit.Seconds // answered ones, sorted
	Asked           int
}

// Check measures the condition of a host.
func Check(h Host) Condition {
	c := Condition{Asked: sentinels}
	c.Watched, c.Stolen = h.Watch(watchTime)
	for range sentinels {
		if s := h.Sentinel(); s > 0 {
			c.Sentinels = append(c.Sentinels, s)
		}
	}
	slices.Sort(c.Sentinels)
	return c
}

// Share returns the share of time that is stolen.
func (c Condition) Share() float64 { return float64(c.Stolen / c.Watched) }

// Refuse returns an error if more than most of the time is stolen.
func (c Condition) Refuse(most float64) error {
	if c.Share() <= most {
		return nil
	}
	return &TooNoisyError{fmt.Sprintf("%.0f %% of %v was stolen by other work, more than %.0f %%; wait until the host is idle",
		100*c.Share(), c.Watched, 100*most)}
}

// String returns the condition in a line, with quantiles of the round trips.
func (c Condition) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%.1f %% of %v stolen; ", 100*c.Share(), c.Watched)
	if len(c.Sentinels) == 0 {
		b.WriteString("no other processor answers, so states cannot be distinguished")
		return b.String()
	}
	at := func(share float64) unit.Seconds { return c.Sentinels[int(share*float64(len(c.Sentinels)-1))] }
	fmt.Fprintf(&b, "round trips of a byte %v, %v, %v, %v, %v (least, quartiles, most), %d of %d answered", at(0), at(0.25), at(0.5), at(0.75), at(1), len(c.Sentinels), c.Asked)
	return b.String()
}
