package recorder

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strings"
	"testing"

	"spoor/tracegen/recorder/goprogram"
	"spoor/traces/trace"
)

// builtGo builds a Go program, or the tests of a package.
func builtGo(t *testing.T, name string, test bool) *goprogram.Program {
	t.Helper()
	for _, tool := range []string{"go", "gcc", "qemu-x86_64"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed")
		}
	}
	p, err := goprogram.Build(context.Background(), t.TempDir(), goprogram.Options{Package: name, Test: test, Err: os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// recordGo records a Go program, checks the trace, and performs its events in two orders.
func recordGo(t *testing.T, o Options) (*kept, *Recording) {
	t.Helper()
	o.Go = true
	var said bytes.Buffer
	o.Err = &said
	k, rec, out := record(t, o)
	if rec.Status != 0 {
		t.Fatalf("status %d: %s%s", rec.Status, out, said.String())
	}
	sound(t, k, rec)
	if _, stuck := inOrder(k, rec.Procs, trace.Signal); stuck > 0 {
		t.Errorf("%d processors cannot end", stuck)
	}
	if _, stuck := inOrder(backwards(k, rec.Procs), rec.Procs, trace.Signal); stuck > 0 {
		t.Errorf("%d processors cannot end if the last goes first", stuck)
	}
	return k, rec
}

// backwards renames the processors, so that the last has the lowest number.
func backwards(k *kept, procs int) *kept {
	b := &kept{events: map[trace.Proc][]trace.Event{}}
	for p, events := range k.events {
		b.events[trace.Proc(procs)-1-p] = events
	}
	return b
}

// TestGoroutines records each way in which goroutines wait, as in testdata/all.
func TestGoroutines(t *testing.T) {
	const workers, steps, many, loop = 4, 8, 2000, 1000
	program := builtGo(t, "./goprogram/testdata/all", false).Path
	t.Run("processors", func(t *testing.T) { onProcessors(t, program) })
	type events map[trace.Kind]int
	for _, c := range []struct {
		way         string
		procs       int
		first, last events // of the first and the last processor, but for Computes; nil if they depend on time
	}{
		{"unbuffered", 2, events{trace.Fork: 1, trace.Signal: 2*steps + 1, trace.WaitFlag: 2*steps + 1}, events{trace.Signal: 2*steps + 1, trace.WaitFlag: 2*steps + 1}},
		{"buffered", 1 + workers, nil, nil},
		{"select", 2, nil, nil},
		{"close", 2 + workers, nil, nil},
		{"mutex", 1 + workers, events{trace.Fork: workers, trace.WaitFlag: 1}, events{trace.Lock: steps + 1, trace.Unlock: steps + 1, trace.Signal: 1}},
		{"handed", 2, nil, nil},
		{"inside", 3, nil, nil},
		{"rwmutex", 1 + workers, nil, nil},
		{"once", 1 + workers, nil, nil},
		{"cond", 3, nil, nil},
		{"timer", 1, nil, nil},
		{"iter", 2, nil, nil},
		{"panic", 1, nil, nil},
		{"many", 1 + many, events{trace.Fork: many, trace.Signal: 2, trace.WaitFlag: 2}, events{trace.Signal: 2, trace.WaitFlag: 2}},
		{"pool", 1 + workers, events{trace.Fork: workers, trace.WaitFlag: 1}, nil}, // the first that comes locks a mutex of all pools
		{"gc", 1 + workers, nil, nil},
	} {
		t.Run(c.way, func(t *testing.T) {
			k, rec := recordGo(t, Options{Args: []string{program, c.way}})
			if rec.Procs != c.procs {
				t.Errorf("%d processors, not %d", rec.Procs, c.procs)
			}
			if c.way == "panic" && rec.Instructions < 2*loop {
				t.Errorf("%d instructions, and a loop after the panics has %d", rec.Instructions, 2*loop)
			}
			compareKinds(t, k, 0, c.first)
			compareKinds(t, k, trace.Proc(c.procs-1), c.last)
		})
	}
}

func compareKinds(t *testing.T, k *kept, p trace.Proc, want map[trace.Kind]int) {
	t.Helper()
	have := map[trace.Kind]int{}
	for _, e := range k.events[p] {
		if e.Kind != trace.Compute && (p > 0 || e.Refs > 0) { // before its first reference, main initializes packages
			have[e.Kind]++
		}
	}
	if want != nil && !maps.Equal(have, want) {
		t.Errorf("processor %d has %v, not %v", p, have, want)
	}
}

// onProcessors runs goroutines on a few processors. No processor waits while it holds a lock.
func onProcessors(t *testing.T, program string) {
	for _, way := range []string{"buffered", "mutex", "handed", "inside", "many"} {
		k, rec := recordGo(t, Options{Args: []string{program, way}, Procs: 3})
		if rec.Procs < 2 || rec.Procs > 3 {
			t.Errorf("%s: %d processors", way, rec.Procs)
		}
		for p, rows := range k.events {
			held := 0
			for i, e := range rows {
				switch e.Kind {
				case trace.Lock:
					held++
				case trace.Unlock:
					held--
				case trace.WaitFlag:
					if held > 0 {
						t.Errorf("%s: processor %d waits at event %d with %d locks", way, p, i, held)
					}
				}
			}
		}
	}
}

// TestStandardLibrary records packages of the standard library by their tests.
func TestStandardLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library")
	}
	for _, name := range []string{"container/list", "container/heap"} {
		p := builtGo(t, name, true)
		_, rec := recordGo(t, Options{Args: []string{p.Path}, Dir: p.Dir})
		if rec.Procs < 3 {
			t.Errorf("%s: %d processors", name, rec.Procs)
		}
	}
}

// TestMarksOfGoroutines: marks that do not fit are damage, and not a panic.
func TestMarksOfGoroutines(t *testing.T) {
	s := newStream(nil, Options{Progress: func(int) {}})
	s.goes = newGoroutines(0)
	for kind := uint64(0); kind < 100; kind++ {
		for _, phase := range []uint64{only, begin, leave} {
			m := mark{kind, 1 << 40, phase, 7}
			if err := s.goes.mark(s, nil, m); err != nil && !strings.HasPrefix(err.Error(), errDamaged.Error()) {
				t.Errorf("%s: %v", fmt.Sprint(m), err)
			}
		}
	}
}
