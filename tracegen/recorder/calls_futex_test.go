package recorder

import (
	"path/filepath"
	"strings"
	"testing"

	"spoor/traces/trace"
)

// TestWaitsOfAtomics records threads that wait for atomics: they end in a replay, and their waiting is not work.
func TestWaitsOfAtomics(t *testing.T) {
	program := compiled(t, "g++", "-std=c++20", "-O1", "-pthread", filepath.Join("testdata", "atomics.cc"))
	k, rec, out := record(t, Options{Args: []string{program}})
	sound(t, k, rec)
	if want := "24975000 24975000\n"; out != want || rec.Procs != 3 {
		t.Errorf("output %q, want %q; %d processors", out, want, rec.Procs)
	}
	order, stuck := inOrder(k, rec.Procs, trace.Signal)
	if stuck > 0 || len(order) == 0 {
		t.Errorf("%d processors cannot end; signals %v", stuck, order)
	}
	if notes := strings.Join(rec.Notes, "\n"); !strings.Contains(notes, missedFutexes) {
		t.Errorf("notes %q", notes)
	}
}
