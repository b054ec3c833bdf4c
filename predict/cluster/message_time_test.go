package cluster

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/analyze/comm"
	"spoor/analyze/paths"
	"spoor/calibrate/machine"
	"spoor/predict/internal/replay"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// ring has n ranks that compute and pass bytes around, some rounds.
func ring(n, rounds int, bytes int64) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Program: "ring", Format: "test", Procs: n, WorkUnit: trace.WorkInstr}}
	for r := range n {
		var rows []trace.Event
		for i := range rounds {
			send, recv := trace.NewEvent(trace.Isend), trace.NewEvent(trace.Recv)
			send.Instr, send.Peer, send.Tag, send.Bytes = uint32(1000+100*((r+i)%3)), int32((r+1)%n), 0, bytes
			recv.Peer, recv.Tag = int32((r+n-1)%n), 0
			rows = append(rows, send, recv)
		}
		m.RefsOf, m.EventsOf = append(m.RefsOf, trace.Refs{Proc: trace.Proc(r)}), append(m.EventsOf, trace.Events{Proc: trace.Proc(r), Rows: rows})
	}
	return m
}

// messagesOf analyzes the messages of a trace into a folder.
func messagesOf(t *testing.T, src *trace.Memory) *Run {
	t.Helper()
	a := &paths.Analysis{Events: src, Collectives: comm.Doubling, Rendezvous: []int64{-1}, Meta: []trace.Arg{
		{Key: "program", Value: src.Head.Program}, {Key: "trace", Value: "abc"}, {Key: "procs", Value: "4"}}}
	res, err := a.Merge(nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := store.WriteTable(filepath.Join(dir, "paths.arrow"), res.Tables[0]); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestMessagesAreReplays: the model of messages is near the replay of the same trace, on every cluster of the machine files that it
// predicts, and says why it refuses the others.
func TestMessagesAreReplays(t *testing.T) {
	src := ring(4, 50, 3000)
	run := messagesOf(t, src)
	files, err := filepath.Glob("../../data/machine/*.toml")
	if err != nil {
		t.Fatal(err)
	}
	predicted := 0
	for _, file := range files {
		m, err := machine.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Messages{}.Predict(&Case{Runs: []*Run{run}, Machine: m, Processors: 4})
		if err != nil {
			if text := err.Error(); !strings.Contains(text, "machine "+m.Name) || !strings.Contains(text, "predict replay") && !strings.Contains(text, "has no section") && !strings.Contains(text, "it has") {
				t.Errorf("%s: %v", m.Name, err)
			}
			continue
		}
		predicted++
		res, err := replay.Simulate(context.Background(), src, nil, m, replay.Options{Scope: replay.Messages})
		if err != nil {
			t.Fatal(m.Name, err)
		}
		instr, _ := run.Params.Lookup("instructions")
		if off := float64(p.EInstr)*1e12*instr.Value/float64(res.Time) - 1; math.Abs(off) > 0.1 {
			t.Errorf("%s: %v off the replay, which takes %v", m.Name, off, res.Time)
		}
	}
	if predicted < 10 {
		t.Errorf("only %d clusters are predicted", predicted)
	}
}

// TestMessagesRefuse: what the model of messages does not know, it refuses.
func TestMessagesRefuse(t *testing.T) {
	run := messagesOf(t, ring(4, 5, 100))
	m, err := machine.Read("../../data/machine/loggp-example.toml")
	if err != nil {
		t.Fatal(err)
	}
	two := *m
	two.System.Processors = 2
	for want, c := range map[string]*Case{
		"share the nodes":               {Runs: []*Run{run}, Machine: &two, Processors: 4},
		"needs a run with 8 processors": {Runs: []*Run{run}, Machine: m, Processors: 8},
	} {
		if _, err := (Messages{}).Predict(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := (Paper{}).Predict(&Case{Runs: []*Run{run}, Machine: m, Processors: 4}); err == nil || !strings.Contains(err.Error(), "has no messages") {
		t.Error(err)
	}
}

// passing returns a trace whose processors use data of their own, and pass bytes around in a ring after each of ten phases.
func passing(bytes int64) *trace.Memory {
	src := record(4, 3000, slices.Repeat([]pattern{scatter(5, 3000, 0.3)}, 10)...)
	for p := range src.EventsOf {
		var rows []trace.Event
		for _, e := range src.EventsOf[p].Rows {
			send, recv := e, trace.NewEvent(trace.Recv)
			send.Kind, send.Peer, send.Tag, send.Bytes = trace.Isend, int32((p+1)%4), 0, bytes
			recv.Peer, recv.Tag, recv.Refs = int32((p+3)%4), 0, e.Refs
			rows = append(rows, send, recv)
		}
		src.EventsOf[p].Rows = rows
	}
	return src
}

// TestReferencesAndMessages: model mva is near the replay of references and messages together.
func TestReferencesAndMessages(t *testing.T) {
	m, err := machine.Read("../../data/machine/loggp-example.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, bytes := range []int64{8, 50_000} {
		src := passing(bytes)
		run := measured(t, src, m)
		instr := 0.0
		for p := range src.RefsOf {
			for _, n := range src.RefsOf[p].Instr {
				instr += float64(n)
			}
		}
		run.Params = paramsOf(t, map[string]float64{"instructions": instr, "passes_messages": 1})
		if run.messages = messagesOf(t, src).messages; run.messages == nil {
			t.Fatal("no paths")
		}
		p, err := MVA{}.Predict(&Case{Runs: []*Run{run}, Machine: m, Processors: 4})
		if err != nil {
			t.Fatal(err)
		}
		res, err := replay.Simulate(context.Background(), src, nil, m, replay.Options{Scope: replay.Both})
		if err != nil {
			t.Fatal(err)
		}
		if off := float64(p.EInstr)*1e12*instr/float64(res.Time) - 1; math.Abs(off) > 0.05 {
			t.Errorf("messages of %d bytes: %v off the replay, which takes %v", bytes, off, res.Time)
		}
	}
}
