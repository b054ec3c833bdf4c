package cluster

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/phases"
	"spoor/calibrate/machine"
	"spoor/predict/internal/model"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// locking is processors that take one lock many times, and add to what it guards.
func locking(procs, times int) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Program: "locking", Format: "test", Procs: procs, WorkUnit: trace.WorkInstr}}
	for p := range trace.Proc(procs) {
		refs, events := trace.Refs{Proc: p}, trace.Events{Proc: p}
		say := func(kind trace.Kind, instr uint32) {
			e := trace.NewEvent(kind)
			e.Instr, e.Refs = instr, uint64(len(refs.Addr))
			e.Peer = 1
			events.Rows = append(events.Rows, e)
		}
		for i := range times {
			say(trace.Lock, 0)
			for line := range uint64(8) {
				refs.Append(10, 64*line, 8, trace.Load)
				refs.Append(10, 64*line, 8, trace.Store)
			}
			say(trace.Unlock, 160)
			refs.Append(uint32(20+i%7), own(p), 8, trace.Load)
			e := trace.NewEvent(trace.Marker)
			e.Instr, e.Refs = uint32(20+i%7), uint64(len(refs.Addr))
			events.Rows = append(events.Rows, e)
		}
		m.RefsOf, m.EventsOf = append(m.RefsOf, refs), append(m.EventsOf, events)
	}
	return m
}

// countedAlone is measured, with waits of one node with all processors in an order of such misses and caches.
func countedAlone(t *testing.T, src trace.Source, m *machine.Machine, w phases.NodeCaches) *Run {
	t.Helper()
	level := last(m)
	a := &phases.Analysis{Lines: []unit.Bytes{level.Line}, Sets: slices.Compact([]int64{w.Sets, int64(level.Sets())}), PerNode: []int{src.Header().Procs}, Block: 256,
		Placements: []phases.Placement{phases.FirstTouch}, Networks: []phases.Network{phases.Ideal}, Delays: []unit.Instructions{0}, Right: phases.DefaultRight, NodeCaches: w}
	results, err := analysis.Run(context.Background(), src, analysis.Options{}, a)
	if err != nil {
		t.Fatal(err)
	}
	return &Run{Name: "run", Program: "locking", Processors: src.Header().Procs, Params: paramsOf(t, nil), phasesTable: results[0].Tables[0], trafficTable: results[0].Tables[1]}
}

// An interval is given where waits at locks were counted with the misses and the caches of the machine, as in the study that tells how exact that is, and on no other;
// and analyze is told what is nearer, which on a machine whose misses leave the bus early is never all that they take.
func TestIntervalsWhereLocksWereCounted(t *testing.T) {
	const steps = 100
	m, src := smpMachine(t), locking(4, steps)
	pipelined := smpMachine(t, `occupancy = "50 cycles"`, `occupancy = "4 cycles"`)
	like := phases.NodeCaches{Miss: 50, Sets: 2048, Ways: 2, Line: 64}
	but := func(change func(w *phases.NodeCaches)) phases.NodeCaches {
		w := like
		change(&w)
		return w
	}
	for _, tc := range []struct {
		name  string
		run   *Run
		on    *machine.Machine
		known bool
		say   string
	}{
		{"as on the machine", countedAlone(t, src, m, like), m, true, "misses of 50 instructions; here misses take 50"},
		{"a cache of half the size", countedAlone(t, src, m, but(func(w *phases.NodeCaches) { w.Sets /= 2 })), m, true, "here misses take 50"},
		{"a small cache", countedAlone(t, src, m, but(func(w *phases.NodeCaches) { w.Sets = 64 })), m, false, "in caches of 64 sets and 2 ways; here misses take 50 instructions (run analyze with --per-node=4 --node=cache=2048x2:0,hit=1,miss=50,hold=50,upgrade=50 to count like this machine)"},
		{"shorter misses", countedAlone(t, src, m, but(func(w *phases.NodeCaches) { w.Miss = 20 })), m, false, "misses of 20 instructions; here misses take 50 instructions (run analyze with --per-node=4 --node=cache=2048x2:0,hit=1,miss=50,"},
		{"not counted", measured(t, src, m), m, false, "not in the prediction; run analyze with --run phases --per-node=4 --node=cache=2048x2:0,hit=1,miss=50,hold=50,upgrade=50 to count them"},
		{"pipelined, held throughout", countedAlone(t, src, m, like), pipelined, false, "here misses take 50 instructions and hold the bus for 4; predict replay is more accurate (run analyze with --per-node=4 --node=cache=2048x2:0,hit=1,miss=50,hold=4,upgrade=50 "},
		{"pipelined, as it holds the bus", countedAlone(t, src, m, but(func(w *phases.NodeCaches) { w.Miss = 4 })), pipelined, false, "here misses take 50 instructions and hold the bus for 4; predict replay is more accurate; there is no interval"},
		{"misses that overlap", countedAlone(t, src, m, like), smpMachine(t, "cpi = 1", "cpi = 1\noutstanding = 4\nwindow = 64"), false, "here misses take 50 instructions; there is no interval: the error was measured only with one level"},
		{"alone", measured(t, locking(1, steps), m), m, true, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := MVA{}.Predict(&Case{Runs: []*Run{tc.run}, Machine: tc.on, Processors: tc.run.Processors})
			if err != nil {
				t.Fatalf("%v", err)
			}
			said := warnings(p)
			if p.FullInterval().Known() != tc.known || p.ModelMargin.Known() != tc.known || !strings.Contains(said, strings.ReplaceAll(tc.say, ";", ",")) || (tc.say == "") != (said == "") {
				t.Errorf("interval %+v, %s", p.FullInterval(), said)
			}
			if lo := Table([]model.Prediction{p}, nil).Columns[7]; lo.Name != "lo" || math.IsNaN(lo.Data.([]float64)[0]) == tc.known {
				t.Errorf("column %+v", lo)
			}
		})
	}
}
