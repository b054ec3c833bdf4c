package cluster

import (
	"fmt"

	"spoor/calibrate/machine"
	"spoor/predict/internal/model"
	"spoor/traces/unit"
)

// MVA predicts from what each processor does between barriers, window by window of its instructions. A phase lasts as
// long as its slowest processor, and phases follow each other:
//
//	E(Instr) = sum(phases) max(processors) (ideal + latency + contention) / instructions of all processors
//
// There is no fitted constant. The waits have one of two sources.
//
// The counts may be in the time of the machine (analyze --node, see [phases.Node]). Then analyze has ordered all
// accesses, locks and flags as on the machine, and the latency, contention and waits are those that it counted.
// The result differs from a simulation by roundings only, and by orders that these change. See [costs.timedNetwork].
//
// Otherwise the processors that have not reached the barrier are the customers of a closed queueing network with one
// server, the bus. The network is solved by mean value analysis with fixed bus times (see [waits]) for the
// windows that the processors are in. All that follows is about such counts. Misses, upgrades and write-backs are
// those of coherent caches of the machine's shape in the trace.
//
// In a cluster, the requests between nodes are counted in the trace, for memories of unlimited capacity:
// messages with and without blocks, and between which nodes. The order of the processors matters. Where
// several nodes store to parts of one block (false sharing), the order decides how often the block moves.
// Where the first access decides the home of a page, it decides who waits from then on. So the traffic is
// counted in an order in which
//
//   - messages take time and queue on a bus or at ports of a switch, and
//   - misses in nodes take time and queue on the buses of the nodes (analyze --delay, --latency, --node-miss).
//
// The counts are for the machine's own delay, or interpolated between delays that were counted. They include
// the waits for the network, for blocks in transit, and at locks and flags. A queue of random customers cannot
// predict these, because it does not know that two processors want the same block. The bus of each node is a
// closed network. So is the network between nodes if nodes are unequal or messages do not hold it, since these
// were not counted. One processor is never in two of these queues at once (see [network.twoQueueWaits]). At a
// switch, messages for the same port compete (see [portWaits]).
//
// Differs: one network in place of one queue for each resource, so the time a processor waits is not also
// thinking time. Bus times are fixed, not exponential. The imbalance of the trace's own phases replaces the
// barrier term (3.13). Coherence is counted, not a factor fitted to simulations. There is no disk term: data
// must fit into memory. Traffic is counted with caches of one size.
//
// Requests are assumed to be random within a window. Processors that miss in step, such as streams of equal
// pace, wait less. So the interval begins at the waits of evenly spaced requests.
//
// On one node, waits and misses are those of an order in which misses take time and queue on the bus: see
// [Run.addTimed]. Without these counts, the model has no waits at locks and flags, and no interval: see
// [placedRun.addLockWarning]. A processor that waits at a lock or flag uses neither bus nor network.
//
// Nodes may be unequal if all have equally many processors. Each processor does the work that the trace gives
// it. A block from another node's memory takes as long as one from the processor's own memory, and the
// message. README.md in pipelines/du2000 compares that with simulation.
//
// The processor waits for a part of the misses that overlap: see [overlap]. A cache that processors share
// filters the misses to memory (see [Run.addSharedCache]), and upgrades do not reach the bus.
type MVA struct{}

var _ model.Model[*Case] = MVA{}

// Name returns "mva".
func (MVA) Name() string { return "mva" }

// Paper returns the key of [du2000].
func (MVA) Paper() string { return paperKey }

// Predict needs a run with exactly c.Processors processors.
func (v MVA) Predict(c *Case) (model.Prediction, error) {
	c, changed := c.ranksAlone().fewWays()
	on, err := v.place(c)
	if err != nil {
		return model.Prediction{}, err
	}
	net, err := on.solve(c)
	if err != nil {
		return model.Prediction{}, err
	}
	if err := on.carry(c, net); err != nil {
		return model.Prediction{}, err
	}
	pred := v.prediction(&on.costs, on.work, net, c.Processors)
	if c.whole != nil {
		noWaits(&pred)
	}
	all, instr := on.work.sum(), instructions(on.work)
	pred.Bounds = c.boundsOf(all.Touches/instr, on.costs.least(on.work, net)/instr)
	if err := on.warn(c, &pred, changed); err != nil {
		return model.Prediction{}, err
	}
	return c.complete(pred, v.Name(), on.run)
}

// warn adds what makes a prediction doubtful. Caches were changed for some reasons.
func (on *placedRun) warn(c *Case, pred *model.Prediction, changed []error) error {
	if !on.timed { // counts in the time of the machine have all ways
		pred.Warnings = append(pred.Warnings, changed...)
	}
	pred.Warnings = append(pred.Warnings, on.warnings...)
	on.warnUntimed(c, pred)
	if on.carried {
		pred.Untested = "the error was measured only with counts for the machine itself"
	}
	if c.nodes() > 1 {
		if err := on.vary(c, pred); err != nil {
			return err
		}
	}
	on.addLockWarning(c, pred)
	if !on.timed && c.Machine.Processor.Outstanding > 0 && c.Machine.Processor.Exposed == 0 {
		pred.Warnings = append(pred.Warnings, fmt.Errorf("misses overlap as if they came at random and no instruction needed their data"))
	}
	if most := on.run.footprint(c.Machine); most > float64(c.Machine.Memory.Size) {
		pred.Warnings = append(pred.Warnings, fmt.Errorf("the data of one processor, %.3g MiB, exceeds the memory of %v: the model has no disk accesses",
			most/(1<<20), c.Machine.Memory.Size))
	}
	return nil
}

// eInstr returns only the E(Instr) of Predict.
func (v MVA) eInstr(c *Case) (unit.Seconds, error) {
	c, _ = c.fewWays()
	on, err := v.place(c)
	if err != nil {
		return 0, err
	}
	net, err := on.solve(c)
	if err != nil {
		return 0, err
	}
	if err := on.carry(c, net); err != nil {
		return 0, err
	}
	s := split(net.sum(), instructions(on.work)*float64(c.Processors))
	return s.Total(), nil
}

// program is the work of a run: the stretches in order, by phase and processor.
type program [][][]windowWork

// run executes work on a machine with n processors. The function wait solves the queueing networks.
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
	if n > 1 && net.wait == nil {
		pred.Interval = countedInterval(s.Total())
	} else if n > 1 {
		e := func(wait func([]customer) []float64) unit.Seconds {
			return unit.Seconds(c.run(work, n, wait).now / instr)
		}
		lo, hi := e(evenWaits), e(exponentialWaits)
		pred.Interval = model.Interval{Lo: min(lo, s.Total()), Hi: max(hi, s.Total()),
			Covers: "waits from those of evenly spaced requests to those of exponential bus times, but not errors of the counts"}
	}
	return pred
}

// sum adds the times of all processors.
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
		{Symbol: "gamma", Value: all.Touches / instr, Unit: "1", What: "line accesses per instruction"},
		{Symbol: "1/S", Value: c.instr, Unit: "s", What: "time of an instruction without its references"},
		{Symbol: "tau_1", Value: c.touch, Unit: "s", What: "time of a cache hit"},
		{Symbol: "tau_2", Value: c.memory, Unit: "s", What: "time of a memory access without contention"},
		{Symbol: "P_2", Value: all.Misses / max(1, all.Touches), Unit: "1", What: "line accesses that go to memory"},
		{Symbol: "upgrades", Value: all.Upgrades / max(1, all.Touches), Unit: "1", What: "line accesses that invalidate other copies"},
		{Symbol: "writebacks", Value: all.Writebacks / max(1, all.Touches), Unit: "1", What: "line accesses that evict a modified line"},
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

// sum adds all work.
func (p program) sum() (all windowWork) {
	for _, phase := range p {
		for _, stretches := range phase {
			for _, w := range stretches {
				all = all.plus(w)
			}
		}
	}
	return all
}

// footprint returns the size of the data of the processor with the most, in bytes, or 0 if it is unknown.
func (r *Run) footprint(m *machine.Machine) float64 {
	f, ok := r.Params.Lookup("footprint")
	line, err := r.parameter("line", "B")
	if !ok || err != nil || f.Unit != "lines" {
		return 0
	}
	return f.Value * line.Value
}
