package main

import (
	"os"
	"path/filepath"
	"testing"
)

// Finding out whether one can write leaves nothing behind, not even what a killed run left.
func TestOutputIsTriedWithoutATrace(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		if err := checkOutput(filepath.Join(dir, "new", "results")); err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
		if err := os.Mkdir(filepath.Join(dir, ".partial-trial"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
}
