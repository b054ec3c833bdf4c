package main

import (
	"strings"
	"testing"

	"spoor/traces/stage"
	"spoor/traces/trace"
)

// Rows of graphs may run in another order: check must not say that what differs agrees.
func TestCheckOfCollectivesInGraphs(t *testing.T) {
	workspace(t)
	collective := func(kinds ...trace.Kind) (rows []placed) {
		for _, k := range kinds {
			e := trace.NewEvent(k)
			e.Needs = []int64{}
			rows = append(rows, placed{0, &e, 0})
		}
		return rows
	}
	save(t, "swapped", [][]placed{collective(trace.Barrier, trace.Scan), collective(trace.Scan, trace.Barrier)})
	save(t, "other", [][]placed{collective(trace.Barrier, trace.Scan), collective(trace.Scan, trace.Scan)})
	status, out, errs := traces(nil, "check", "swapped")
	if status != stage.Done || !strings.Contains(out, "as many of each kind on all 2 members") || !strings.Contains(errs, "note: ") {
		t.Errorf("swapped: status %d: %s%s", status, out, errs)
	}
	status, out, errs = traces(nil, "check", "other")
	if want := "rank 0 collective #1 is barrier, rank 1 has scan"; status != stage.Failed || out != "" || !strings.Contains(errs, want) {
		t.Errorf("other: status %d: %s%s, want %s", status, out, errs, want)
	}
}
