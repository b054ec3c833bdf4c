package outfile

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// A killed process may have created a file without a lock, or may have been about to open the file of another.
func TestRemoveUnfinished(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"left.partial", "kept"} {
		if err := os.WriteFile(path(name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	busy, err := CreatePartial(path("busy"), PartialSuffix)
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	defer busy.Release()
	RemoveUnfinished("+" + path("left.partial") + "\x00+" + path("kept") + "\x00+" + path("busy.partial") + "\x00+" + path("none.partial") + "\x00")
	for name, there := range map[string]bool{"left.partial": false, "kept": true, "busy.partial": true} {
		if _, err := os.Stat(path(name)); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A name is recorded before the file is there, and taken back if it cannot be opened.
func TestRecordUnfinished(t *testing.T) {
	var records bytes.Buffer
	RecordUnfinished(&records)
	defer RecordUnfinished(nil)
	path := filepath.Join(t.TempDir(), "none", "file")
	if _, err := CreatePartial(path, PartialSuffix); err == nil {
		t.Error("no error")
	}
	if want := "+" + path + ".partial\x00-" + path + ".partial\x00"; records.String() != want {
		t.Errorf("recorded %q, want %q", records.String(), want)
	}
}
