package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spoor/traces/internal/outfile"
	"spoor/traces/trace"
)

// A killed process leaves the files that are unfinished by its records; finished ones and those of others stay.
func TestRemovesWhatIsUnfinished(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	var records strings.Builder
	outfile.RecordUnfinished(&records)
	defer outfile.RecordUnfinished(nil)
	h := trace.Header{Procs: 1, WorkUnit: trace.WorkInstr}
	for _, end := range []func(*Writer) error{func(*Writer) error { return nil }, func(w *Writer) error { return w.Close(h) }, func(w *Writer) error { w.Abort(); return nil }} {
		w, err := Create(in("x"), h)
		if err := errors.Join(err, end(w)); err != nil {
			t.Fatal(err)
		}
		w.refs.f.Release()
		w.events.f.Release()
	}
	if err := os.Mkdir(in("d"), 0o777); err != nil {
		t.Fatal(err)
	}
	left, err := Create(in("left"), h)
	folder, folderErr := outfile.NewStagingFolder(in("d"))
	if err := errors.Join(err, folderErr); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(folder.WriteFile("y", text("")), os.WriteFile(in("other.partial"), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	recorded := records.String()
	// The locks of a killed process end with it.
	left.refs.f.Release()
	left.events.f.Release()
	if err := errors.Join(folder.Remove(), os.Mkdir(in("d/.partial"), 0o777), os.WriteFile(in("d/.partial/y"), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	outfile.RemoveUnfinished(recorded + "+" + in("x.refs.arrow") + "\x00")
	var names []string
	_ = filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error { names = append(names, path[len(dir):]); return err })
	if got, want := strings.Join(names, " "), " /d /other.partial /x.events.arrow /x.refs.arrow"; got != want {
		t.Errorf("left:%s, want%s", got, want)
	}
	left.Abort()
}
