package machine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shippedBeside makes a Spoor folder with one machine and one price list, and an empty current folder.
func shippedBeside(t *testing.T) (home string) {
	t.Helper()
	home = t.TempDir()
	t.Setenv("SPOOR_HOME", home)
	t.Chdir(t.TempDir())
	put(t, filepath.Join(home, machineFolder, "one.toml"), "")
	put(t, filepath.Join(home, machineFolder, "host.params.toml"), "")
	put(t, filepath.Join(home, priceFolder, "cheap.toml"), "")
	return home
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFindFileSearchesFolders(t *testing.T) {
	home := shippedBeside(t)
	want := filepath.Join(home, machineFolder, "one.toml")
	for _, name := range []string{"one", "one.toml", "data/machine/one.toml", want} {
		t.Run(name, func(t *testing.T) {
			if got, err := FindFile(name); err != nil || got != want {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
	put(t, filepath.Join(machineFolder, "one.toml"), "")
	if got, err := FindFile("one"); err != nil || got != filepath.Join(machineFolder, "one.toml") {
		t.Errorf("the current folder comes first: %s, %v", got, err)
	}
	put(t, "one", "")
	if got, err := FindFile("one"); err != nil || got != "one" {
		t.Errorf("a path comes before a name: %s, %v", got, err)
	}
	if got, err := findPrices("cheap"); err != nil || got != filepath.Join(home, priceFolder, "cheap.toml") {
		t.Errorf("%s, %v", got, err)
	}
	if got := Names(); !slices.Equal(got, []string{"one"}) {
		t.Errorf("names: %q", got)
	}
}

func TestUnknownNamesSuggestOthers(t *testing.T) {
	shippedBeside(t)
	put(t, "mine.toml", "")
	if err := os.Mkdir("folder", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, says := range map[string]string{
		"oen":         `unknown machine or file "oen"; did you mean "one"? ('calibrate machines' lists all names, 'calibrate memory -o host' measures this host)`,
		"mine":        `unknown machine or file "mine"; did you mean "mine.toml"? ('calibrate machines'`,
		"folder":      "folder is a folder; give a machine or file ('calibrate machines'",
		"none/one":    `unknown machine or file "none/one" ('calibrate machines'`,
		"../one.toml": `unknown machine or file "../one.toml"`,
		"":            "the name of a machine or file is empty ('calibrate machines'",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Read(name); err == nil || !strings.Contains(err.Error(), says) || !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%v", err)
			}
		})
	}
	if _, err := ReadPrices("chaep"); err == nil || !strings.Contains(err.Error(), `unknown price list or file "chaep"; did you mean "cheap"? (known: cheap)`) {
		t.Error(err)
	}
}
