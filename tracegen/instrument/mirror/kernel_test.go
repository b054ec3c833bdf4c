package main

import (
	"path/filepath"
	"testing"
)

// The mirror of the kernels that is committed is what their source makes.
func TestTheMirrorOfTheKernelsIsCurrent(t *testing.T) {
	if testing.Short() {
		t.Skip("generates kernels again")
	}
	files, err := filepath.Glob("../../kernel/internal/*/generate.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("packages of kernels: %q, %v", files, err)
	}
	for _, file := range files {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			if list := differences(t, dir); len(list) > 0 {
				t.Errorf("run go generate ./tracegen/kernel/...: %q", list)
			}
		})
	}
}
