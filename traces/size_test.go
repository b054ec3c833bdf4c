package main

import (
	"os"
	"path/filepath"
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
