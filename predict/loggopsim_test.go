package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spoor/predict/internal/stagetest"
)

// Schedules of LogGOPSim end, rank by rank and to the nanosecond, when LogGOPSim says. testdata/loggopsim has them as its schedgen
// made them, and beside each what it printed (spcl/LogGOPSim, 76451de).
func TestLogGOPSimAgrees(t *testing.T) {
	traces := filepath.Join(stagetest.Build(t, ".."), "traces")
	schedules, _ := filepath.Glob(filepath.Join("testdata", "loggopsim", "*.goal"))
	if len(schedules) < 3 {
		t.Fatalf("there are schedules %q", schedules)
	}
	for _, file := range schedules {
		name := strings.TrimSuffix(file, ".goal")
		l, want := loggopsimRun(t, name+".txt")
		prefix := filepath.Join(t.TempDir(), "schedule")
		if out, err := exec.Command(traces, "import", file, "-o", prefix).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		machine := writeMachine(t, "m", "[system]", l, `"smp"`, `"cow"`, "processors = 4", "processors = 1\nnodes = 8")
		status, out, stderr := predict("replay", prefix, machine, "--semantics", "loggopsim", "--format", "json")
		var run struct{ Procs []struct{ Time float64 } }
		if err := json.Unmarshal([]byte(out), &run); status != 0 || err != nil {
			t.Fatalf("%s: status %d, %v\n%s", name, status, err, stderr)
		}
		var got []int
		for _, p := range run.Procs {
			got = append(got, int(math.Round(p.Time*1e9)))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: ranks end at %v ns, with LogGOPSim at %v", name, got, want)
		}
	}
}

// loggopsimRun reads what LogGOPSim prints of a run: its parameters, as a network, and when each rank ends, in ns.
func loggopsimRun(t *testing.T, file string) (network string, ends []int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var ranks, cpus, nics, l, o, g, perByte, O, p, s int
	if n, err := fmt.Sscanf(string(text), "LogGP network backend; size: %d (%d CPUs, %d NICs); L=%d, o=%d g=%d, G=%d, O=%d, P=%d, S=%d",
		&ranks, &cpus, &nics, &l, &o, &g, &perByte, &O, &p, &s); n != 10 || O != 0 {
		t.Fatalf("%s: %d parameters, O = %d: %v", file, n, O, err)
	}
	_, times, _ := strings.Cut(string(text), "Times: \n")
	for line := range strings.Lines(times) {
		var host, ns int
		if _, err := fmt.Sscanf(line, "Host %d: %d", &host, &ns); err != nil || host != len(ends) {
			t.Fatalf("%s: %q: %v", file, line, err)
		}
		ends = append(ends, ns)
	}
	if len(ends) != ranks {
		t.Fatalf("%s: %d ranks, and times of %d", file, ranks, len(ends))
	}
	return fmt.Sprintf("[network]\nmodel = \"loggp\"\nL = \"%d ns\"\no = \"%d ns\"\ng = \"%d ns\"\nG = \"%d ns/B\"\nS = \"%d B\"\n[system]", l, o, g, perByte, s), ends
}
