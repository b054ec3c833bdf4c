package assembly

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "measure the costs of all routines, and write them to costs.txt")

// symbols are the functions whose instructions are the cost of a routine, by its name without the package. Those of
// other routines have the name of the routine.
var symbols = map[string][]string{
	"IndexByte": {"internal/bytealg.IndexByte", "indexbytebody"}, "IndexByteString": {"internal/bytealg.IndexByteString", "indexbytebody"},
	"Count": {"internal/bytealg.Count", "countbody"}, "CountString": {"internal/bytealg.CountString", "countbody"},
	"Compare": {"internal/bytealg.Compare", "cmpbody"}, "CompareString": {"internal/bytealg.CompareString", "runtime.cmpstring", "cmpbody"},
	"memmove": {"runtime.memmove"}, "memclrNoHeapPointers": {"runtime.memclrNoHeapPointers"},
	"Index": {"internal/bytealg.Index", "indexbody"}, "IndexString": {"internal/bytealg.IndexString", "indexbody"},
}

// lengths are the operands that are measured. Loops of math/big take four words in each iteration, so that short
// operands of any length are measured.
var (
	lengths = []int{1, 2, 4, 8, 16, 24, 32, 48, 64, 128, 256, 1024, 4096}
	words   = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 24, 32, 48, 64, 128, 256, 1024, 4096}
)

// TestCosts measures the first length of a routine, or all with -update.
func TestCosts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program and counts its instructions in valgrind")
	}
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Skip("valgrind is not installed")
	}
	program := filepath.Join(t.TempDir(), "measure")
	build := exec.Command("go", "build", "-ldflags=-checklinkname=0", "-o", program, ".")
	build.Dir = "testdata/measure"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !*update {
		r := Find("internal/bytealg", "IndexByte")
		if got, want := cost(t, program, r.Name, int(r.Points[0][0])), r.Points[0][1]; max(got-want, want-got)*4 > want { // processors differ
			t.Errorf("%s: %d instructions, %d in the table: measure the costs again with -update", r.Name, got, want)
		}
		return
	}
	var out bytes.Buffer
	for line := range strings.Lines(text) {
		r := parse(line)
		if r == nil {
			out.WriteString(line)
			continue
		}
		fmt.Fprint(&out, strings.Join(strings.Fields(line)[:5], "\t"), "\t")
		at := lengths
		switch {
		case r.Length == "":
			at = lengths[:1]
		case strings.HasPrefix(r.Name, "math/big."):
			at = words
		}
		var points []string
		for _, n := range at {
			if c := cost(t, program, r.Name, n); c > 0 && (n >= 64 || r.Name != "hash/crc32.ieeeCLMUL") { // which needs 64 bytes
				points = append(points, fmt.Sprintf("%d:%d", n, c))
			}
		}
		fmt.Fprintln(&out, strings.Join(points, " "))
	}
	if err := os.WriteFile("costs.txt", out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// cost measures the mean instructions of a call.
func cost(t *testing.T, program, routine string, n int) int64 {
	const times = 1000
	name := routine[strings.LastIndexByte(routine, '.')+1:]
	some, none := instructions(t, program, name, n, times), instructions(t, program, name, n, 0)
	own := symbols[name]
	if own == nil {
		own = []string{routine + ".abi0"} // callers in the same package need no wrapper
	}
	sum := int64(0)
	for f, n := range some {
		if slices.Contains(own, f) || len(own) > 1 && slices.Contains(own, strings.TrimSuffix(f, ".abi0")) {
			sum += n - none[f]
		}
	}
	return (sum + times/2) / times
}

// instructions returns those of each function in a run.
func instructions(t *testing.T, program, name string, n, times int) map[string]int64 {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out")
	cmd := exec.Command("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file="+file, program,
		name, strconv.Itoa(n), strconv.Itoa(times))
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1,cpu.rdtscp=off", "GOGC=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sums, function := map[string]int64{}, ""
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		if f, ok := strings.CutPrefix(lines.Text(), "fn="); ok {
			function = f
			continue
		}
		if f := strings.Fields(lines.Text()); len(f) == 2 && function != "" {
			k, _ := strconv.ParseInt(f[1], 10, 64)
			sums[function] += k
		}
	}
	return sums
}
