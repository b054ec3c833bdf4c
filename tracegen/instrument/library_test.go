package instrument

import (
	"bufio"
	"crypto/sha256"
	"flag"
	"fmt"
	"hash"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spoor/tracegen/spmd"
	"spoor/traces/trace"
)

var allPrograms = flag.Bool("all", false, "compare all programs of testdata/library with cachegrind")

// libraryPrograms are the programs of testdata/library, which use the standard library heavily. The note names most
// instructions that are not counted, with an estimate. Off is the largest error of counted instructions and estimate
// together, in percent of those that cachegrind counts. Its main cause is memory that the runtime allocates and compares:
// the estimate has one mean for each function of the runtime.
var libraryPrograms = []struct {
	name string
	off  float64
}{
	{"stdsort", 0.5}, {"sorting", 4}, {"words", 1.5}, {"bigints", 1.5}, {"chances", 1}, {"compression", 1}, {"documents", 3},
	{"heaps", 1}, {"patterns", 1}, {"scanning", 1}, {"tables", 4},
}

// TestLibraryPrograms compares instructions counted and estimated with all that cachegrind sees a program execute, less
// those of a run that does nothing. By default it compares the first; go test ./tracegen/instrument -all
// compares all of them.
func TestLibraryPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("builds instrumented programs")
	}
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Skip("valgrind is not installed")
	}
	programs := libraryPrograms
	if !*allPrograms {
		programs = programs[:1]
	}
	for _, c := range programs {
		dir := filepath.Join("testdata/library", c.name)
		native, err := Build(t.Context(), Options{Dir: dir, Native: true, Messages: t.Output()})
		if err != nil {
			t.Fatal(err)
		}
		defer native.Remove()
		want := fewestOf(t, native.path) - fewestOf(t, native.path, "none")
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

// fewestOf returns the instructions of the native run that executes the fewest of three: threads of the runtime, which
// run by the clock, only add some.
func fewestOf(t *testing.T, program string, args ...string) float64 {
	return min(cachegrind(t, program, args...), cachegrind(t, program, args...), cachegrind(t, program, args...))
}

// cachegrind returns all instructions of a native run.
func cachegrind(t *testing.T, program string, args ...string) (sum float64) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "cachegrind")
	cmd := exec.Command("valgrind", append([]string{"--tool=cachegrind", "--cache-sim=no", "--vex-guest-chase=no",
		"--cachegrind-out-file=" + out, program}, args...)...)
	cmd.Env = append(os.Environ(), "SPOOR_PROCS=1", "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1,cpu.rdtscp=off")
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

// A hashed sink hashes a recording.
type hashed struct{ hash.Hash }

func (h hashed) Refs(b *trace.Refs) error {
	_, err := fmt.Fprint(h, b.Proc, b.Addr, b.Instr, b.Size, b.Op)
	return err
}

func (h hashed) Events(b *trace.Events) error {
	_, err := fmt.Fprint(h, b.Proc, b.Rows)
	return err
}

// TestLibraryIsRecordedTheSame records twice, on different numbers of processors, a program that ranges over maps, and one
// that allocates more than a garbage collector leaves alone.
func TestLibraryIsRecordedTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("builds instrumented programs")
	}
	for _, name := range []string{"tables", "printing"} {
		p, err := Build(t.Context(), Options{Dir: filepath.Join("testdata/library", name), Library: true, Refs: true, Messages: t.Output()})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Remove()
		var sums [2]string
		for i, processors := range []string{"1", "4"} { // of the host
			t.Setenv("GOMAXPROCS", processors)
			h := hashed{sha256.New()}
			out, err := p.Run(t.Context(), Run{Options: spmd.Options{Procs: 2, Allocated: true}, Err: t.Output(), Sink: h})
			if err != nil {
				t.Fatal(err)
			}
			sums[i] = fmt.Sprintf("%x %v %d", h.Sum(nil), out.Recording.Totals, out.Collections)
		}
		if sums[0] != sums[1] {
			t.Errorf("%s: two recordings differ:\n%s\n%s", name, sums[0], sums[1])
		}
	}
}

// A stores sink keeps the lines that each rank stores.
type stores [2]map[uint64]bool

func (s stores) Refs(b *trace.Refs) error {
	for i, op := range b.Op {
		if op == trace.Store {
			s[b.Proc][b.Addr[i]>>6] = true
		}
	}
	return nil
}

func (stores) Events(*trace.Events) error { return nil }

// Ranks share no pools of the library, as processors do not. Functions of the compiler that count nothing are named.
func TestRanksShareNoPools(t *testing.T) {
	if testing.Short() {
		t.Skip("builds instrumented programs")
	}
	p, err := Build(t.Context(), Options{Dir: "testdata/library/printing", Library: true, Refs: true, Messages: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Remove()
	if !slices.ContainsFunc(p.Unmeasured, func(name string) bool { return strings.HasPrefix(name, "type:.eq.") }) {
		t.Errorf("no function that compares arrays among %q", p.Unmeasured)
	}
	s := stores{{}, {}}
	if _, err := p.Run(t.Context(), Run{Options: spmd.Options{Procs: 2, Allocated: true}, Err: t.Output(), Sink: s}); err != nil {
		t.Fatal(err)
	}
	both := 0
	for line := range s[0] {
		if s[1][line] {
			both++
		}
	}
	if len(s[0]) < 100 || both*100 > len(s[0]) {
		t.Errorf("of %d lines that rank 0 stores, rank 1 stores %d", len(s[0]), both)
	}
}
