package counts

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// write writes a trace of one processor.
func write(t *testing.T, program string, refs int) (prefix string) {
	t.Helper()
	prefix = filepath.Join(t.TempDir(), "x")
	h := trace.Header{Program: program, Procs: 1, WorkUnit: trace.WorkInstr}
	w, err := store.Create(prefix, h)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	r := trace.Refs{}
	for i := range refs {
		r.Append(2, uint64(8*(i%500)), 8, trace.Load)
	}
	if err := w.Refs(&r); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(h); err != nil {
		t.Fatal(err)
	}
	return prefix
}

// open opens a trace whose notes go to notes.
func open(t *testing.T, prefix string, notes *bytes.Buffer) *Trace {
	t.Helper()
	x, err := Open(&stage.Env{Out: notes, Err: notes}, prefix)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Flags and traces have folders of their own. The notes of an analysis are printed again.
func TestFolders(t *testing.T) {
	var notes bytes.Buffer
	x := open(t, write(t, "x", 1000), &notes)
	names := map[string]bool{}
	for _, flags := range [][]string{{"--run=reuse"}, {"--run=reuse", "--line=32B"}, {"--run=reuse"}} {
		dir, err := x.Analyze(t.Context(), flags...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "reuse.arrow")); err != nil {
			t.Error(err)
		}
		names[dir] = true
	}
	if got := strings.Count(notes.String(), "analyzing"); len(names) != 2 || got != 2 {
		t.Errorf("%d folders, %s", len(names), &notes)
	}
	if other := open(t, write(t, "y", 1000), &notes); other.nameOf([]string{"--run=reuse"}) == x.nameOf([]string{"--run=reuse"}) {
		t.Error("two traces have one folder")
	}
	dir, err := x.Analyze(t.Context(), "--run=reuse", "--sample=0.1")
	if err != nil {
		t.Fatal(err)
	}
	first := notes.String()
	notes.Reset()
	if again, err := open(t, x.Path, &notes).Analyze(t.Context(), "--run=reuse", "--sample=0.1"); err != nil || again != dir {
		t.Error(again, err)
	}
	for _, line := range strings.Split(strings.TrimSpace(notes.String()), "\n") {
		_, text, _ := strings.Cut(line, x.Path+": ")
		if !strings.Contains(first, text) || strings.Contains(line, "analyzing") {
			t.Errorf("%q is new", line)
		}
	}
}

// A command waits while another one writes the same results.
func TestWaitsForAnotherCommand(t *testing.T) {
	var notes bytes.Buffer
	x := open(t, write(t, "x", 1000), &notes)
	dir := filepath.Join(x.root, x.nameOf([]string{"--run=reuse"}))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	other, err := store.NewStagingFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(200*time.Millisecond, func() { other.Remove() })
	if _, err := x.Analyze(t.Context(), "--run=reuse"); err != nil {
		t.Error(err)
	}
	if readRecord(dir) == nil {
		t.Error("no record")
	}
}

// Results of a trace that changes during its analysis are not kept.
func TestTraceThatChanges(t *testing.T) {
	var notes bytes.Buffer
	x := open(t, write(t, "x", 1000), &notes)
	x.digest = strings.Repeat("0", 64)
	if dir, err := x.Analyze(t.Context(), "--run=reuse"); err == nil || !strings.Contains(err.Error(), "the trace has changed in the meantime") {
		t.Error(dir, err)
	}
	if left, err := filepath.Glob(x.root + "/*"); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}
