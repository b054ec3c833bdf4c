package report

import (
	"path/filepath"
	"testing"
)

// What the table of machines says of their sizes.
func TestSystems(t *testing.T) {
	for name, want := range map[string]string{
		"example-desktop":            "smp, 8 processors",
		"du2000-cow-4-256k-100m":     "cow, 4 nodes of 1 processor",
		"du2000-clump-2x4-256k-100m": "clump, 2 nodes of 4 processors",
	} {
		var s Study
		if err := s.AddMachine(filepath.Join("..", "..", "data", "machine", name+".toml")); err != nil {
			t.Fatal(err)
		}
		if got := machineRows(s.Machines)[0].System; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
