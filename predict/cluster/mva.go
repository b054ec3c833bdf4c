package cluster

import (
	"fmt"

	"spoor/calibrate/machine"
	"spoor/predict/model"
	"spoor/traces/unit"
)

// MVA predicts from what each processor does between barriers, window by window of
// its instructions. At any time, the processors that have not reached the barrier
// are the customers of a closed queueing network with one server, the bus, solved
// by mean value analysis with fixed bus times (see [waits]) for the windows that
// they are in; a phase lasts as long as its slowest processor, and phases follow
// each other:
//
//	E(Instr) = sum(phases) max(processors) (ideal + latency + contention) / instructions of all processors
//
// Misses, upgrades and write-backs are those that coherent caches of the machine's
// shape have in the trace. There is no fitted constant.
//
// In a cluster, what nodes ask of each other is counted in the trace, for memories with room for everything: messages with blocks and without, and
// between which nodes. Where several nodes store to parts of one block (false sharing), how often it moves depends on who gets there first; where pages
// go to who touches them first, so does who waits ever after. The traffic is therefore that of an order in which messages take time and turns on a bus or at
// ports of a switch, and misses in nodes take time and turns on their buses (analyze --delay, --latency, --miss): of the machine's own delay, or between those
// for which it was counted. What was waited in that order, for the network, for blocks on their way, and at locks and flags, is counted with it: a wait in a queue of
// random customers knows nothing of two that want the same block. The bus of each node is a closed network, and so is the network where
// nodes are unequal or messages do not hold it, as nothing was counted of these: two queues that one processor is never in at once (see [network.twoQueueWaits]). Of a switch,
// messages compete that want the same port (see [portWaits]).
//
// Differs: one network in place of one queue for each resource, so that the time a
// processor waits is not also thinking time; fixed bus times in place of
// exponential ones; the barrier term (3.13) is replaced by the imbalance of the
// trace's own phases; coherence is counted, not a factor fitted to simulations.
// There is no disk term: data must fit into memory. The caches of the order in which traffic is counted are of one size.
//
// Requests are taken to come at random within a window. Processors that miss in
// step, such as streams of equal pace, wait less: the interval begins where
// requests are evenly spaced.
//
// On one node, waits and misses are those of an order in which misses take time and turns on the bus: see [Run.inTime]. Without
// that, waits at locks and flags are not modelled, and there is no interval: see [placedRun.addLockWarning]. Who waits wants neither bus nor network.
//
// Nodes may be unequal, with equally many processors each. Each processor has the work that the trace gives it, and takes as long for a block from
// another node's memory as for one from its own, and the message. README.md in pipelines/du2000 compares that with simulation.
//
// Of misses that overlap, a part is waited for: see [overlap]. A cache that processors share keeps a part of the misses from
// memory: see [Run.behindShared]. It takes upgrades from the bus.
type MVA struct{}

var _ model.Model[*Case] = MVA{}

// Name is "mva".
func (MVA) Name() string { return "mva" }

// Paper is the key of [du2000].
func (MVA) Paper() string { return paperKey }

// Predict needs a run with exactly c.Processors processors.
func (v MVA) Predict(c *Case) (model.Prediction, error) {
	on, err := v.begin(c)
	if err != nil {
		return model.Prediction{}, err
	}
	net, err := on.solve(c)
	if err != nil {
		return model.Prediction{}, err
	}
	pred := v.prediction(&on.costs, on.work, net, c.Processors)
	pred.Warnings = append(pred.Warnings, on.warnings...)
	if c.nodes() > 1 {
		if err := on.varyOrder(c, &pred); err != nil {
			return model.Prediction{}, err
		}
	}
	on.addLockWarning(c, &pred)
	if c.Machine.Processor.Outstanding > 0 && c.Machine.Processor.Exposed == 0 {
		pred.Warnings = append(pred.Warnings, fmt.Errorf("misses overlap as if they came at random and no instruction needed what they fetch"))
	}
	if most := on.run.footprint(c.Machine); most > float64(c.Machine.Memory.Size) {
		pred.Warnings = append(pred.Warnings, fmt.Errorf("the data of one processor, %.3g MiB, exceed the memory of %v: disk accesses are not in this model",
			most/(1<<20), c.Machine.Memory.Size))
	}
	return c.finish(pred, v.Name(), on.run)
}

// placedRun is a run on a machine, before anybody waits.
type placedRun struct {
	run      *Run
	costs    costs
	work     program
	warnings []error
}

// begin finds out what a run does on the machine of c.
func (MVA) begin(c *Case) (*placedRun, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	r, err := c.exactRun()
	if err != nil {
		return nil, err
	}
	work, warnings, err := r.program(c)
	if err != nil {
		return nil, err
	}
	if instructions(work) == 0 {
		return nil, fmt.Errorf("%s: the trace counts no instructions", r.Name)
	}
	costs := costsOf(c.Machine)
	if costs.interconnect, err = c.interconnect(); err != nil {
		return nil, err
	}
	costs.each = c.unequal(costs.interconnect)
	costs.group(work, r.drains(len(work)))
	if c.nodes() == 1 {
		costs.step = costs.hits(work)
	}
	return &placedRun{r, costs, work, warnings}, nil
}

// exactRun is the run that c is about.
func (c *Case) exactRun() (*Run, error) {
	r := c.run()
	if r == nil {
		return nil, fmt.Errorf("model mva needs a run with %d processors; there are runs with %s", c.Processors, c.given())
	}
	return r, nil
}

// solve lets everybody wait; in a cluster, work then has what nodes ask of each other.
func (on *placedRun) solve(c *Case) (*network, error) {
	if c.nodes() == 1 {
		return on.costs.run(on.work, c.Processors, waits), nil
	}
	return on.run.solveCluster(c, &on.costs, on.work)
}

// eInstr is what Predict says, alone.
func (v MVA) eInstr(c *Case) (unit.Seconds, error) {
	on, err := v.begin(c)
	if err != nil {
		return 0, err
	}
	net, err := on.solve(c)
	if err != nil {
		return 0, err
	}
	s := split(net.sum(), instructions(on.work)*float64(c.Processors))
	return s.Total(), nil
}

// program is the work of a run: by phase and processor, the stretches in order.
type program [][][]Work

// run puts work on a machine; wait solves the networks.
func (c *costs) run(work program, n int, wait func([]customer) []float64) *network {
	net := &network{wait: wait, procs: make([]times, n), perNode: c.interconnect.perNode(n), counted: c.interconnect.queues > 0}
	if c.interconnect.switched {
		net.ports = make([]float64, 2*c.interconnect.nodes)
	} else {
		net.ports = make([]float64, 1)
	}
	for _, phase := range work {
		stretches := make([][]stretch, n)
		for p := range phase {
			for _, w := range phase[p] {
				stretches[p] = append(stretches[p], c.of(p).stretch(w))
			}
		}
		net.phase(stretches)
	}
	return net
}

func (v MVA) prediction(c *costs, work program, net *network, n int) model.Prediction {
	instr, sum := instructions(work), net.sum()
	s := split(sum, instr*float64(n))
	bus := net.held / float64(max(1, c.interconnect.nodes))
	pred := model.Prediction{EInstr: s.Total(), Split: s, Utilization: min(1, max(bus, net.busiest())/net.now),
		Limit: limit(bus, (sum.ideal+sum.latency)/float64(n), s), Terms: terms(c, work, net, instr)}
	if net.busiest() >= max(bus, (sum.ideal+sum.latency)/float64(n)) && c.interconnect.nodes > 1 {
		pred.Limit = "network"
	}
	if n > 1 {
		e := func(wait func([]customer) []float64) unit.Seconds {
			return unit.Seconds(c.run(work, n, wait).now / instr)
		}
		lo, hi := e(evenWaits), e(exponentialWaits)
		pred.Interval = model.Interval{Lo: min(lo, s.Total()), Hi: max(hi, s.Total()),
			Covers: "waits from those of evenly spaced requests to those of exponential bus times; not the counts"}
	}
	return pred
}

// sum is the times of all processors.
func (n *network) sum() (sum times) {
	for _, t := range n.procs {
		sum.ideal += t.ideal
		sum.latency += t.latency
		sum.contention += t.contention
		sum.sync += max(0, t.sync)
	}
	return sum
}

func terms(c *costs, work program, net *network, instr float64) []model.Term {
	all := work.sum()
	visits := all.Misses + all.Upgrades
	wait := 0.0
	for _, t := range net.procs {
		wait += t.contention / max(1, visits)
	}
	out := []model.Term{
		{Symbol: "gamma", Value: all.Touches / instr, Unit: "1", What: "touches of lines per instruction"},
		{Symbol: "1/S", Value: c.instr, Unit: "s", What: "time of an instruction without its references"},
		{Symbol: "tau_1", Value: c.touch, Unit: "s", What: "time of a cache hit"},
		{Symbol: "tau_2", Value: c.memory, Unit: "s", What: "time of a memory access without contention"},
		{Symbol: "P_2", Value: all.Misses / max(1, all.Touches), Unit: "1", What: "touches that go to memory"},
		{Symbol: "upgrades", Value: all.Upgrades / max(1, all.Touches), Unit: "1", What: "touches that invalidate other copies"},
		{Symbol: "writebacks", Value: all.Writebacks / max(1, all.Touches), Unit: "1", What: "touches that push a modified line out"},
		{Symbol: "W", Value: wait, Unit: "s", What: "mean wait for the bus"},
		{Symbol: "phases", Value: float64(len(work)), Unit: "1", What: "barriers + 1"},
	}
	if c.interconnect.nodes > 1 {
		out = append(out, c.interconnect.terms(all)...)
	}
	return out
}

func instructions(work program) (sum float64) {
	for _, phase := range work {
		for _, stretches := range phase {
			for _, w := range stretches {
				sum += w.Instr
			}
		}
	}
	return sum
}

// sum is all of it.
func (p program) sum() (all Work) {
	for _, phase := range p {
		for _, stretches := range phase {
			for _, w := range stretches {
				all = all.plus(w)
			}
		}
	}
	return all
}

// footprint is the data of the processor that has most, in bytes, 0 if not known.
func (r *Run) footprint(m *machine.Machine) float64 {
	f, ok := r.Params.Lookup("footprint")
	line, err := r.parameter("line", "B")
	if !ok || err != nil || f.Unit != "lines" {
		return 0
	}
	return f.Value * line.Value
}
