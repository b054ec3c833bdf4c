package recorder

import (
	"testing"

	"spoor/traces/trace"
)

func TestThreadsOfC11(t *testing.T) {
	const threads, steps = 3, 5
	k, rec, out := record(t, Options{Args: []string{built(t, "c11.c")}})
	sound(t, k, rec)
	if rec.Procs != threads+1 || rec.Status != 0 || len(logged(out, "t")) != threads*steps {
		t.Errorf("%d processors, status %d, output %q", rec.Procs, rec.Status, out)
	}
	if have := counts(k, 0); have[trace.Fork] != threads || have[trace.Join] != threads || have[trace.Lock] != 1 {
		t.Errorf("main has the events %v", have)
	}
	order, stuck := inOrder(k, rec.Procs, trace.Lock)
	if stuck > 0 {
		t.Errorf("%d processors cannot end", stuck)
	}
	for _, of := range order {
		if len(of) < threads*steps+1 {
			t.Errorf("the mutex is taken %d times", len(of))
		}
	}
}
