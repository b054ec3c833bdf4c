//go:build !oracle

package oracle

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"spoor/tracegen/kernel"
	"spoor/tracegen/spmd"
	"spoor/traces/trace"
)

// coarse are the kernels whose counts are not within 1 % of cachegrind's, with the
// reason.
var coarse = map[string]string{}

// TestCountsAreCachegrinds compares the instructions that the counting form of every
// kernel counts with those that cachegrind sees the uninstrumented kernel execute: in
// all functions of the kernels, running it less preparing it.
func TestCountsAreCachegrinds(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every kernel under valgrind")
	}
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Skip("valgrind is not installed")
	}
	program := filepath.Join(t.TempDir(), "native")
	if out, err := exec.Command("go", "build", "-o", program, "./native").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, k := range kernel.All {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			want, got := cachegrind(t, program, k.Name), count(t, k.Name)
			ratio := float64(got) / float64(want)
			t.Logf("%-10s cachegrind %10d  counted %10d  %.4f", k.Name, want, got, ratio)
			why, known := coarse[k.Name]
			if off := ratio < 0.99 || ratio > 1.01; off != known {
				t.Errorf("ratio %.4f; known to be off: %v %s", ratio, known, why)
			}
		})
	}
}

func count(t *testing.T, name string) uint64 {
	t.Helper()
	k, err := kernel.Find(kernel.Counted, name)
	if err != nil {
		t.Fatal(err)
	}
	values, err := k.Values(k.Small)
	if err != nil {
		t.Fatal(err)
	}
	inst, err := k.New(values, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	recording.Lock() // one at a time
	defer recording.Unlock()
	rec, err := spmd.Record(context.Background(), spmd.Options{Procs: 1, NoRefs: true}, inst.Program, nothing{})
	if err != nil {
		t.Fatal(err)
	}
	return uint64(rec.Totals[0].Instr)
}

var recording sync.Mutex

type nothing struct{}

func (nothing) Refs(*trace.Refs) error     { return nil }
func (nothing) Events(*trace.Events) error { return nil }

// cachegrind is the instructions of a kernel's own code.
func cachegrind(t *testing.T, program, name string) int64 {
	return executed(t, program, name) - executed(t, program, name, "prepare")
}

// executed is the instructions that functions of the packages of kernels execute in one run. Package workload has no kernel.
// Without --vex-guest-chase=no, valgrind counts conditions that are not evaluated.
func executed(t *testing.T, program string, args ...string) (sum int64) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "cachegrind")
	cmd := exec.Command("valgrind", append([]string{"--tool=cachegrind", "--cache-sim=no", "--vex-guest-chase=no",
		"--cachegrind-out-file=" + out, program}, args...)...)
	cmd.Env = append(os.Environ(), "GODEBUG=cpu.rdtscp=off") // a processor without it makes valgrind stop there
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	own := false
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		if fn, ok := strings.CutPrefix(line, "fn="); ok {
			own = strings.HasPrefix(fn, "spoor/tracegen/kernel/internal/") && !strings.HasPrefix(fn, "spoor/tracegen/kernel/internal/workload.")
			continue
		}
		fields := strings.Fields(line)
		if !own || len(fields) < 2 {
			continue
		}
		if _, err := strconv.Atoi(fields[0]); err != nil {
			continue
		}
		n, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			t.Fatal(fmt.Errorf("%s: %w", line, err))
		}
		sum += n
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return sum
}
