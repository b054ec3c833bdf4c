package outfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, PartialSuffix, "deep", "left")
	if err := os.MkdirAll(left, 0o777); err != nil { // of a killed run
		t.Fatal(err)
	}
	f, err := NewStagingFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(f.Path); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v in a new folder", entries, err)
	}
	if _, err := NewStagingFolder(dir); runtime.GOOS == "linux" && !errors.Is(err, ErrBusy) {
		t.Errorf("a second one: %v", err)
	}
	say := func(w io.Writer) error { _, err := io.WriteString(w, "all"); return err }
	if err := f.WriteFile("a", say); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(filepath.Join(f.Path, "a")); err != nil || string(text) != "all" {
		t.Errorf("%q, %v", text, err)
	}
	if err := f.WriteFile("a", say); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second file of that name: %v", err)
	}
	if err := f.WriteFile("b", func(io.Writer) error { return io.ErrShortWrite }); err != io.ErrShortWrite {
		t.Error(err)
	}
	if err := f.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(f.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after Remove: %v", err)
	}
	if err := os.WriteFile(f.Path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := NewStagingFolder(dir); err == nil {
		t.Error("a file takes the folder's place")
	}
}
