package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Tests that the race detector skips are there.
func TestSequentialTestsExist(t *testing.T) {
	for _, s := range sequential {
		var code strings.Builder
		stage, _, _ := strings.Cut(s.folder, "/")
		err := filepath.WalkDir(filepath.Join("..", stage), func(path string, _ os.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, "_test.go") {
				text, failed := os.ReadFile(path)
				code.Write(text)
				err = failed
			}
			return err
		})
		for _, name := range strings.Fields(s.tests) {
			if !strings.Contains(code.String(), "func "+name+"(") {
				t.Errorf("%s has no test %s, %v", s.folder, name, err)
			}
		}
	}
}
