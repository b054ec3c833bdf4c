package main

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"spoor/traces/trace"
)

// TestRunFastLeavesOutSleep: time in which a rank sleeps is no computation, also if it is short.
func TestRunFastLeavesOutSleep(t *testing.T) {
	root, _ := os.Getwd()
	withMPI(t, nil, func(t *testing.T, m mpi) {
		t.Chdir(t.TempDir())
		m.build(t, "mpi_sleeps.c", root)
		status, out, errs := m.run(t, 1, "--fast", "-o", "x", "--", "./program")
		used, err := strconv.ParseInt(strings.TrimSpace(out), 10, 64)
		if status != 0 || err != nil {
			t.Fatalf("status %d, %q: %s", status, out, errs)
		}
		work := int64(0)
		for b, err := range soundTrace(t, "x").Events() {
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range b.Rows {
				if e.Kind == trace.Compute {
					work += e.Work
				}
			}
		}
		// Without the cost of the recorder itself, which is in what the program measures. Sleeps are 120 ms in all.
		if work/1000 > used+20e6 || work == 0 {
			t.Errorf("%d ns of computation, and the program used %d", work/1000, used)
		}
	})
}
