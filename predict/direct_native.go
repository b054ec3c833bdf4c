package main

import (
	"slices"

	"spoor/traces/store"
	"spoor/traces/unit"
)

// hostRuns is how long this host took for each of several runs, in seconds.
type hostRuns []float64

// median is the one in the middle, of two the higher one.
func (h hostRuns) median() float64 {
	sorted := slices.Sorted(slices.Values(h))
	return sorted[len(sorted)/2]
}

// addNative compares the simulations with runs at full speed.
func addNative(t *store.Table, times []unit.Picos, simulated []hostRuns, native hostRuns) {
	var measured, errors, host, slowdown []float64
	for i, time := range times {
		n, s := native.median(), simulated[i].median()
		measured, host = append(measured, n), append(host, s)
		errors = append(errors, (float64(time.Seconds())-n)/n)
		slowdown = append(slowdown, s/n)
	}
	t.Columns = append(t.Columns, store.Column{Name: "native", Unit: "s", Data: measured}, store.Column{Name: "error", Data: errors},
		store.Column{Name: "simulated_in", Unit: "s", Data: host}, store.Column{Name: "slowdown", Data: slowdown})
}
