package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spoor/traces/stage"
	"spoor/traces/store"
)

// A trace of a real program takes half a byte a reference at most, with the true
// values in plain columns, and the same bytes whenever it is imported.
func TestImportedTraceIsSmallAndRepeats(t *testing.T) {
	path, err := filepath.Abs("../data/sample/gzip.log.zst")
	if err != nil {
		t.Fatal(err)
	}
	var first []byte
	for _, name := range []string{"a", "b"} {
		prefix := filepath.Join(t.TempDir(), name)
		if status, _, errs := traces(nil, "import", path, "-o", prefix); status != stage.Done {
			t.Fatal(errs)
		}
		bytes, err := os.ReadFile(prefix + store.RefsSuffix)
		if err != nil {
			t.Fatal(err)
		}
		const refs, most = 2691905, 0.5
		if per := float64(len(bytes)) / refs; per > most {
			t.Errorf("%.3f bytes a reference, want at most %v", per, most)
		}
		if first == nil {
			first = bytes
		} else if string(first) != string(bytes) {
			t.Error("a second import has other bytes")
		}
	}
}

// The archive profile has the same references and events in half of the bytes (long
// traces: in a fifth), and commands read it alike.
func TestImportArchive(t *testing.T) {
	workspace(t)
	for name, flag := range map[string]string{"plain": "--archive=false", "kept": "--archive", "again": "--archive"} {
		t.Run(name, func(t *testing.T) {
			if status, _, errs := traces(nil, "import", "data/sample/matmul.log.zst", flag, "-o", name); status != stage.Done {
				t.Fatal(errs)
			}
		})
	}
	sizes := map[string]int{}
	read := func(name string) string {
		b, err := os.ReadFile(name + store.RefsSuffix)
		if err != nil {
			t.Fatal(err)
		}
		sizes[name] = len(b)
		return string(b)
	}
	read("plain")
	if read("kept") != read("again") {
		t.Error("a second import has other bytes")
	}
	if sizes["kept"]*2 > sizes["plain"] {
		t.Errorf("%d bytes in the archive profile, %d in plain columns", sizes["kept"], sizes["plain"])
	}
	if status, _, errs := traces(nil, "check", "kept"); status != stage.Done {
		t.Error(errs)
	}
	for _, command := range []string{"head -n 1000000 --format csv", "export --to lackey -o -"} {
		args := strings.Fields(command)
		_, want, _ := traces(nil, append(args, "plain")...)
		status, got, errs := traces(nil, append(args, "kept")...)
		if status != stage.Done || got != want || got == "" {
			t.Errorf("traces %s of the archive profile: status %d, %d bytes instead of %d; %s", command, status, len(got), len(want), errs)
		}
	}
}
