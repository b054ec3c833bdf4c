package instrument

import (
	"bufio"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "measure the calls of functions that are not instrumented, and write them to weigh/outside.txt")

// fewest is how many calls a mean needs.
const fewest = 50

// TestOutsideCalls measures the mean instructions of calls from instrumented code to other code, with callgrind in the
// programs of testdata/library. It is the mean of all programs, without the instrumented functions that are called back.
// Program runtime has the functions that the others do not call often.
// Without -update it measures one program, and demands that each function that it calls often has a row.
func TestOutsideCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("builds instrumented programs")
	}
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Skip("valgrind is not installed")
	}
	programs := []string{"chances"}
	if *update {
		programs = nil
		for _, c := range libraryPrograms {
			programs = append(programs, c.name)
		}
	}
	sums := map[string]callEdge{}
	measureOutside(t, programs, sums)
	if *update {
		more := map[string]callEdge{}
		measureOutside(t, []string{"runtime"}, more)
		for name, e := range more {
			if sums[name].calls < fewest {
				sums[name] = e
			}
		}
	}
	rows := ""
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		if e := sums[name]; e.calls >= fewest {
			rows += fmt.Sprintf("%s\t%.0f\n", name, e.cost/e.calls)
		}
	}
	compareOutside(t, rows)
}

// measureOutside adds the calls in programs of testdata/library to sums.
func measureOutside(t *testing.T, programs []string, sums map[string]callEdge) {
	t.Helper()
	for _, name := range programs {
		p, err := Build(t.Context(), Options{Dir: filepath.Join("testdata/library", name), Native: true, Messages: t.Output()})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Remove()
		for name, e := range outsideEdges(t, p.path) {
			sums[name] = callEdge{sums[name].calls + e.calls, sums[name].cost + e.cost}
		}
	}
}

// compareOutside demands a row of weigh/outside.txt for each of these, or writes the file with -update.
func compareOutside(t *testing.T, rows string) {
	const file = "internal/weigh/outside.txt"
	if *update {
		head := "# Mean instructions of calls of functions that are not instrumented, with all that they call. Callgrind measured them\n" +
			"# without garbage collection, with go1.26 on one x86-64 machine. Measure again with:\n" +
			"#\tgo test ./tracegen/instrument -run TestOutsideCalls -update\n"
		if err := os.WriteFile(file, []byte(head+rows), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if rows == "" {
		t.Error("no function that is not instrumented is called often")
	}
	for row := range strings.Lines(rows) {
		name, _, _ := strings.Cut(row, "\t")
		if !strings.Contains(string(text), "\n"+name+"\t") {
			t.Errorf("%s has no row for %s", file, row)
		}
	}
}

type callEdge struct{ calls, cost float64 }

// outsideEdges returns the calls from instrumented code to other code, by the name of the called function.
func outsideEdges(t *testing.T, program string) map[string]callEdge {
	t.Helper()
	file := filepath.Join(t.TempDir(), "callgrind")
	cmd := exec.Command("valgrind", "--tool=callgrind", "--callgrind-out-file="+file, program)
	cmd.Env = append(os.Environ(), "SPOOR_PROCS=1", "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1,cpu.rdtscp=off", "GOGC=off")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	names, edges, back := map[string]string{}, map[string]callEdge{}, map[string]float64{}
	caller, callee, calls := "", "", 0.0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), "=")
		switch {
		case key == "fn":
			caller = functionName(names, value)
		case key == "cfn":
			callee = functionName(names, value)
		case key == "calls":
			calls, _ = strconv.ParseFloat(strings.Fields(value)[0], 64)
		case calls > 0:
			f := strings.Fields(lines.Text())
			cost, _ := strconv.ParseFloat(f[len(f)-1], 64)
			switch from, to := isMeasured(caller), isMeasured(callee); {
			case from && !to && !callsBack(callee):
				edges[callee] = callEdge{edges[callee].calls + calls, edges[callee].cost + cost}
			case !from && to:
				back[caller] += cost
			case callee == "sync.(*Pool).pinSlow": // once for each pool
				back["sync.(*Pool).Get"] += cost
			}
			calls = 0
		}
	}
	for name, e := range edges {
		edges[name] = callEdge{e.calls, max(0, e.cost-back[name])}
	}
	return edges
}

// functionName reads a name of callgrind, which has a number and is written once. It cuts type arguments.
func functionName(names map[string]string, text string) string {
	number, name, ok := strings.Cut(text, " ")
	if ok {
		name, _, _ = strings.Cut(name, "'")
		name, _, _ = strings.Cut(name, "[")
		names[number] = name
	}
	return names[number]
}

// isMeasured reports whether a function is part of an instrumented package.
func isMeasured(name string) bool {
	slash := strings.LastIndexByte(name, '/') + 1
	dot := strings.IndexByte(name[slash:], '.')
	if dot < 0 {
		return false
	}
	path := name[:slash+dot]
	below := func(prefix string) bool { return isBelow(path, prefix) }
	return path == "main" && name != "main.main" || !strings.HasPrefix(path, "spoor") &&
		(instrumentedInternal[path] || programCopies[path] || path != "main" && !slices.ContainsFunc(unchanged, below))
}

// callsBack reports whether a function mostly runs functions that its callers pass, is part of the recorder, or has no
// name.
func callsBack(name string) bool {
	return strings.HasPrefix(name, "sync.(*Once)") || strings.HasPrefix(name, "sync.(*Map)") || strings.HasPrefix(name, "spoor") ||
		strings.HasPrefix(name, "internal/sync.") || strings.HasPrefix(name, "(") || strings.HasPrefix(name, "0x")
}
