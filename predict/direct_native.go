package main

import (
	"slices"

	"spoor/traces/store"
	"spoor/traces/unit"
)

// hostRuns is the times of several runs on this host, in seconds.
type hostRuns []float64

// median returns the median, of an even number the upper one.
func (h hostRuns) median() float64 {
	sorted := slices.Sorted(slices.Values(h))
	return sorted[len(sorted)/2]
}

// hostRun is one run of a program at full speed.
type hostRun struct {
	seconds  float64
	computed float64 // mean over ranks of the seconds outside of operations
}

// addNative compares the simulations with runs at full speed.
func addNative(t *store.Table, times []unit.Picos, simulated []hostRuns, native []hostRun) {
	var all, computing hostRuns
	for _, run := range native {
		all, computing = append(all, run.seconds), append(computing, run.computed)
	}
	n := all.median()
	var errors, host, slowdown []float64
	for i, time := range times {
		s := simulated[i].median()
		host, errors, slowdown = append(host, s), append(errors, (float64(time.Seconds())-n)/n), append(slowdown, s/n)
	}
	t.Columns = append(t.Columns, store.Column{Name: "native", Unit: "s", Data: slices.Repeat([]float64{n}, len(times))},
		store.Column{Name: "native_compute", Unit: "s", Data: slices.Repeat([]float64{computing.median()}, len(times))},
		store.Column{Name: "error", Unit: "1", Data: errors}, store.Column{Name: "simulated_in", Unit: "s", Data: host},
		store.Column{Name: "slowdown", Data: slowdown})
}
