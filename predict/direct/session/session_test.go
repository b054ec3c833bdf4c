package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/replay"
	"spoor/predict/internal/timeline"
	"spoor/tracegen/instrument"
	"spoor/tracegen/spmd"
	"spoor/traces/trace"
)

var smp = filepath.Join("..", "..", "..", "data", "machine", "du2000-smp-256k.toml")

// built is a program of a user's that shares memory.
func built(t *testing.T, o instrument.Options) *instrument.Program {
	t.Helper()
	o.Dir, o.Refs, o.Messages = filepath.Join("..", "..", "..", "tracegen", "instrument", "testdata", "mandelbrot"), true, t.Output()
	p, err := instrument.Build(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Remove(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// simulated is what becomes of it on the machine.
func simulated(t *testing.T, p *instrument.Program, journal string, args ...string) *replay.Result {
	t.Helper()
	text, err := os.ReadFile(smp)
	if err != nil {
		t.Fatal(err)
	}
	order, err := json.Marshal(Order{Machines: []Machine{{smp, text}}, Scope: replay.References, Phases: true, Journal: journal})
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Run(t.Context(), instrument.Run{Options: spmd.Options{Procs: 3}, Args: args, Simulate: string(order)})
	if err != nil {
		t.Fatal(err)
	}
	var result Result
	if err := json.Unmarshal(out.Simulated, &result); err != nil {
		t.Fatal(err)
	}
	res, err := result.Decode()
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// recording is a sink of a trace in memory.
type recording struct{ *trace.Memory }

func (r recording) Refs(b *trace.Refs) error {
	for i := range b.Len() {
		r.RefsOf[b.Proc].Append(b.Instr[i], b.Addr[i], b.Size[i], b.Op[i])
	}
	return nil
}

func (r recording) Events(b *trace.Events) error {
	r.EventsOf[b.Proc].Rows = append(r.EventsOf[b.Proc].Rows, b.Rows...)
	return nil
}

// pathOf is the critical path of what the program's process observed.
func pathOf(t *testing.T, journal string, res *replay.Result) []timeline.Segment {
	t.Helper()
	file, err := os.Open(journal)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	path := timeline.NewPath(len(res.Procs))
	if err := observe.ReadJournal(file, path); err != nil {
		t.Fatal(err)
	}
	return path.CriticalPath(res.Time)
}

// A program of a user's takes as long as a replay of its trace.
func TestProgramsThatShareMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("builds an instrumented program")
	}
	const procs = 3
	args := []string{"-dealt", "-size", "16"}
	p := built(t, instrument.Options{Sharing: true, Session: Path})
	journal := filepath.Join(t.TempDir(), "journal")
	got := simulated(t, p, journal, args...)
	k := &trace.Memory{Head: trace.Header{Procs: procs, WorkUnit: trace.WorkInstr}, RefsOf: make([]trace.Refs, procs), EventsOf: make([]trace.Events, procs)}
	for i := range trace.Proc(procs) {
		k.RefsOf[i].Proc, k.EventsOf[i].Proc = i, i
	}
	out, err := built(t, instrument.Options{}).Run(t.Context(), instrument.Run{Options: spmd.Options{Procs: procs, Allocated: true}, Args: args, Sink: recording{k}})
	if err != nil {
		t.Fatal(err)
	}
	k.Head.Regions = out.Recording.Regions
	m, err := machine.Read(smp)
	if err != nil {
		t.Fatal(err)
	}
	path := timeline.NewPath(procs)
	want, err := replay.Simulate(t.Context(), k, nil, m, replay.Options{Scope: replay.References, Phases: true, Observer: path})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, want := pathOf(t, journal, got), path.CriticalPath(want.Time); len(got) < 3 || !reflect.DeepEqual(got, want) {
		t.Errorf("critical path %+v, want %+v", got, want)
	}
	if got := simulated(t, p, "", "-size", "16"); !got.TaskQueues {
		t.Error("it takes no tasks from a queue")
	}
}
