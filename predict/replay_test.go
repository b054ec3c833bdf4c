package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spoor/predict/internal/memsys"
	"spoor/predict/internal/plainmachine"
	"spoor/predict/internal/stagetest"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// predict runs the command with args and returns its status and output.
func predict(args ...string) (status int, stdout, stderr string) {
	return stage.Capture(command, strings.NewReader(""), args...)
}

// caseOf names a case by its arguments, without the folders of files.
func caseOf(args ...string) string {
	var names []string
	for _, a := range args {
		if filepath.IsAbs(a) {
			a = filepath.Base(a)
		}
		names = append(names, a)
	}
	return strings.Join(names, " ")
}

// writeTrace writes a trace of procs processors that step through an array of
// their own and one that all share, with two barriers; change may spoil the events.
func writeTrace(t *testing.T, name string, procs int, change func([]trace.Event) []trace.Event, notes ...string) string {
	t.Helper()
	prefix := filepath.Join(t.TempDir(), name)
	writeHead(t, prefix, trace.Header{Program: name, Format: "spmd", Procs: procs, WorkUnit: trace.WorkInstr, Notes: notes}, change)
	return prefix
}

// writeHead is writeTrace with a header.
func writeHead(t *testing.T, prefix string, head trace.Header, change func([]trace.Event) []trace.Event) {
	t.Helper()
	procs := head.Procs
	w, err := store.Create(prefix, head)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for p := range procs {
		refs := trace.Refs{Proc: trace.Proc(p)}
		for i := range uint64(3000) {
			refs.Append(2, uint64(p+1)<<20+8*i, 8, trace.Store)
			refs.Append(1, 8*(i%512), 8, trace.Op(1+i%2))
		}
		var rows []trace.Event
		for k := range 2 {
			e := trace.NewEvent(trace.Barrier)
			e.Instr, e.Refs, e.Peer = 3000, 2000*uint64(k+1), 0
			rows = append(rows, e)
		}
		if change != nil {
			rows = change(rows)
		}
		if err := w.Refs(&refs); err != nil {
			t.Fatal(err)
		}
		if err := w.Events(&trace.Events{Proc: trace.Proc(p), Rows: rows}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(head); err != nil {
		t.Fatal(err)
	}
}

// writeEvents writes a trace of two processors that has no references, and the same events on each, if any.
func writeEvents(t *testing.T, rows []trace.Event) string {
	t.Helper()
	prefix := filepath.Join(t.TempDir(), "events")
	head := trace.Header{Program: "events", Format: "spmd", Procs: 2, WorkUnit: trace.WorkInstr}
	w, err := store.Create(prefix, head)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for p := range trace.Proc(2) {
		if err := w.Events(&trace.Events{Proc: p, Rows: rows}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(head); err != nil {
		t.Fatal(err)
	}
	return prefix
}

// What marks places and does nothing else takes no time.
func TestReplayOfNothing(t *testing.T) {
	prefix := writeEvents(t, []trace.Event{trace.NewEvent(trace.Marker)})
	machine := filepath.Join("..", "data", "machine", "loggp-example.toml")
	status, out, stderr := predict("replay", prefix, machine, "--format", "json")
	var run struct {
		Time  float64
		Procs []struct{ Time float64 }
	}
	if err := json.Unmarshal([]byte(out), &run); status != 0 || err != nil || run.Time != 0 || len(run.Procs) != 2 {
		t.Errorf("status %d, %v\n%s%s", status, err, out, stderr)
	}
}

// writeMachine writes a machine description with some lines replaced.
func writeMachine(t *testing.T, name string, replace ...string) string {
	t.Helper()
	text := plainmachine.Text(t, append([]string{`"m"`, `"` + name + `"`}, replace...)...)
	path := filepath.Join(t.TempDir(), name+".toml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReplayJSON(t *testing.T) {
	status, out, stderr := predict("replay", writeTrace(t, "pair", 2, nil), "--machine", writeMachine(t, "m"), "--format", "json")
	if status != 0 || stderr != "" {
		t.Fatalf("status %d: %s", status, stderr)
	}
	var run struct {
		Time             float64
		Procs            []map[string]float64
		Messages, Events int
	}
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&run); err != nil {
		t.Fatal(err)
	}
	if len(run.Procs) != 2 || run.Messages != 0 || run.Events != 4 {
		t.Errorf("%s", out)
	}
	last := 0.0
	for i, p := range run.Procs {
		sum := p["compute"] + p["overhead"] + p["latency"] + p["contention"] + p["wait"]
		if len(p) != 7 || p["proc"] != float64(i) || math.Abs(sum-p["time"]) > 1e-15 {
			t.Errorf("processor %d: parts add up to %g: %v", i, sum, p)
		}
		// 9000 instructions and 6000 touches of 1 ns each
		if p["compute"] != 15e-6 {
			t.Errorf("processor %d computes for %g s, want 15 us", i, p["compute"])
		}
		last = max(last, p["time"])
	}
	if last != run.Time {
		t.Errorf("the run takes %g s, the slowest processor %g", run.Time, last)
	}
}

// TestReplayTable: one row for each trace and machine in the order given, parts
// that add up, and the same bytes however many simulations run at once.
func TestReplayTable(t *testing.T) {
	one, four := writeTrace(t, "one", 1, nil), writeTrace(t, "four", 4, nil)
	small, large := writeMachine(t, "small"), writeMachine(t, "large", "16 KiB", "64 KiB")
	var first []byte
	for _, workers := range []int{1, 2, 5} {
		file := filepath.Join(t.TempDir(), "out.arrow")
		status, _, stderr := predict("replay", one, four, "--machine", small, large, "-o", file, "--workers", fmt.Sprint(workers))
		if status != 0 {
			t.Fatal(stderr)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = content
			checkSimulations(t, file)
		}
		if !bytes.Equal(content, first) {
			t.Errorf("%d workers give other bytes", workers)
		}
	}
}

func checkSimulations(t *testing.T, file string) {
	t.Helper()
	table, err := store.ReadTable(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	number := map[string][]float64{}
	for _, c := range table.Columns {
		if d, ok := c.Data.([]float64); ok {
			number[c.Name] = d
		}
	}
	program, _ := store.Data[string](table, "program")
	machine, _ := store.Data[string](table, "machine")
	processors, _ := store.Data[int32](table, "processors")
	for i := range table.Rows() {
		rows = append(rows, fmt.Sprint(program[i], " ", machine[i], " ", processors[i]))
		sum := number["ideal"][i] + number["memory_latency"][i] + number["memory_contention"][i] + number["sync"][i] + number["end"][i]
		if e := number["time"][i]; !(e > 0 && number["e_instr"][i] > 0) || math.Abs(sum-e) > 1e-12*e {
			t.Errorf("%s: parts add up to %g, the time is %g", rows[i], sum, e)
		}
	}
	if got, want := strings.Join(rows, ","), "one small 1,one large 1,four small 4,four large 4"; table.Name != "simulation" || got != want {
		t.Errorf("table %q of %s, want %s", table.Name, got, want)
	}
	if number["coherence_share"][0] != 0 || number["coherence_share"][2] <= 0 || number["time"][1] > number["time"][0] {
		t.Errorf("%+v", number)
	}
}

// TestReplayPhases: three phases for each processor, whose parts add up to the
// time of the run.
func TestReplayPhases(t *testing.T) {
	prefix, machine := writeTrace(t, "pair", 2, nil), writeMachine(t, "m")
	status, out, stderr := predict("replay", prefix, "--machine", machine, "--phases", "--format", "json")
	if status != 0 {
		t.Fatal(stderr)
	}
	var rows []struct {
		Proc, Phase, References               int
		Ideal, Sync                           float64
		Latency                               float64 `json:"memory_latency"`
		Contention                            float64 `json:"memory_contention"`
		Program, Machine                      string
		Misses, Upgrades, Writebacks, Touches int
	}
	if err := json.Unmarshal([]byte(out), &rows); err != nil || len(rows) != 6 {
		t.Fatalf("%v: %s", err, out)
	}
	times := [2]float64{}
	for i, r := range rows {
		times[r.Proc] += r.Ideal + r.Latency + r.Contention + r.Sync
		if r.Proc != i/3 || r.Phase != i%3 || r.References != 2000 || r.Misses == 0 {
			t.Errorf("row %d: %+v", i, r)
		}
	}
	if math.Abs(times[0]-times[1]) > 1e-15 {
		t.Errorf("the phases of the processors take %v", times)
	}
}

// TestReplayTargets: the help names every target.
func TestReplayTargets(t *testing.T) {
	_, help, _ := predict("--help")
	for _, target := range memsys.All {
		if !regexp.MustCompile(`[ \n]` + target.Name() + `(-target)?[ \n]`).MatchString(help) {
			t.Errorf("the help does not list target %s", target.Name())
		}
	}
}

func TestReplayForPeople(t *testing.T) {
	status, out, stderr := predict("replay", writeTrace(t, "pair", 2, nil), "--machine", writeMachine(t, "m"))
	if lines := strings.Split(out, "\n"); status != 0 || len(lines) != 7 || !strings.HasPrefix(lines[3], "proc ") {
		t.Errorf("status %d: %s%s", status, out, stderr)
	}
}

func TestReplayErrors(t *testing.T) {
	good, machine := writeTrace(t, "good", 2, nil), writeMachine(t, "m")
	unmatched := writeTrace(t, "unmatched", 2, func(e []trace.Event) []trace.Event { e[1].Kind = trace.Lock; return e })
	message := writeTrace(t, "message", 2, func(e []trace.Event) []trace.Event { e[1].Kind = trace.Send; return e })
	noRefs := writeTrace(t, "norefs", 2, nil)
	if err := os.Remove(noRefs + store.RefsSuffix); err != nil {
		t.Fatal(err)
	}
	three := writeTrace(t, "three", 3, nil)
	empty := writeEvents(t, nil)
	for _, c := range []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"no machine", []string{good}, 2, "--machine"},
		{"no trace", []string{machine}, 2, "no trace"},
		{"no argument", nil, 2, "arg"},
		{"barrier without unit", []string{good, machine, "--barrier", "5"}, 2, "no unit"},
		{"negative barrier", []string{good, machine, "--barrier", "-5ns"}, 2, "0s to 1s"},
		{"no workers", []string{good, machine, "--workers", "0"}, 2, "at least 1 is needed"},
		{"empty trace", []string{empty, machine}, 1, "replaying " + empty + ": the trace is empty: it has no instructions, references or events"},
		{"missing trace", []string{good + "x", machine}, 1, "goodx"},
		{"missing machine", []string{good, machine + "x.toml"}, 1, "x.toml"},
		{"missing refs", []string{noRefs, machine}, 1, "is the refs file complete?"},
		{"too many processors", []string{good, writeMachine(t, "single", "processors = 4", "processors = 1")}, 1, "the trace has 2 processors, but the machine only 1"},
		{"no machine that is filled", []string{good, machine, "--full"}, 1, "no machine has as many processors as the trace, 2"},
		{"no such network", []string{three, writeMachine(t, "numa", `"smp"`, `"ccnuma"`, "processors = 4", "processors = 1\nnodes = 4\n[network]\nmodel = \"hypercube\"\nbandwidth = \"20 MB/s\"")},
			1, "a hypercube of 3 processors: their number must be a power of two"},
		{"lines of two sizes", []string{good, writeMachine(t, "levels", "[memory]", "[[cache]]\nsize = \"1 MiB\"\nline = \"128 B\"\nways = 2\nlatency = \"9 cycles\"\n[memory]")},
			1, "the same line size"},
		{"slow clock", []string{good, writeMachine(t, "slow", "1 GHz", "1 kHz")}, 1, "takes from 0 to 1us"},
		{"deadlock", []string{unmatched, machine}, 1, "waits for lock 0, which processor 0 holds"},
		{"message", []string{message, machine}, 1, "has no section [network], and the trace has messages"},
		{"several errors: the first", []string{good, unmatched, three, machine, writeMachine(t, "two", "processors = 4", "processors = 3")}, 1, "replaying " + unmatched + " on m:"},
		{"locks without references", []string{unmatched, machine, "--references=false"}, 2, "--references=false: " + unmatched + " has locks, tasks, flags or forks"},
		{"warm without references", []string{good, machine, "--references=false", "--warm"}, 2, "--warm needs caches, and references are not simulated"},
		{"semantics", []string{good, machine, "--semantics", "mpi"}, 2, "unknown semantics \"mpi\""},
		{"algorithm", []string{good, machine, "--collectives", "apart"}, 2, "unknown algorithm \"apart\""},
		{"computation", []string{good, machine, "--computation", "guessed"}, 2, "unknown source \"guessed\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "out.arrow")
			status, out, stderr := predict(append([]string{"replay", "-o", file}, c.args...)...)
			if status != c.status || out != "" || !strings.Contains(stderr, c.want) {
				t.Errorf("status %d, stdout %q, stderr %q; want status %d and %q", status, out, stderr, c.status, c.want)
			}
			if left, _ := filepath.Glob(file + "*"); len(left) > 0 {
				t.Errorf("%s left %v", c.name, left)
			}
		})
	}
}

// A recording that lacks work has a warning in every prediction, whatever the kind of simulation or model.
func TestLackingRecordings(t *testing.T) {
	prefix, m := filepath.Join(t.TempDir(), "own"), writeMachine(t, "m")
	writeHead(t, prefix, trace.Header{Program: "own", Format: "spmd", Procs: 2, WorkUnit: trace.WorkInstr, Unrecorded: trace.Unrecorded{Instr: 0.458, Refs: 0.404}}, nil)
	const warning = "the recording lacks about 45.8 % of the instructions and 40.4 % of the references (see traces info): "
	status, _, errs := predict("replay", prefix, "--machine", m, "--machine", m)
	if status != stage.Done || strings.Count(errs, prefix+": "+warning) != 1 {
		t.Errorf("replay: status %d: %s", status, errs)
	}
	lacking := func(dir string) string {
		file := filepath.Join(dir, "locality.params.toml")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		const facts = ", recorded without 45.8 % of the instructions and 40.4 % of the references\""
		whole := regexp.MustCompile(`(source = "[^"]*)"`).ReplaceAllString(string(text), "${1}"+facts)
		if whole == string(text) {
			whole = strings.ReplaceAll(whole, "unit = ", "source = \"x"+facts+"\nunit = ")
		}
		if err := os.WriteFile(file, []byte(whole), 0o666); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	params, have := lacking(writeAnalysis(t, "2", true)), "../data/machine/du2000-cow-4-256k-100m.toml"
	sizes := writeSizes(t)
	lacking(sizes[1])
	file := filepath.Join(t.TempDir(), "large.params.toml")
	for _, args := range [][]string{
		{"cluster", "--params", params, "--machine", m, "--processors", "2", "--model", "paper"},
		{"budget", "--params", params, "--prices", shop1999, "--budget", "$20000", "--model", "paper"},
		{"upgrade", "--params", params, "--prices", shop1999, "--have", have, "--budget", "$20000", "--model", "paper"},
		{"scaling", "--params", strings.Join(sizes, ","), "--processors", "2", "--size", "n=4096", "-o", file},
	} {
		t.Run(caseOf(args...), func(t *testing.T) {
			status, out, errs := predict(args...)
			if status != stage.Done || strings.Count(out, "warning: "+warning) != 1 {
				t.Errorf("%s: status %d: %s%s", args[0], status, out, errs)
			}
		})
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "runs of prog, recorded without 45.8 %") {
		t.Errorf("%v: extrapolated parameters do not say what they lack:\n%s", err, text)
	}
}

// TestReplayFits: of several machines, those that cannot run a trace are left out with a note, and with --full those
// that it does not fill too.
func TestReplayOfSamples(t *testing.T) {
	sample := writeTrace(t, "sample", 2, nil, trace.SampleNote("0.1 of all lines"))
	m := writeMachine(t, "m")
	status, _, errs := predict("replay", sample, "--machine", m, "--machine", m)
	if note := sample + ": the trace is a sample (0.1 of all lines): its rates"; status != 0 || strings.Count(errs, note) != 1 {
		t.Errorf("status %d, not one note of a sample: %s", status, errs)
	}
	if status, _, errs = predict("replay", writeTrace(t, "whole", 2, nil), "--machine", m); status != 0 || strings.Contains(errs, "sample") {
		t.Errorf("status %d: %s", status, errs)
	}
	dir := filepath.Join(t.TempDir(), "q")
	if status, _, errs = predict("replay", sample, "--machine", m, "--quanta", dir); status != 0 {
		t.Fatalf("status %d: %s", status, errs)
	}
	if params, err := os.ReadFile(filepath.Join(dir, "quanta.params.toml")); err != nil || !strings.Contains(string(params), ", a sample: 0.1 of all lines") {
		t.Errorf("%v: parameters do not say that they are of a sample:\n%s", err, params)
	}
}

func TestReplayFits(t *testing.T) {
	prefix := writeTrace(t, "t", 2, nil)
	small := writeMachine(t, "small", "processors = 4", "processors = 1")
	filled := writeMachine(t, "filled", "processors = 4", "processors = 2")
	large := writeMachine(t, "large")
	for _, c := range []struct {
		args, want, not string
		note            bool
	}{
		{"", "filled large", "small", true},
		{"--full", "filled", "large", false},
	} {
		args := append([]string{"replay", prefix, small, filled, large, "--format", "csv"}, strings.Fields(c.args)...)
		status, out, errs := predict(args...)
		if status != 0 || strings.Contains(out, c.not) || strings.Contains(errs, "skipped 1 simulation") != c.note {
			t.Errorf("%q: status %d, %s, %s", c.args, status, out, errs)
		}
		for _, want := range strings.Fields(c.want) {
			if !strings.Contains(out, want) {
				t.Errorf("%q: %s is not in %s", c.args, want, out)
			}
		}
	}
}

// writeMessages writes a trace of two processors, the first of which sends 10 bytes to the second 50
// instructions after its start.
func writeMessages(t *testing.T) string {
	t.Helper()
	prefix := filepath.Join(t.TempDir(), "pair")
	head := trace.Header{Program: "pair", Format: "spmd", Procs: 2, WorkUnit: trace.WorkInstr}
	w, err := store.Create(prefix, head)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	send, recv := trace.NewEvent(trace.Send), trace.NewEvent(trace.Recv)
	send.Instr, send.Peer, send.Tag, send.Bytes = 50, 1, 0, 10
	recv.Peer, recv.Tag = 0, 0
	for p, e := range []trace.Event{send, recv} {
		if err := w.Events(&trace.Events{Proc: trace.Proc(p), Rows: []trace.Event{e}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(head); err != nil {
		t.Fatal(err)
	}
	return prefix
}

// At 1 GHz the message leaves at 60 ns; its first byte comes at 160, its last at 178, and it is taken by 188:
// of the 178 that the second processor waits, it is on its way for 118.
func TestReplayMessages(t *testing.T) {
	prefix := writeMessages(t)
	machine := writeMachine(t, "m", "[system]", "[network]\nmodel = \"loggp\"\nL = \"100 ns\"\no = \"10 ns\"\ng = \"20 ns\"\nG = \"2 ns/B\"\n[system]")
	const pair = `{
  "time": 1.88e-7,
  "procs": [
    {
      "proc": 0,
      "time": 6e-8,
      "compute": 5e-8,
      "overhead": 1e-8,
      "latency": 0,
      "contention": 0,
      "wait": 0
    },
    {
      "proc": 1,
      "time": 1.88e-7,
      "compute": 0,
      "overhead": 1e-8,
      "latency": 1.18e-7,
      "contention": 0,
      "wait": 6e-8
    }
  ],
  "messages": 1,
  "events": 2
}
`
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--format", "json"}, pair},
		{[]string{"--matrix", "--format", "csv"}, "program,machine,from,to,messages,bytes\npair,m,0,1,1,10\n"},
		{[]string{"--semantics", "loggopsim"}, "1     1.88e-07  0          2.8e-08       1e-07                0                       6e-08     1         10"},
		{nil, "pair     m        2           1.88e-07  2.5e-08"},
		{[]string{machine}, "pair     m        2           1.88e-07  2.5e-08"},
	} {
		t.Run(fmt.Sprint(c.args), func(t *testing.T) {
			status, out, stderr := predict(append([]string{"replay", prefix, "--machine", machine, "-o", filepath.Join(t.TempDir(), "out.arrow")}, c.args...)...)
			if status != 0 || !strings.Contains(out, c.want) {
				t.Errorf("%v: status %d, stderr %q, got\n%s\nwant\n%s", c.args, status, stderr, out, c.want)
			}
		})
	}
	// Slices of 1024 ps, of which 60 ns need 59 and 188 ns 184; the file holds what is printed.
	out := filepath.Join(t.TempDir(), "slices.arrow")
	status, text, stderr := predict("replay", prefix, machine, "--phases", "-o", out, "--format", "csv")
	if rows := strings.Split(strings.TrimSpace(text), "\n"); status != 0 || len(rows) != 1+59+184 ||
		rows[0] != "program,machine,processors,proc,slice,begin,ideal,memory_latency,memory_contention,sync,overhead,message_latency,message_contention,wait" || rows[1] != "pair,m,2,0,0,0,1.024e-09,0,0,0,0,0,0,0" {
		t.Errorf("status %d: %s, %d lines: %v", status, stderr, len(rows), rows[:min(len(rows), 2)])
	}
	if table, err := store.ReadTable(out); err != nil || table.Name != "simulated slices" || table.Rows() != 59+184 {
		t.Errorf("%v %+v", err, table)
	}
	if status, _, stderr := predict("replay", prefix, machine, "--phases", "--matrix"); status != 2 || !strings.Contains(stderr, "choose one") {
		t.Errorf("status %d: %s", status, stderr)
	}
}

// Programs that pass messages run on unequal nodes, too: each processor has the clock of its own.
func TestMessagesOnUnequalNodes(t *testing.T) {
	node := func(name, clock string) string {
		return writeMachine(t, name, "1 GHz", clock, `"smp"`, `"cow"`, "processors = 4", "processors = 1\nnodes = 4\n[network]\nmodel = \"switch\"\no = \"1 us\"\nbandwidth = \"1 Gb/s\"")
	}
	m, slow := node("m", "1 GHz"), node("slow", "0.5 GHz")
	sor := []string{"--procs", "4", "--set", "g=8", "--set", "iterations=5"}
	direct := func(args ...string) string {
		t.Helper()
		status, out, stderr := predict(slices.Concat([]string{"direct", "sor", "--format", "csv", "--machine", m}, sor, args)...)
		if status != stage.Done {
			t.Fatal(stderr)
		}
		return digestCell.ReplaceAllString(out, "")
	}
	equal, unequal := direct(), direct("--node", slow)
	if unequal == equal || !strings.Contains(unequal, ",m + slow,") {
		t.Errorf("on unequal nodes %s, on equal ones %s", unequal, equal)
	}
	if got := strings.ReplaceAll(direct("--node", m), ",m + m,", ",m,"); got != equal {
		t.Errorf("got %s\nwant %s", got, equal)
	}
}

// Nodes of another kind that are alike change nothing but the name; slower ones take longer, and with fewer processors a trace
// does not fill them.
func TestReplayUnequalNodes(t *testing.T) {
	trace := writeTrace(t, "four", 4, nil)
	cluster := func(name, clock, nodes string) string {
		return writeMachine(t, name, "1 GHz", clock, `"smp"`, `"cow"`, "processors = 4", "processors = 1\nnodes = "+nodes+"\n[network]\nmodel = \"bus\"\nbandwidth = \"1 Gb/s\"")
	}
	m, same, slow := cluster("m", "1 GHz", "4"), cluster("s", "1 GHz", "4"), cluster("slow", "0.5 GHz", "4")
	result := func(args ...string) string {
		t.Helper()
		status, out, stderr := predict(append([]string{"replay", trace, "--machine", m, "--format", "csv"}, args...)...)
		if status != stage.Done {
			t.Fatal(stderr)
		}
		return digestCell.ReplaceAllString(out, "")
	}
	equal := result()
	if got := strings.ReplaceAll(result("--node", same, "--node", same), ",m + s + s,", ",m,"); got != equal {
		t.Errorf("got %s\nwant %s", got, equal)
	}
	if got := result("--node", slow); got == equal || !strings.Contains(got, ",m + slow,") {
		t.Errorf("got %s", got)
	}
	for want, args := range map[string][]string{
		"the trace has 4 processors, and the machine has 5 in unequal nodes; use all of them": {"--machine", cluster("five", "1 GHz", "5"), "--node", slow},
		"5 nodes of other kinds among the 4":                                                  {"--machine", m, "--node", slow + "," + slow + "," + slow + "," + slow + "," + slow},
		"is a smp, whose nodes are equal":                                                     {"--machine", writeMachine(t, "smp"), "--node", slow},
	} {
		t.Run(want, func(t *testing.T) {
			if status, out, stderr := predict(append([]string{"replay", trace}, args...)...); status != stage.Failed || !strings.Contains(stderr, want) || out != "" {
				t.Errorf("%v: status %d, %s", args, status, stderr)
			}
		})
	}
}

// Quanta of simulated time hold the time in which processors wait for nothing, and predict windtunnel takes them.
func TestReplayQuanta(t *testing.T) {
	trace, m, dir := writeTrace(t, "pair", 2, nil), writeMachine(t, "m"), filepath.Join(t.TempDir(), "q")
	status, out, stderr := predict("replay", trace, "--machine", m, "--quanta", dir, "--quanta-length", "10", "--format", "csv")
	if status != stage.Done {
		t.Fatal(stderr)
	}
	_, table, _ := predict("replay", trace, "--machine", m, "--format", "csv")
	rows := strings.Split(strings.TrimSpace(table), "\n")
	heads, values := strings.Split(rows[0], ","), strings.Split(rows[1], ",")
	at := func(name string) float64 {
		v, err := strconv.ParseFloat(values[slices.Index(heads, name)], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	quanta := map[string]float64{}
	for _, l := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
		f := strings.Split(l, ",")
		quanta[f[0]], _ = strconv.ParseFloat(f[1], 64)
	}
	// Ideal time is in seconds, and a cycle takes 1 ns.
	if got, want := quanta["mu"]*quanta["quanta"]*quanta["targets"], at("ideal")*1e9*at("processors"); math.Abs(got-want) > 1e-6*want {
		t.Errorf("%v cycles in quanta, %v of ideal time", got, want)
	}
	if status, _, stderr := predict("windtunnel", "--params", dir, "--measured", dir); status != stage.Done {
		t.Error(stderr)
	}
	for want, args := range map[string][]string{
		"omit --phases, --matrix":  {"--quanta", dir, "--phases"},
		"is not from 1 to 1000000": {"--quanta", dir, "--quanta-length", "0"},
		"needs one trace on one":   {"--quanta", dir, "--machine", writeMachine(t, "n")},
	} {
		t.Run(want, func(t *testing.T) {
			if status, _, stderr := predict(append([]string{"replay", trace, "--machine", m}, args...)...); status != stage.WrongUsage || !strings.Contains(stderr, want) {
				t.Errorf("%v: status %d, %s", args, status, stderr)
			}
		})
	}
}

// What computes for times of its own, and does nothing else, takes them: there is nothing to count.
func TestReplayOfTimesAlone(t *testing.T) {
	dir := t.TempDir()
	file, prefix := filepath.Join(dir, "a.goal"), filepath.Join(dir, "a")
	if err := os.WriteFile(file, []byte("num_ranks 2\nrank 0 {\nl1: calc 100\n}\nrank 1 {\nl1: calc 30\nl2: calc 40\nl2 requires l1\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(filepath.Join(stagetest.Build(t, ".."), "traces"), "import", file, "-o", prefix).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	machine := filepath.Join("..", "data", "machine", "loggp-example.toml")
	status, out, stderr := predict("replay", prefix, "--machine", machine, "--format", "json")
	var run struct{ Procs []struct{ Time float64 } }
	if err := json.Unmarshal([]byte(out), &run); status != 0 || err != nil || len(run.Procs) != 2 {
		t.Fatalf("status %d, %v\n%s%s", status, err, out, stderr)
	}
	for i, want := range []float64{100e-9, 70e-9} {
		if got := run.Procs[i].Time; math.Abs(got-want) > 1e-15 {
			t.Errorf("rank %d takes %v s, want %v", i, got, want)
		}
	}
}
