package repository

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"spoor/predict/internal/reference"
	"spoor/predict/internal/stagetest"
)

var update = flag.Bool("update", false, "write the generated pages")

// Generated pages are up to date. -update writes them.
func TestGeneratedPagesAreCurrent(t *testing.T) {
	bin := stagetest.Build(t, root)
	run := func(stage string, args ...string) (string, error) {
		out, err := exec.Command(filepath.Join(bin, stage), args...).Output()
		return string(out), err
	}
	for _, p := range reference.Pages {
		want, err := p.Make(run)
		if err != nil {
			t.Errorf("%s: %v", p.Path, err)
			continue
		}
		path := filepath.Join(root, filepath.FromSlash(p.Path))
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is out of date: run 'make reference'", p.Path)
		}
	}
}
