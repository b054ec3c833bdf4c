package main

import (
	"strings"
	"testing"

	"spoor/traces/store"
	"spoor/traces/symbols"
	"spoor/traces/trace"
)

// TestSharingNamesVariables: two variables in one line have their names, if the symbols beside the trace are its own.
func TestSharingNamesVariables(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(names ...symbols.Row) {
		t.Helper()
		n := nasty{procs: 2, refs: func(p trace.Proc, r *trace.Refs) {
			for range 50 {
				r.Append(1, 0x1000+8*uint64(p), 8, trace.Store)
			}
		}}
		n.write(t, "x")
		src, err := store.Open("x")
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		w, err := symbols.Create("x")
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		for _, r := range names {
			if err := w.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(src.SHA256()); err != nil {
			t.Fatal(err)
		}
	}
	write(symbols.Row{Kind: symbols.Global, Addr: 0x1000, Bytes: 16, Name: "counters"})
	if out := must(t, "--run sharing --format csv -o d x"); !strings.Contains(out, ",counters,") {
		t.Errorf("no counters:\n%s", out)
	}
	if out, _, errs := analyze("--run", "sharing", "-o", "d", "x.refs.arrow"); out != 0 || strings.Contains(errs, "symbols") {
		t.Errorf("one file alone: status %d: %s", out, errs)
	}
	n := nasty{procs: 2, refs: oneWorks}
	n.write(t, "x")
	if _, _, errs := analyze("--run", "sharing", "-o", "d", "x"); !strings.Contains(errs, "the symbols are of another recording") {
		t.Errorf("symbols of another trace: %s", errs)
	}
	if _, _, errs := analyze("--run", "reuse", "-o", "d", "x"); strings.Contains(errs, "symbols") {
		t.Errorf("an analysis that names nothing: %s", errs)
	}
}
