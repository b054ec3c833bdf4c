package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A timeline for Paraver has its labels beside it, one for each type of event that is in it.
func TestTimelineOfParaverHasLabels(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "run.prv")
	if status, _, stderr := predict("replay", writeMessages(t), writeMachine(t, "m", "[system]", "[network]\nmodel = \"loggp\"\nL = \"100 ns\"\no = \"10 ns\"\ng = \"20 ns\"\nG = \"2 ns/B\"\n[system]"), "--timeline", file); status != 0 {
		t.Fatalf("status %d, %s", status, stderr)
	}
	labels := regexp.MustCompile(`(?m)^9 +(\d+) `).FindAllStringSubmatch(read(t, filepath.Join(dir, "run.pcf")), -1)
	known := map[string]bool{}
	for _, l := range labels {
		known[l[1]] = true
	}
	events := 0
	for line := range strings.Lines(read(t, file)) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		if fields[0] != "2" {
			continue
		}
		for i := 6; i < len(fields); i += 2 {
			events++
			if !known[fields[i]] {
				t.Errorf("type %s of %q has no label", fields[i], line)
			}
		}
	}
	if events == 0 {
		t.Error("no events")
	}
}

// paraver is what a timeline for Paraver says, read anew: for how long each processor is in each state [ns], and how many messages there are.
type paraver struct {
	states   []map[int64]int64
	messages int
}

// readParaver reads a timeline: records in order of time, none beyond the end of the header, calls that end before the next begin, and messages
// that are not received before they are sent.
func readParaver(t *testing.T, text string) (p paraver) {
	t.Helper()
	var end, last int64
	var procs, comms int
	header, body, _ := strings.Cut(text, "\n")
	_, header, _ = strings.Cut(header, "):")
	if n, err := fmt.Sscanf(header, "%d_ns:0:1:%d(", &end, &procs); n != 2 {
		t.Fatalf("header %q: %v", header, err)
	}
	if n, err := fmt.Sscanf(header[strings.LastIndex(header, ",")+1:], "%d", &comms); n != 1 {
		t.Fatalf("header %q: %v", header, err)
	}
	p.states = make([]map[int64]int64, procs)
	for i := range p.states {
		p.states[i] = map[int64]int64{}
	}
	in, runsTo := make([]bool, procs), make([]int64, procs)
	for line := range strings.Lines(body) {
		if line[0] == 'c' {
			comms--
			continue
		}
		var v []int64
		for _, text := range strings.Split(strings.TrimSpace(line), ":") {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			v = append(v, n)
		}
		at, proc := v[5], v[3]-1
		if at < last || at > end {
			t.Fatalf("%q after %d, of %d", line, last, end)
		}
		last = at
		switch v[0] {
		case 1:
			if at < runsTo[proc] || v[6] < at || v[6] > end || in[proc] && v[7] == 1 {
				t.Errorf("%q runs in a call, or after it ran to %d, of %d", line, runsTo[proc], end)
			}
			p.states[proc][v[7]] += v[6] - at
			runsTo[proc] = v[6]
		case 2:
			for i := 6; i < len(v); i += 2 {
				if call := v[i] == 50000001 || v[i] == 50000002; call {
					if in[proc] == (v[i+1] != 0) {
						t.Errorf("%q: a call begins in another, or ends that has not begun", line)
					}
					in[proc] = v[i+1] != 0
				}
			}
		case 3:
			p.messages++
			if sent, received := v[5], v[12]; v[6] < sent || received < v[11] || received < sent {
				t.Errorf("%q is received before it is sent, or posted", line)
			}
		}
	}
	if comms != 0 {
		t.Errorf("%d communicators more than there are", comms)
	}
	return p
}

// split is where the time of processors went, as reported [s].
type split struct {
	Time  float64
	Procs []struct{ Time, Compute, Overhead, Latency, Contention, Wait float64 }
}

// A timeline for Paraver has all messages, and processors are in its states for as long as the result says of the parts of their time, and idle at the end.
func TestTimelineOfParaverIsTheResult(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "run.prv")
	machine := writeMachine(t, "m", "[system]", "[network]\nmodel = \"loggp\"\nL = \"100 ns\"\no = \"10 ns\"\ng = \"20 ns\"\nG = \"2 ns/B\"\n[system]")
	status, out, stderr := predict("replay", writeMessages(t), machine, "--timeline", file, "--format", "json")
	var run split
	if err := json.Unmarshal([]byte(out), &run); status != 0 || err != nil {
		t.Fatalf("status %d, %v, %s", status, err, stderr)
	}
	text := read(t, file)
	got := readParaver(t, text)
	if len(got.states) != len(run.Procs) {
		t.Fatalf("%d processors, not %d", len(got.states), len(run.Procs))
	}
	within := 1 + float64(strings.Count(text, "\n1:")) // each begin and end is rounded to a nanosecond
	labels := read(t, filepath.Join(dir, "run.pcf"))
	for i, p := range run.Procs {
		for state, seconds := range map[int64]float64{0: run.Time - p.Time, 1: p.Compute, 7: p.Overhead, 3: p.Latency, 15: p.Contention, 9: p.Wait} {
			if math.Abs(float64(got.states[i][state])-seconds*1e9) > within {
				t.Errorf("processor %d is %d ns in state %d, not %v s", i, got.states[i][state], state, seconds)
			}
			if !regexp.MustCompile(fmt.Sprintf(`(?m)^%d +\S`, state)).MatchString(labels) {
				t.Errorf("state %d has no label", state)
			}
			delete(got.states[i], state)
		}
		if len(got.states[i]) > 0 {
			t.Errorf("processor %d: states %v", i, got.states[i])
		}
	}
	if got.messages == 0 {
		t.Error("no messages")
	}
	names := read(t, filepath.Join(dir, "run.row"))
	if want := fmt.Sprintf("LEVEL THREAD SIZE %d\n", len(run.Procs)); !strings.Contains(names, want) || strings.Count(names, "processor ") != 2*len(run.Procs) {
		t.Errorf("names are %q", names)
	}
}

// A timeline for Chrome is one file, whose slices of where time goes are as long as the result says, one after the other.
func TestTimelineOfChromeIsTheResult(t *testing.T) {
	dir := t.TempDir()
	status, out, stderr := predict("replay", writeMessages(t), writeMachine(t, "m", "[system]", "[network]\nmodel = \"loggp\"\nL = \"100 ns\"\no = \"10 ns\"\ng = \"20 ns\"\nG = \"2 ns/B\"\n[system]"), "--timeline", filepath.Join(dir, "run.json"), "--format", "json")
	var run split
	if err := json.Unmarshal([]byte(out), &run); status != 0 || err != nil {
		t.Fatalf("status %d, %v, %s", status, err, stderr)
	}
	var file struct {
		TraceEvents []struct {
			Name, Cat, Ph string
			Pid, Tid      int
			Ts, Dur       float64 // us
		}
	}
	if err := json.Unmarshal([]byte(read(t, filepath.Join(dir, "run.json"))), &file); err != nil {
		t.Fatal(err)
	}
	ends, sums := map[[2]int]float64{}, map[string]float64{}
	for _, e := range file.TraceEvents {
		if e.Ph != "X" {
			continue
		}
		thread := [2]int{e.Pid, e.Tid}
		if e.Ts < ends[thread]-1e-6 {
			t.Errorf("%+v begins before %v, when the one before it ends", e, ends[thread])
		}
		if ends[thread] = e.Ts + e.Dur; e.Cat == "state" {
			sums[fmt.Sprint(e.Name, e.Tid-len(run.Procs))] += e.Dur
		}
	}
	for i, p := range run.Procs {
		for name, seconds := range map[string]float64{"compute": p.Compute, "overhead": p.Overhead, "latency": p.Latency, "contention": p.Contention, "wait": p.Wait} {
			if got := sums[fmt.Sprint(name, i)]; math.Abs(got-seconds*1e6) > 1e-3 {
				t.Errorf("processor %d: %s takes %v us, not %v s", i, name, got, seconds)
			}
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("files %v", files)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
