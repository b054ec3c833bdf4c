package replay

import (
	"context"
	"reflect"
	"testing"

	"spoor/predict/internal/memsys/numa"
	"spoor/predict/internal/memsys/wwt"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// randomTunnel is small nodes for procs processors.
func randomTunnel(c *choices, procs int) *wwt.Config {
	w := &wwt.Config{Nodes: procs, Sets: 1 << c.below(3), Ways: 1 + c.below(3), LineShift: uint(4 + c.below(3)), Control: 8, Data: 40,
		Network: unit.Picos(1 + c.below(50)*100), LookUp: unit.Picos(c.below(3) * 1000), Latency: unit.Picos(c.below(200)) * 100, Trap: unit.Picos(c.below(4) * 2500)}
	w.Occupancy = w.Latency * unit.Picos(c.below(3)) / 2
	if c.below(2) == 0 {
		w.Entries, w.EntryWays, w.PageShift, w.Translate = 4, 1<<c.below(3), uint(c.below(3)), unit.Picos(c.below(5)*1000)
	}
	return w
}

// withoutControl makes prefetches and flushes loads.
func withoutControl(m *trace.Memory) {
	for p := range m.RefsOf {
		for i, op := range m.RefsOf[p].Op {
			if op == trace.Prefetch || op == trace.Flush {
				m.RefsOf[p].Op[i] = trace.Load
			}
		}
	}
}

// newNaiveTunnel returns the plain simulation of m.
func newNaiveTunnel(m *trace.Memory, c *wwt.Config, clock Clock, barrier unit.Picos, s *EventStats) *naiveTunnel {
	n := &naiveTunnel{c: c, clock: clock, barrier: barrier, homes: func(line uint64) int { return int(line << c.LineShift / 4096 % uint64(c.Nodes)) },
		lines: map[uint64]*naiveLine{}, locks: map[int32][]int{}, signals: map[int32]int{}, meeting: map[barrierID][]int{}}
	n.groups = func(group int32) int {
		if group < 0 || s.members == nil {
			return m.Head.Procs
		}
		return s.members[group]
	}
	for p := range m.Head.Procs {
		t := &naiveTarget{id: p, was: map[uint64]string{}, needs: map[int32]int{}, sets: make([][]naiveWay, c.Sets)}
		if c.Entries > 0 {
			t.pages = make([][]uint64, c.Entries/c.EntryWays)
		}
		steps, instr := naiveSteps(m, p, 1<<c.LineShift)
		t.steps, t.result.Instr, t.result.Events = steps, unit.Instructions(instr), uint64(m.EventsOf[p].Len())
		n.nodes = append(n.nodes, t)
	}
	for _, f := range s.forks {
		n.nodes[f.child].unborn = true
	}
	return n
}

// resultOf runs the plain simulation.
func (n *naiveTunnel) resultOf(t *testing.T, m *trace.Memory) *Result {
	t.Helper()
	for n.step() {
	}
	res := &Result{}
	for p, q := range n.nodes {
		if q.at < len(q.steps) || q.unborn {
			t.Fatalf("node %d is stuck at %d of %d", p, q.at, len(q.steps))
		}
		q.result.Ideal = n.clock.At(uint64(q.result.Instr), q.touches())
		for _, op := range m.RefsOf[p].Op {
			if op.Data() {
				q.result.Refs++
			}
		}
		res.Time = max(res.Time, q.result.Total())
		res.Procs = append(res.Procs, q.result)
		n.used.Busy = max(n.used.Busy, q.busy)
	}
	for p := range res.Procs {
		res.Procs[p].End = res.Time - res.Procs[p].Total()
	}
	n.used.Lines = uint64(len(n.lines))
	res.Shared = n.used
	return res
}

// tunnelNodes returns new nodes of m.
func tunnelNodes(m *trace.Memory, c *wwt.Config) (nodes []*wwt.Node) {
	for i := range c.Nodes {
		nodes = append(nodes, wwt.New(c, i, numa.NewHomes(trace.NewHomeMap(m.Head), numa.NewLayout(c.Nodes, 1, nil),
			numa.Placement{Policy: "interleaved", Page: 4096}, 1<<c.LineShift)))
	}
	return nodes
}

func checkTunnel(t *testing.T, c *choices) {
	t.Helper()
	m := randomTrace(c)
	withoutControl(m)
	for p := range m.RefsOf { // over several pages
		for i := range m.RefsOf[p].Addr {
			m.RefsOf[p].Addr[i] += uint64(i%3) * 4096
		}
	}
	w, clock := randomTunnel(c, m.Head.Procs), randomClock(t, c)
	barrier := unit.Picos(c.below(3)) * 1000
	s, err := Scan(m)
	if err != nil {
		t.Fatal(err)
	}
	want := newNaiveTunnel(m, w, clock, barrier, s).resultOf(t, m)
	for workers := 1; workers <= m.Head.Procs; workers++ {
		opt := Options{Barrier: barrier, Phases: true}
		opt.Engine.Workers, opt.Engine.Quantum = workers, w.Network*unit.Picos(workers)/unit.Picos(workers+1)
		got, err := runNodes(context.Background(), m.InBatches(workers), s, tunnelNodes(m, w), clock, opt)
		if err != nil {
			t.Fatal(err)
		}
		checkSums(t, got)
		got.Warnings, got.Phases, got.Engine = nil, nil, want.Engine
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%d workers, %+v:\n got %+v\nwant %+v", workers, w, got, want)
		}
	}
}

// TestWindowsAreNaive: windows and workers change nothing.
func TestWindowsAreNaive(t *testing.T) {
	for seed := range uint64(testsize.Cases(3000, 300)) {
		checkTunnel(t, randomChoices(seed, 400))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
