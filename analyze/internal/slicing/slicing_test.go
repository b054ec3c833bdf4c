package slicing

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// Slices are equal but for one reference, and each reference is in one of them.
func TestRowsAreDivided(t *testing.T) {
	for _, of := range []int{1, 2, 3, 16, 1000} {
		for _, n := range []uint64{0, 1, 15, 16, 17, 1 << 40, 1<<64 - 1} {
			end := uint64(0)
			for i := range of {
				from, to := Slice{i + 1, of}.Rows(n)
				if from != end || to-from != n/uint64(of) && to-from != n/uint64(of)+1 {
					t.Fatalf("slice %d of %d of %d: %d to %d, after %d", i+1, of, n, from, to, end)
				}
				end = to
			}
			if end != n {
				t.Errorf("%d slices of %d end at %d", of, n, end)
			}
		}
	}
}

// Slices together have all references and events of the trace, in order.
func TestSlicesAreTheTrace(t *testing.T) {
	const procs, rows = 2, 1000
	prefix := t.TempDir() + "/x"
	h := trace.Header{Program: "x", Format: "test", Procs: procs, WorkUnit: trace.WorkInstr, Tool: "test"}
	w, err := store.Create(prefix, h)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for p := range trace.Proc(procs) {
		for from := 0; from < rows; from += rows / 4 {
			refs := trace.Refs{Proc: p}
			for i := range rows / 4 {
				refs.Append(1, uint64(from+i), 8, trace.Load)
			}
			if err := w.Refs(&refs); err != nil {
				t.Fatal(err)
			}
		}
		events := trace.Events{Proc: p}
		for _, at := range []uint64{0, 0, 1, 249, 250, 251, 500, 999, 1000, 1000} {
			e := trace.NewEvent(trace.Marker)
			e.Refs, e.Tag = at, int32(len(events.Rows))
			events.Rows = append(events.Rows, e)
		}
		if err := w.Events(&events); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(h); err != nil {
		t.Fatal(err)
	}
	src, err := store.Open(prefix)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	want := text(t, Source{Trace: src})
	for _, of := range []int{1, 2, 3, 7, 2500} {
		var got [procs]string
		for i := range of {
			for p := range trace.Proc(procs) {
				got[p] += text(t, Source{src, Slice{i + 1, of}}, p)
			}
		}
		if all := got[0] + got[1]; sorted(all) != sorted(want) {
			t.Errorf("%d slices have\n%s\nwant\n%s", of, all, want)
		}
	}
}

// text has a line for each row, with its place in the whole trace.
func text(t *testing.T, s Source, procs ...trace.Proc) (out string) {
	t.Helper()
	for b, err := range s.Refs(procs...) {
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range b.Addr {
			out += fmt.Sprintln("ref", b.Proc, a)
		}
	}
	for b, err := range s.Events(procs...) {
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range b.Rows {
			out += fmt.Sprintln("event", b.Proc, e.Tag, e.Refs+s.FirstRow(b.Proc))
		}
	}
	return out
}

func sorted(text string) string {
	return strings.Join(slices.Sorted(strings.Lines(text)), "")
}
