package store

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"spoor/traces/trace"
)

// manyProcessors writes a trace whose processors have few events, and some of them many. The unfinished batches are submitted often.
func manyProcessors(t *testing.T, seed uint64) (prefix string, want *trace.Memory) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	h := header(200 + rng.IntN(400))
	want = &trace.Memory{Head: h}
	for p := range h.Procs {
		n := rng.IntN(9)
		if rng.IntN(100) == 0 {
			n = joinedRows/2 + rng.IntN(joinedRows)
		}
		want.RefsOf = append(want.RefsOf, trace.Refs{Proc: trace.Proc(p)})
		want.EventsOf = append(want.EventsOf, trace.Events{Proc: trace.Proc(p), Rows: randomEvents(rng, h, 0, n)})
	}
	prefix = filepath.Join(t.TempDir(), "x")
	w, err := Create(prefix, h)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	w.events.most = 1000 + rng.IntN(100_000)
	at := make([]int, h.Procs)
	for range 40 {
		for p := range h.Procs {
			rows := want.EventsOf[p].Rows[at[p]:]
			n := min(len(rows), rng.IntN(2000))
			if err := w.Events(&trace.Events{Proc: trace.Proc(p), Rows: rows[:n]}); err != nil {
				t.Fatal(err)
			}
			at[p] += n
		}
	}
	for p := range h.Procs {
		if err := w.Events(&trace.Events{Proc: trace.Proc(p), Rows: want.EventsOf[p].Rows[at[p]:]}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(h); err != nil {
		t.Fatal(err)
	}
	return prefix, want
}

// Processors are read alone, one after the other, in any order and side by side.
func TestManyProcessors(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			prefix, want := manyProcessors(t, seed)
			src, err := Open(prefix)
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			if got, err := load(src); err != nil || !reflect.DeepEqual(got.EventsOf, want.EventsOf) {
				t.Fatal("all processors: other events", err)
			}
			if n := len(src.events.blocks); n > want.Head.Procs {
				t.Errorf("%d batches for %d processors", n, want.Head.Procs)
			}
			checkSideBySide(t, src, want)
			var order []trace.Proc
			for _, p := range rand.New(rand.NewPCG(seed, 2)).Perm(want.Head.Procs) {
				order = append(order, trace.Proc(p), trace.Proc(p)) // each twice
			}
			var got []trace.Event
			for b, err := range src.Events(order...) {
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range b.Rows {
					e.Needs = slices.Clone(e.Needs)
					got = append(got, e)
				}
			}
			var rows []trace.Event
			for _, p := range order {
				rows = append(rows, want.EventsOf[p].Rows...)
			}
			if !reflect.DeepEqual(got, rows) {
				t.Error("in another order: other events")
			}
			if len(src.events.shared.byID) != len(src.events.shared.idle) {
				t.Error("batches are still in use")
			}
			checkTotals(t, src, want)
		})
	}
}

// checkSideBySide reads all processors at the same time, some to the end.
func checkSideBySide(t *testing.T, src *Trace, want *trace.Memory) {
	t.Helper()
	for p := range trace.Proc(want.Head.Procs) {
		next, stop := iter.Pull2(src.Events(p))
		defer stop()
		if b, err, ok := next(); ok != (len(want.EventsOf[p].Rows) > 0) || err != nil || ok && !reflect.DeepEqual(b.Rows[0], want.EventsOf[p].Rows[0]) {
			t.Fatalf("processor %d: %v", p, err)
		}
		if p%3 == 0 {
			stop()
		}
	}
}

func checkTotals(t *testing.T, src *Trace, want *trace.Memory) {
	t.Helper()
	for p := range trace.Proc(want.Head.Procs) {
		instr := uint64(0)
		for _, e := range want.EventsOf[p].Rows {
			instr += uint64(e.Instr)
		}
		if n := src.Totals(p); n.Events != uint64(len(want.EventsOf[p].Rows)) || uint64(n.Instr) != instr {
			t.Errorf("processor %d has totals %v", p, n)
		}
	}
}

// A cut file of many processors is recovered up to its last complete batch.
func TestRecoverManyProcessors(t *testing.T) {
	prefix, want := manyProcessors(t, 7)
	out := prefix + ".whole" + EventsSuffix
	if done, err := Recover(prefix+EventsSuffix, out); err != nil || done.Lost != "" {
		t.Fatal(done, err)
	}
	if string(read(t, out)) != string(read(t, prefix+EventsSuffix)) {
		t.Error("a complete file changed")
	}
	cut := prefix + ".cut" + EventsSuffix
	whole := read(t, prefix+EventsSuffix)
	if err := os.WriteFile(cut, whole[:len(whole)*2/3], 0o666); err != nil {
		t.Fatal(err)
	}
	out = prefix + ".part" + EventsSuffix
	done, err := Recover(cut, out)
	if err != nil || done.Rows == 0 {
		t.Fatal(done, err)
	}
	src, err := Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	got, err := load(src)
	if err != nil {
		t.Fatal(err)
	}
	for p, e := range got.EventsOf {
		if all := want.EventsOf[p].Rows; len(e.Rows) > len(all) || len(e.Rows) > 0 && !reflect.DeepEqual(e.Rows, all[:len(e.Rows)]) {
			t.Errorf("processor %d has other events", p)
		}
	}
}
