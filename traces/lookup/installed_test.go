package lookup

import (
	"os"
	"path/filepath"
	"testing"
)

// write makes an empty file below dir.
func write(t *testing.T, dir, path string) {
	t.Helper()
	file := filepath.Join(dir, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	home, here := t.TempDir(), t.TempDir()
	t.Setenv(HomeVariable, home)
	t.Chdir(here)
	write(t, home, "data/sample/a.log")
	write(t, home, "data/sample/b.log")
	write(t, home, "other/c.log")
	write(t, here, "data/sample/b.log")
	for path, want := range map[string]string{
		"data/sample/a.log":                 filepath.Join(home, "data/sample/a.log"),
		"./data/sample/a.log":               filepath.Join(home, "data/sample/a.log"),
		"data/sample/b.log":                 "data/sample/b.log", // the nearest wins
		"data/sample/none.log":              "data/sample/none.log",
		"other/c.log":                       "other/c.log", // not a folder that is installed
		"../data/sample/a.log":              "../data/sample/a.log",
		here + "/data/sample/a.log":         here + "/data/sample/a.log",
		"data/../../" + filepath.Base(home): "data/../../" + filepath.Base(home),
	} {
		t.Run(filepath.Base(path), func(t *testing.T) {
			got, ours := Find(path)
			if got != want || ours != (want != path) {
				t.Errorf("Find(%q) = %q, %v; want %q", path, got, ours, want)
			}
		})
	}
}
