package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spoor/tracegen/kernel"
	"spoor/tracegen/spmd"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// csvRows is what a command prints with --format csv, without the column trace.
func csvRows(t *testing.T, args ...string) [][]string {
	t.Helper()
	status, out, stderr := predict(append(args, "--format", "csv")...)
	if status != 0 {
		t.Fatalf("%v: status %d: %s", args, status, stderr)
	}
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, digest := range []string{"trace", machineDigest} {
		if at := slices.Index(rows[0], digest); at >= 0 {
			for i := range rows {
				rows[i] = slices.Delete(rows[i], at, at+1)
			}
		}
	}
	return rows
}

// recordedKernel is a trace of a kernel, as tracegen makes it.
func recordedKernel(t *testing.T, name string, procs int, set []string) (prefix string) {
	t.Helper()
	k, err := newKernelProgram(name, set, procs, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := k.(*kernelProgram)
	form, err := kernel.Find(kernel.Recorded, name)
	if err != nil {
		t.Fatal(err)
	}
	inst, err := form.New(p.values, procs, p.seed)
	if err != nil {
		t.Fatal(err)
	}
	head := p.header()
	head.WorkUnit = trace.WorkInstr
	prefix = filepath.Join(t.TempDir(), name)
	w, err := store.Create(prefix, head)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	recording, err := spmd.Record(t.Context(), spmd.Options{Procs: procs}, inst.Program, w)
	if err != nil {
		t.Fatal(err)
	}
	head.Regions = recording.Regions
	if err := w.Close(head); err != nil {
		t.Fatal(err)
	}
	return prefix
}

// A kernel that shares memory gives the rows of a replay of its trace, on machines of all kinds; but tasks
// are given out anew, and the table says so.
func TestDirectSharesMemory(t *testing.T) {
	machines := []string{"--machine", "../data/machine/du2000-smp-256k.toml", "--machine", "../data/machine/spasm-mesh-clogp-traffic.toml",
		"--barrier", "1us"}
	for kernel, set := range map[string][]string{"fft": {"points=256"}, "cholesky": {"rings=2", "spokes=8"}} {
		prefix, run := recordedKernel(t, kernel, 4, set), []string{"direct", kernel, "--procs", "4"}
		for _, s := range set {
			run = append(run, "--set", s)
		}
		replayed := csvRows(t, append([]string{"replay", prefix}, machines...)...)
		simulated := csvRows(t, append(run, machines...)...)
		last := len(replayed[0]) - 1
		for i := range replayed {
			want, got := replayed[i], simulated[i]
			switch {
			case i > 0 && kernel == "cholesky":
				if want[last] != "recorded" || got[last] != "simulated" || slices.Equal(want[:last], got[:last]) {
					t.Errorf("%s: %v, and %v replayed", kernel, got, want)
				}
			case !slices.Equal(got, want) || i > 0 && got[last] != "none":
				t.Errorf("%s: %v, and %v replayed", kernel, got, want)
			}
		}
		phases := slices.Concat(machines, []string{"--phases"})
		if kernel == "fft" && !slices.EqualFunc(csvRows(t, append([]string{"replay", prefix}, phases...)...),
			csvRows(t, append(run, phases...)...), slices.Equal) {
			t.Errorf("%s: other phases", kernel)
		}
	}
}

func TestDirectNativeOfSharedMemory(t *testing.T) {
	rows := csvRows(t, "direct", "ep", "--procs", "2", "--set", "numbers=256", "--machine", "../data/machine/du2000-smp-256k.toml", "--native", "--repeat", "2")
	if got := rows[0][len(rows[0])-5:]; !slices.Equal(got, []string{"native", "native_compute", "error", "simulated_in", "slowdown"}) {
		t.Errorf("columns %v", got)
	}
	for _, column := range []int{5, 4} {
		if got, err := strconv.ParseFloat(rows[1][len(rows[1])-column], 64); err != nil || got <= 0 {
			t.Errorf("%s is %v, error %v", rows[0][len(rows[0])-column], got, err)
		}
	}
	status, out, _ := predict("direct", "ep", "--procs", "2", "--set", "numbers=256", "--machine", "../data/machine/du2000-smp-256k.toml", "--native")
	head, _, _ := strings.Cut(out, "\n")
	for _, column := range []string{"native [s]", "error [1]", "slowdown"} {
		t.Run(column, func(t *testing.T) {
			if status != 0 || !strings.Contains(head, "  "+column) {
				t.Errorf("the table has no column %s: %s", column, head)
			}
		})
	}
}

func TestDirectMistakes(t *testing.T) {
	smp := "--machine=../data/machine/du2000-smp-256k.toml"
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"ep", smp, "--timeline", "x.json"}, 2, "--timeline cannot be used: ep shares memory"},
		{[]string{"ep", smp, "--ahead", "3"}, 2, "--ahead cannot be used"},
		{[]string{"ep", smp, "--barrier", "3"}, 2, "--barrier"},
		{[]string{"ep", smp, "--barrier", "3s"}, 2, "--barrier 3s is not from 0s to 1s"},
		{[]string{"ep", smp, "--procs", "8"}, 1, "the program has 8 processors, and the machine has only 4"},
		{[]string{"sor", smp, "--procs", "2", "--set", "g=4"}, 1, "has no section [network]"},
		{[]string{"sor", smp, "--barrier", "1us"}, 2, "--barrier cannot be used: the simulation covers references and messages of sor"},
		{[]string{"ep", smp, "--references=false"}, 2, "--references=false: ep shares memory, so its references must be simulated"},
		{[]string{"sor", smp, "--references", "--ahead", "3"}, 2, "--ahead cannot be used: the simulation covers references and messages of sor"},
		{[]string{"sor", smp, "--references", "--procs", "2", "--set", "g=4"}, 1, "has no section [network]"},
	} {
		t.Run(fmt.Sprint(c.args), func(t *testing.T) {
			status, out, stderr := predict(append([]string{"direct"}, c.args...)...)
			if status != c.status || out != "" || !strings.Contains(stderr, c.want) {
				t.Errorf("%v: status %d, %q: %s", c.args, status, out, stderr)
			}
		})
	}
}

// A program that shares memory and passes messages, or whose references are asked for with its messages, gives the rows of a replay of its trace.
func TestDirectDoesBoth(t *testing.T) {
	machines := []string{"--machine", "../data/machine/du2000-clump-2x2-256k-155m.toml", "--machine", "../data/machine/spasm-mesh.toml", "--references"}
	replayed := csvRows(t, append([]string{"replay", recordedKernel(t, "sor", 4, []string{"g=6"})}, machines...)...)
	simulated := csvRows(t, append([]string{"direct", "sor", "--procs", "4", "--set", "g=6"}, machines...)...)
	if !slices.EqualFunc(simulated, replayed, slices.Equal) {
		t.Errorf("got %v, and replayed %v", simulated, replayed)
	}
	sum := 0.0
	for _, name := range []string{"ideal", "memory_latency", "memory_contention", "sync", "overhead", "message_latency", "message_contention", "wait", "end"} {
		value, err := strconv.ParseFloat(simulated[1][slices.Index(simulated[0], name)], 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += value
	}
	total, err := strconv.ParseFloat(simulated[1][slices.Index(simulated[0], "time")], 64)
	if err != nil || math.Abs(sum/total-1) > 1e-9 {
		t.Errorf("parts add up to %g, the run takes %g, %v", sum, total, err)
	}
}

// One command line is about a program that passes messages on any number of processors, one of which has nobody to pass any to: all have what their misses
// take, but with --references=false none has, and a note says so, in a replay as in a simulation of the program.
func TestReferencesOfAScalingStudy(t *testing.T) {
	machine := []string{"--machine", "../data/machine/loggp-example.toml"}
	none := "references are not simulated: misses of caches cost nothing"
	for _, procs := range []int{1, 2} {
		prefix := recordedKernel(t, "convscan", procs, []string{"l=16"})
		replay := append([]string{"replay", prefix}, machine...)
		direct := append([]string{"direct", "convscan", "--procs", strconv.Itoa(procs), "--set", "l=16"}, machine...)
		time := func(args []string, flag ...string) float64 {
			rows := csvRows(t, append(slices.Clone(args), flag...)...)
			v, err := strconv.ParseFloat(rows[1][slices.Index(rows[0], "time")], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		with, without := time(replay, "--references"), time(replay, "--references=false")
		if !(with > 1.2*without) || time(direct, "--references") != with || time(direct, "--references=false") != without {
			t.Errorf("%d processors: %v with references, %v without; direct %v, %v", procs, with, without, time(direct, "--references"), time(direct, "--references=false"))
		}
		for _, args := range [][]string{replay, direct} {
			if got := time(args); got != with {
				t.Errorf("%d processors: %v, want %v", procs, got, with)
			}
			for flag, want := range map[string]int{"--quiet=false": 0, "--references": 0, "--references=false": 1} {
				if _, _, errs := predict(append(slices.Clone(args), flag)...); strings.Count(errs, none) != want {
					t.Errorf("%d processors, %s: %s", procs, flag, errs)
				}
			}
		}
	}
}
