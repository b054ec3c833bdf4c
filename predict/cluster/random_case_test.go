package cluster

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/locality"
	"spoor/analyze/phases"
	"spoor/analyze/reuse"
	"spoor/calibrate/machine"
	"spoor/calibrate/param"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// randomPair is a random trace, a random machine of as many processors, and what the analyses measure.
type randomPair struct {
	src *trace.Memory
	m   *machine.Machine
	run *Run
}

func newRandomPair(t testing.TB, seed uint64) randomPair {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 35))
	m := randomMachine(t, r)
	src := randomRun(r, m.System.Processors*max(1, m.System.Nodes))
	return randomPair{src, m, analyzedRun(t, r, src, m)}
}

// randomMachine returns an SMP, a cluster of workstations or one of SMPs, with buses from wide to narrow.
func randomMachine(t testing.TB, r *rand.Rand) *machine.Machine {
	t.Helper()
	var text strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&text, format+"\n", args...) }
	one := func(list ...string) string { return list[r.IntN(len(list))] }
	line("name = \"m\"\n[processor]\nclock = %q\ncpi = %s", one("200 MHz", "1 GHz", "4 GHz"), one("1", "0.25", "2"))
	if r.IntN(2) == 0 {
		line("outstanding = %d\nwindow = %d", 1+r.IntN(16), 1+r.IntN(512))
	}
	bytes, ways := 32<<r.IntN(3), 1+r.IntN(4)
	sets := 1 << r.IntN(7)
	levels := 1 + r.IntN(3)/2
	for range levels {
		line("[[cache]]\nsize = \"%d B\"\nline = \"%d B\"\nways = %d\nlatency = %q", sets*ways*bytes, bytes, ways, one("0 cycles", "1 cycle", "9 cycles"))
		sets *= 4
	}
	target := one("smp", "cow", "clump")
	if target == "smp" && r.IntN(3) == 0 {
		line("[shared_cache]\nsize = \"%d B\"\nline = \"%d B\"\nways = 8\nlatency = %q", sets*8*bytes, bytes, one("0 cycles", "40 cycles"))
	}
	line("[memory]\nsize = %q\nlatency = %q\noccupancy = %q\ninvalidate = %q", one("2 MiB", "64 MiB"), one("50 ns", "90 ns", "400 ns"),
		one("0.3 ns", "5 ns", "50 ns", "90 ns", "500 ns"), one("0 ns", "20 ns", "90 ns"))
	line("placement = %q", one("first-touch", "interleaved"))
	randomSystem(r, target, line, one)
	m, err := machine.Parse("m.toml", []byte(text.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	return m
}

func randomSystem(r *rand.Rand, target string, line func(string, ...any), one func(...string) string) {
	perNode, nodes := 1+r.IntN(6), 1
	switch target {
	case "cow":
		perNode, nodes = 1, 2+r.IntN(4)
	case "clump":
		perNode, nodes = 2, 2+r.IntN(2)
	}
	if target != "smp" {
		line("[network]\nmodel = %q\nbandwidth = %q\nheader = %q\nlatency = %q", one("bus", "switch"), one("10 Mb/s", "1 Gb/s", "100 Gb/s"), one("0 B", "25 B"), one("0 s", "1 us"))
		if r.IntN(4) == 0 {
			line("[disk]\nlatency = \"1 ms\"")
		}
	}
	line("[system]\ntarget = %q\nprocessors = %d\nnodes = %d\nprotocol = %q", target, perNode, nodes, one("msi", "mesi", "moesi", "berkeley"))
	if target != "smp" {
		line("block = %q", one("256 B", "1 KiB"))
	}
}

// randomRun returns a trace of phases between barriers. Processors do unequal work on data of their own and on
// shared data. They take locks, wait for flags of lower ones,
// flush lines and prefetch them.
func randomRun(r *rand.Rand, procs int) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Program: "random", Format: "test", Procs: procs, WorkUnit: trace.WorkInstr}}
	barriers, locks, flags := r.IntN(4), r.IntN(3) == 0, r.IntN(4) == 0
	private, common, gap := 1+r.IntN(1<<r.IntN(12)), 1+r.IntN(1<<r.IntN(8)), 1+r.IntN(1<<r.IntN(9))
	storing, sharing, moving := r.Float64()*r.Float64(), r.Float64()*r.Float64(), max(0, r.Float64()-0.8)
	idle := r.IntN(6) == 0 // all but the first
	for p := range trace.Proc(procs) {
		refs, events := trace.Refs{Proc: p}, trace.Events{Proc: p}
		since := uint32(0)
		touch := func() {
			addr := own(p) + 16*uint64(r.IntN(private))
			if r.Float64() < sharing {
				addr = 16 * uint64(r.IntN(common))
			}
			instr, op := uint32(1+r.IntN(2*gap)), trace.Load
			switch x := r.Float64(); {
			case x < storing:
				op = trace.Store
			case x > 1-moving:
				op = []trace.Op{trace.Flush, trace.Prefetch}[r.IntN(2)]
			}
			refs.Append(instr, addr, uint16(1+r.IntN(16)), op)
			since += instr
		}
		say := func(kind trace.Kind, object, tag int32) {
			e := trace.NewEvent(kind)
			e.Instr, e.Refs, e.Peer, e.Tag = since, uint64(len(refs.Addr)), object, tag
			events.Rows = append(events.Rows, e)
			since = 0
		}
		for phase := range int32(barriers + 1) {
			for range r.IntN(1 + 1<<(2+r.IntN(7))) {
				if idle && p > 0 {
					continue
				}
				touch()
				if locks && r.IntN(20) == 0 {
					object := int32(100 + r.IntN(2))
					say(trace.Lock, object, trace.None)
					touch()
					say(trace.Unlock, object, trace.None)
				}
			}
			if flags && p > 0 {
				say(trace.WaitFlag, int32(p)-1, phase+1)
			}
			touch()
			if flags {
				say(trace.Signal, int32(p), trace.None)
			}
			if int(phase) < barriers {
				say(trace.Barrier, 0, trace.None)
			}
		}
		m.RefsOf, m.EventsOf = append(m.RefsOf, refs), append(m.EventsOf, events)
	}
	return m
}

// analyzedRun measures a trace for a machine, as analyze does.
func analyzedRun(t testing.TB, r *rand.Rand, src *trace.Memory, m *machine.Machine) *Run {
	t.Helper()
	level := last(m)
	lines := []unit.Bytes{level.Line}
	a := &phases.Analysis{Lines: lines, Window: unit.Instructions(1 + r.IntN(1<<14))}
	for _, c := range m.Caches {
		a.Sets = append(a.Sets, int64(c.Sets()))
	}
	n := src.Header().Procs
	a.NodeCaches = phases.NodeCaches{Sets: int64(level.Sets()), Ways: level.Ways, Line: level.Line}
	a.Block, a.Placements, a.Networks, a.Delays, a.Right = max(256, level.Line), []phases.Placement{phases.FirstTouch}, []phases.Network{phases.Ideal}, []unit.Instructions{0}, phases.DefaultRight
	if m.System.Nodes > 1 {
		a.Block, a.PerNode = m.System.Block, []int{m.System.Processors}
		a.Placements = []phases.Placement{phases.Placement(m.Memory.Placement)}
		a.Networks = append(a.Networks, phases.Network(m.Network.Model))
		a.Delays = append(a.Delays, unit.Instructions(1+r.IntN(1000)), unit.Instructions(2000+r.IntN(1<<16)))
		a.NodeCaches.Miss = unit.Instructions(r.IntN(200))
	} else if n > 1 && r.IntN(2) == 0 {
		a.PerNode, a.NodeCaches.Miss = []int{n}, unit.Instructions(1+r.IntN(200))
	}
	use := &reuse.Analysis{Lines: lines, Interleaved: true}
	if b := m.System.Block; m.System.Nodes > 1 && b != level.Line {
		use.Lines = append(use.Lines, b)
	}
	fit := &locality.Analysis{Reuse: use, Line: level.Line, Source: "random.refs.arrow sha256:0", Tool: "test"}
	results, err := analysis.Run(context.Background(), src, analysis.Options{}, use, fit, a)
	if err != nil {
		t.Fatal(err)
	}
	return runOf(t, n, results)
}

// runOf returns a run from results of analyses.
func runOf(t testing.TB, procs int, results []analysis.Result) *Run {
	t.Helper()
	run := &Run{Name: "run", Program: "random", Processors: procs, Params: &param.Set{}}
	for _, result := range results {
		for _, table := range result.Tables {
			switch table.Name {
			case "reuse":
				run.reuseTable = table
			case "phases":
				run.phasesTable = store.TableSource(table)
			case "traffic":
				run.trafficTable = table
			}
		}
		for _, f := range result.Files {
			var text bytes.Buffer
			if err := f.Fill(&text); err != nil {
				t.Fatal(err)
			}
			if f.Name != paramsFile {
				continue
			}
			var err error
			if run.Params, err = param.Parse(f.Name, text.Bytes()); err != nil {
				t.Fatal(err)
			}
		}
	}
	return run
}

// measuredRun measures distances and locality of a trace for the lines of a machine.
func measuredRun(t testing.TB, src *trace.Memory, m *machine.Machine) *Run {
	t.Helper()
	use := &reuse.Analysis{Lines: []unit.Bytes{last(m).Line}, Interleaved: true}
	fit := &locality.Analysis{Reuse: use, Line: last(m).Line, Source: "x.refs.arrow sha256:0", Tool: "test"}
	results, err := analysis.Run(context.Background(), src, analysis.Options{}, use, fit)
	if err != nil {
		t.Fatal(err)
	}
	return runOf(t, src.Header().Procs, results)
}
