package instrument

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"spoor/tracegen/spmd"
)

// libraryPrograms are the programs of testdata/library, which use the standard library heavily. Most instructions that
// are not counted are named with an estimate; off is the error of counted instructions and estimate together, in
// percent of those that cachegrind counts. Averages over instances of generic functions and the cost of allocations
// are its main causes.
var libraryPrograms = []struct {
	name string
	off  float64
}{
	{"scanning", 20}, {"sorting", 15}, {"bigints", 15}, {"chances", 15}, {"compression", 15}, {"documents", 15}, {"heaps", 20}, {"patterns", 15},
	{"tables", 35}, {"words", 15},
}

// TestLibraryPrograms compares instructions counted and estimated with all that cachegrind sees a program execute, less
// those of a run that does nothing.
func TestLibraryPrograms(t *testing.T) {
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Skip("valgrind is not installed")
	}
	programs := libraryPrograms[:2]
	if testing.Short() {
		programs = programs[:1]
	}
	for _, c := range programs {
		dir := filepath.Join("testdata/library", c.name)
		native, err := Build(t.Context(), Options{Dir: dir, Native: true, Messages: t.Output()})
		if err != nil {
			t.Fatal(err)
		}
		defer native.Remove()
		want := cachegrind(t, native.path) - cachegrind(t, native.path, "none")
		p, err := Build(t.Context(), Options{Dir: dir, Library: true, Messages: t.Output()})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Remove()
		out, err := p.Run(t.Context(), Run{Options: spmd.Options{Procs: 1, NoRefs: true}, Err: t.Output(), Sink: &discard{left: -1}})
		if err != nil {
			t.Fatal(err)
		}
		counted, outside := float64(out.Recording.Totals[0].Instr), float64(out.Recording.Outside)
		off := 100 * (counted + outside - want) / want
		t.Logf("%-12s cachegrind %9.0f, counted %9.0f, named as missing %9.0f: %+.1f %%", c.name, want, counted, outside, off)
		if math.Abs(off) > c.off {
			t.Errorf("%s: off by %.1f %%, want at most %v %%", c.name, off, c.off)
		}
	}
}

// cachegrind returns all instructions of a native run.
func cachegrind(t *testing.T, program string, args ...string) (sum float64) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "cachegrind")
	cmd := exec.Command("valgrind", append([]string{"--tool=cachegrind", "--cache-sim=no", "--vex-guest-chase=no",
		"--cachegrind-out-file=" + out, program}, args...)...)
	cmd.Env = append(os.Environ(), "SPOOR_PROCS=1", "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if n, ok := strings.CutPrefix(lines.Text(), "summary:"); ok {
			if sum, err = strconv.ParseFloat(strings.Fields(n)[0], 64); err != nil {
				t.Fatal(fmt.Errorf("%s: %w", lines.Text(), err))
			}
		}
	}
	return sum
}
