package weigh

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// cachegrind runs a binary under valgrind and returns the instructions of the
// functions of each package, by the last element of its path.
//
// Valgrind takes some conditions of two parts for one and then counts instructions
// of the second part that were not executed; it does not if it is kept from
// following jumps.
func cachegrind(t *testing.T, binary string) map[string]float64 {
	t.Helper()
	out := binary + ".cachegrind"
	cmd := exec.Command("valgrind", "--tool=cachegrind", "--cache-sim=no", "--vex-guest-chase=no", "--cachegrind-out-file="+out, binary)
	cmd.Env = append(os.Environ(), "GODEBUG=cpu.rdtscp=off") // a processor without it makes valgrind stop there
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	sum := map[string]float64{}
	name := ""
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		line := s.Text()
		if fn, ok := strings.CutPrefix(line, "fn="); ok {
			name = path.Base(packageOf(fn))
			continue
		}
		if f := strings.Fields(line); len(f) == 2 && line[0] >= '0' && line[0] <= '9' {
			ir, err := strconv.ParseFloat(f[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			sum[name] += ir
		}
	}
	return sum
}

// tolerance is how far the instructions that are counted may be from those that
// cachegrind counts. What is left comes from functions that were inlined in several
// places, and from decisions that the compiler made without a counter for them.
const tolerance = 0.01

// incomplete are the kernels whose rewritten form does not count all that is
// executed: words has right operands of && and || in cases and values, and records has
// methods that are called through interfaces and that the rewriter leaves to their
// callers.
var incomplete = []string{"words", "records"}

func TestWeightsAreCachegrinds(t *testing.T) {
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Skip("valgrind is not installed: the weights are not compared with its counts")
	}
	b := newBench(t, t.TempDir())
	plain := b.plain(t)
	want := cachegrind(t, plain)
	tallied := b.tallied(t, b.weigh(t, plain, false))
	counted := b.counted(t, b.weigh(t, plain, true))
	check := func(how, kernel string, got float64) {
		if off := math.Abs(got/want[kernel] - 1); !(off <= tolerance) {
			t.Errorf("%s, %s: %.0f instructions, cachegrind counts %.0f", kernel, how, got, want[kernel])
		}
	}
	t.Logf("%-10s %12s %9s %9s", "kernel", "cachegrind", "tallied", "rewritten")
	for _, p := range b.packages {
		k := p.Name
		t.Logf("%-10s %12.0f %9.4f %9.4f", k, want[k], tallied[k]/want[k], counted[k]/want[k])
		check("tallied", k, tallied[k])
		if !slices.Contains(incomplete, k) {
			check("rewritten", k, counted[k])
		}
	}
}
