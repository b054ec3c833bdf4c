package store

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, partialSuffix, "deep", "left")
	if err := os.MkdirAll(left, 0o777); err != nil { // of a killed run
		t.Fatal(err)
	}
	f, err := NewFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(f.Path); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v in a new folder", entries, err)
	}
	if _, err := NewFolder(dir); runtime.GOOS == "linux" && !errors.Is(err, errBusy) {
		t.Errorf("a second one: %v", err)
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
	if _, err := NewFolder(dir); err == nil {
		t.Error("a file takes the folder's place")
	}
}
