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

// Programs end when SMPI of SimGrid 3.32 says. testdata/simgrid has their traces, the platforms and the machine files made from
// these, and times.txt with what SimGrid printed; see measure.sh.
func TestSimGridAgrees(t *testing.T) {
	const tolerance, printed = 0.001, 0.5e-6 // relative, and of the printed digits
	traces := filepath.Join(stagetest.Build(t, ".."), "traces")
	dir := filepath.Join("testdata", "simgrid")
	measured, err := os.ReadFile(filepath.Join(dir, "times.txt"))
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for line := range strings.Lines(string(measured)) {
		var name, platform string
		var want float64
		if _, err := fmt.Sscan(line, &name, &platform, &want); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		cases++
		t.Run(name, func(t *testing.T) {
			prefix := filepath.Join(t.TempDir(), "trace")
			if out, err := exec.Command(traces, "import", filepath.Join(dir, name+".ti"), "--from", "simgrid-ti", "-o", prefix).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			status, out, stderr := predict("replay", prefix, "--machine", filepath.Join(dir, platform+".toml"), "--semantics", "simgrid", "--format", "json")
			var run struct{ Procs []struct{ Time float64 } }
			if err := json.Unmarshal([]byte(out), &run); status != 0 || err != nil {
				t.Fatalf("status %d, %v\n%s", status, err, stderr)
			}
			last := 0.0
			for _, p := range run.Procs {
				last = max(last, p.Time)
			}
			t.Logf("%.6f s, %+.3f %% of SimGrid's %.6f s", last, 100*(last/want-1), want)
			if math.Abs(last-want) > tolerance*want+printed {
				t.Errorf("%v s, of SimGrid %v s: %+.2f %%", last, want, 100*(last/want-1))
			}
		})
	}
	if cases != 14 {
		t.Errorf("%d cases", cases)
	}
}
