package weigh

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"os/exec"
	"path"
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

func TestWeightsAreCachegrinds(t *testing.T) {
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Skip("valgrind is not installed: the weights are not compared with its counts")
	}
	b := newBench(t, t.TempDir())
	plain := b.plain(t)
	want := cachegrind(t, plain)
	tallied := b.tallied(t, b.weigh(t, plain, false))
	t.Logf("%-10s %12s %12s %8s", "kernel", "cachegrind", "predicted", "ratio")
	for _, p := range b.packages {
		k := p.Name
		t.Logf("%-10s %12.0f %12.0f %8.4f", k, want[k], tallied[k], tallied[k]/want[k])
		if off := math.Abs(tallied[k]/want[k] - 1); !(off <= tolerance) {
			t.Errorf("%s: %.0f instructions are predicted, cachegrind counts %.0f", k, tallied[k], want[k])
		}
	}
}
