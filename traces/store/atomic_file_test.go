package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spoor/traces/internal/outfile"
	"spoor/traces/trace"
)

func TestOneWriterAtATime(t *testing.T) {
	dir := t.TempDir()
	prefix := filepath.Join(dir, "x")
	for _, killed := range []string{prefix + RefsSuffix, prefix + EventsSuffix} {
		if err := os.WriteFile(killed+outfile.PartialSuffix, []byte("of a killed run, which holds no lock"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	h := trace.Header{Procs: 1, WorkUnit: trace.WorkInstr}
	first, err := Create(prefix, h)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Create(prefix, h); err == nil || !strings.Contains(err.Error(), "x.refs.arrow: another process is writing it; ") {
		t.Fatalf("a second writer: %v", err)
	}
	b := trace.Refs{}
	b.Append(1, 0x1000, 8, trace.Load)
	if err := first.Refs(&b); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(h); err != nil {
		t.Fatal(err)
	}
	if err := readTrace(prefix); err != nil {
		t.Error(err)
	}
	for _, end := range []func(*Writer) error{func(w *Writer) error { w.Abort(); return nil }, func(w *Writer) error { return w.Close(h) }} {
		next, err := Create(prefix, h)
		if err != nil {
			t.Fatalf("a writer after the first: %v", err)
		}
		if err := end(next); err != nil {
			t.Fatal(err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 2 {
		t.Errorf("left: %v", left)
	}
}
