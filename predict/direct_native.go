package main

import (
	"context"
	"fmt"
	"slices"

	"spoor/traces/store"
	"spoor/traces/unit"
)

// nativeRuns runs p at full speed --repeat times, after one run that does not count, because the first run of a process is slower.
func (o *directOptions) nativeRuns(ctx context.Context, p directProgram) (native []hostRun, err error) {
	for i := range o.repeat + 1 {
		run, err := p.native(ctx)
		if err != nil {
			return nil, fmt.Errorf("running %s: %w", p.header().Title(), err)
		}
		if i > 0 {
			native = append(native, run)
		}
	}
	return native, nil
}

// hostRuns is the times of several runs on this host, in seconds.
type hostRuns []float64

// median returns the median, of an even number the upper one.
func (h hostRuns) median() float64 {
	sorted := slices.Sorted(slices.Values(h))
	return sorted[len(sorted)/2]
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
