// Package outcome has the results of simulations of messages, and the errors of those that do not end.
package outcome

import (
	"spoor/predict/internal/engine/observe"
	"spoor/traces/unit"
)

// Rank is the time of a rank. Its Parts add up to Time.
type Rank struct {
	Time     unit.Picos // when it ended
	Parts    [observe.EndMessagePart]unit.Picos
	Messages uint64 // that it received
	Bytes    int64
	// Overlap is how long bytes of its messages arrived at the same time as those of others. A port of the bandwidth
	// 1/G would not allow that.
	Overlap unit.Picos
}

// Result is a simulated run.
type Result struct {
	Time        unit.Picos // until the last rank ended
	Ranks       []Rank
	Messages    uint64 // including those of collectives
	Bytes       int64
	Ops         uint64
	Reused      uint64      // requests that were opened again before they were waited for
	Open        uint64      // requests for which no operation waited
	Truncations Truncations // messages that were larger than their receives
	Engine      Stats       // how the result was computed
}

// EventsPerWindow returns the mean number of operations of a rank in a window of Whoa or Quantum [dickens1996, Tab.
// 3].
func (r *Result) EventsPerWindow() float64 {
	if r.Engine.Windows == 0 || len(r.Ranks) == 0 {
		return 0
	}
	return float64(r.Ops) / float64(r.Engine.Windows) / float64(len(r.Ranks))
}
