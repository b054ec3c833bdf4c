package report

import (
	"os"
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
		t.Run(name, func(t *testing.T) {
			var s Study
			if err := s.AddMachine(filepath.Join("..", "..", "..", "data", "machine", name+".toml")); err != nil {
				t.Fatal(err)
			}
			if got := machineRows(s.Machines)[0].System; got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// A description may lack sections, as predict replay takes it. The table says so.
func TestMachineWithoutSections(t *testing.T) {
	path := filepath.Join(t.TempDir(), "five.toml")
	if err := os.WriteFile(path, []byte("[network]\nmodel = \"loggp\"\nL = \"2 us\"\no = \"1 us\"\ng = \"3 us\"\nG = \"9 ns/B\"\nS = \"1 KiB\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var s Study
	if err := s.AddMachine(path); err != nil {
		t.Fatal(err)
	}
	row := machineRows(s.Machines)[0]
	if row.Name != "five" || row.System != "not given" || row.Processor != "not given" || row.Memory != "not given" || row.Bus != "not given" || len(row.Caches) > 0 {
		t.Errorf("%+v", row)
	}
}
