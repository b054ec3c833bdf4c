package cluster

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/phases"
	"spoor/calibrate/machine"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// withForks makes the first processor fork the others after a part of what it does before its first event.
func withForks(r *rand.Rand, src *trace.Memory) {
	rows, refs := src.EventsOf[0].Rows, &src.RefsOf[0]
	first := refs.Len()
	if len(rows) > 0 {
		first = int(rows[0].Refs)
	}
	before, instr := r.IntN(first+1), uint32(0)
	for _, n := range refs.Instr[:before] {
		instr += n
	}
	var forks, joins []trace.Event
	for child := 1; child < src.Head.Procs; child++ {
		f, j := trace.NewEvent(trace.Fork), trace.NewEvent(trace.Join)
		f.Peer, j.Peer, f.Refs, j.Refs = int32(child), int32(child), uint64(before), uint64(refs.Len())
		f.Instr, instr = instr, 0
		forks, joins = append(forks, f), append(joins, j)
	}
	if len(rows) > 0 && len(forks) > 0 {
		rows[0].Instr -= forks[0].Instr
	}
	last := uint32(0)
	for _, n := range refs.Instr {
		last += n
	}
	for _, e := range slices.Concat(forks, rows) {
		last -= e.Instr
	}
	if len(joins) > 0 {
		joins[0].Instr = last
	}
	src.EventsOf[0].Rows = slices.Concat(forks, rows, joins)
}

// timedRun measures a trace in the time of a machine.
func timedRun(t testing.TB, r *rand.Rand, src *trace.Memory, m *machine.Machine) *Run {
	t.Helper()
	run := measuredRun(t, src, m)
	c := &Case{Runs: []*Run{run}, Machine: m, Processors: run.Processors}
	net, err := c.interconnect()
	if err != nil {
		t.Fatal(err)
	}
	a := &phases.Analysis{Lines: []unit.Bytes{last(m).Line}, Window: unit.Instructions(1 + r.IntN(1<<14)), PerNode: []int{c.perNode()}, Block: 256,
		Placements: []phases.Placement{phases.FirstTouch}, Networks: []phases.Network{phases.Ideal}, Delays: []unit.Instructions{0}, Node: c.node()}
	for _, level := range m.Caches {
		a.Sets = append(a.Sets, int64(level.Sets()))
	}
	slices.Sort(a.Sets)
	a.Sets = slices.Compact(a.Sets)
	if a.NodeCaches.Line = last(m).Line; c.nodes() > 1 {
		instr := costsOf(m).instr
		latency, right := latencyOf(&net)
		whole := func(t float64) unit.Instructions { return unit.Instructions(math.Round(t / instr)) }
		a.Block, a.Placements, a.Networks = m.System.Block, []phases.Placement{phases.Placement(m.Memory.Placement)}, []phases.Network{networkOf(m)}
		a.Delays, a.Latency, a.Right = nil, whole(latency), right
		for _, d := range variedDelays(net.block.time / instr) {
			a.Delays = append(a.Delays, unit.Instructions(d))
		}
		slices.Sort(a.Delays)
	}
	if a.Forked, err = phases.ForkedProcs(src); err != nil {
		t.Fatal(err)
	}
	results, err := analysis.Run(context.Background(), src, analysis.Options{}, a)
	if err != nil {
		t.Fatal(err)
	}
	counted := runOf(t, run.Processors, results)
	run.phasesTable, run.trafficTable = counted.phasesTable, counted.trafficTable
	return run
}

// The counts in the time of a machine are those of its simulation, which is other code, for random programs and machines. Times of
// counts are rounded to 1/256 of an instruction, and those of messages to an instruction. Rounding may let another processor come first.
func TestTimedOrderAgainstSimulation(t *testing.T) {
	var errors []float64
	tried, outside := 0, 0
	for seed := range uint64(testsize.Cases(600, 60)) {
		r := rand.New(rand.NewPCG(seed, 40))
		m := randomMachine(t, r)
		src := randomRun(r, m.System.Processors*max(1, m.System.Nodes))
		if seed%2 == 0 {
			withForks(r, src)
		}
		m.Disk = nil
		run := timedRun(t, r, src, m)
		c := &Case{Runs: []*Run{run}, Machine: m, Processors: run.Processors}
		on, err := MVA{}.place(c)
		if err != nil || !on.timed || on.ignoresMoves() {
			continue // without instructions, or with prefetches or flushes
		}
		tried++
		pred, err := MVA{}.Predict(c)
		if err != nil {
			t.Fatal(err)
		}
		want := simulated(t, src, m)
		errors = append(errors, math.Abs(float64(pred.EInstr/want)-1))
		if i := pred.FullInterval(); c.nodes() > 1 && (want < i.Lo || want > i.Hi) {
			outside++
		}
	}
	if outside*20 > tried {
		t.Errorf("%d of %d simulations are outside the interval", outside, tried)
	}
	slices.Sort(errors)
	n := len(errors)
	if n < 10 || errors[n*9/10] > 0.005 || errors[n-1] > 0.25 {
		t.Error("counts differ from simulation")
	}
	t.Logf("%d pairs, %d outside the interval: median %.3g %%, 90 %% of them within %.3g %%, worst %.3g %%", tried, outside, 100*errors[n/2], 100*errors[n*9/10], 100*errors[n-1])
}

// Counts for one machine predict the change of the time if a cost changes by 10 %, for random programs and machines. The measure is how far
// the predicted change is from the simulated one, as a share of the time.
func TestCarriedTimeAgainstSimulation(t *testing.T) {
	var errors []float64
	for seed := range uint64(testsize.Cases(400, 60)) {
		r := rand.New(rand.NewPCG(seed, 41))
		m := randomMachine(t, r)
		src := randomRun(r, m.System.Processors*max(1, m.System.Nodes))
		m.Disk = nil
		run := timedRun(t, r, src, m)
		run.countedFor = m
		other := *m
		if seed%2 == 0 {
			other.Processor.Clock *= 1.1
		} else {
			other.Memory.Latency = machine.InSeconds(1.1 * m.At(m.Memory.Latency))
		}
		before, err := MVA{}.eInstr(&Case{Runs: []*Run{run}, Machine: m, Processors: run.Processors})
		if on, _ := (MVA{}).place(&Case{Runs: []*Run{run}, Machine: m, Processors: run.Processors}); err != nil || !on.timed || on.ignoresMoves() {
			continue
		}
		c := &Case{Runs: []*Run{run}, Machine: &other, Processors: run.Processors}
		after, err := MVA{}.eInstr(c)
		if err != nil {
			t.Fatal(err)
		}
		least, err := MVA{}.bound(c)
		if err != nil || least > after {
			t.Errorf("seed %d: at least %v, but it is %v, %v", seed, least, after, err)
		}
		want := simulated(t, src, &other) / simulated(t, src, m)
		errors = append(errors, math.Abs(float64(after/before-want)))
	}
	slices.Sort(errors)
	n := len(errors)
	if n < 10 || errors[n/2] > 0.01 || errors[n*9/10] > 0.05 {
		t.Error("changes differ from those of simulations")
	}
	t.Logf("%d pairs: median %.3g %%, 90 %% of them within %.3g %%, worst %.3g %%", n, 100*errors[n/2], 100*errors[n*9/10], 100*errors[n-1])
}
