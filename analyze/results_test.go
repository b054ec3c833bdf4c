package main

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"spoor/analyze/study"
)

// Finding out whether one can write leaves nothing behind, not even what a killed run left.
func TestOutputIsTriedWithoutATrace(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		if err := study.CheckOutput(filepath.Join(dir, "new", "results")); err != nil {
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

// Parameters of several analyses in one directory are read together: where two files have one of the same name, they agree in all
// that they say of it.
func TestParametersOfADirectoryAgree(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "trace"), 2, 3, 500)
	out := filepath.Join(dir, "out")
	if status, _, errs := analyze("-q", "--run", "locality,coherent,footprint,quanta", "-o", out, filepath.Join(dir, "trace")); status != 0 {
		t.Fatal(errs)
	}
	files, err := filepath.Glob(filepath.Join(out, "*.params.toml"))
	if err != nil || len(files) != 4 {
		t.Fatalf("%v, %v", files, err)
	}
	said := map[string]any{}
	for _, f := range files {
		params := map[string]any{}
		if text, err := os.ReadFile(f); err != nil || toml.Unmarshal(text, &params) != nil {
			t.Fatalf("%s: %v: %s", f, err, text)
		}
		for name, p := range params {
			if other, ok := said[name]; ok && !reflect.DeepEqual(p, other) {
				t.Errorf("%s: %s is %v, and elsewhere %v", filepath.Base(f), name, p, other)
			}
			said[name] = p
		}
	}
}
