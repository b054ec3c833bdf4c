package cluster

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spoor/analyze/phases"
	"spoor/calibrate/machine"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// usualLine and usualBlock are the sizes of most lines, and of most blocks that nodes of clusters share. All machines with equal caches need the same
// analysis if it counts blocks in any case.
const usualLine, usualBlock unit.Bytes = 64, 256

// DistanceFlags returns the flags of analyze that count the stack distances and fit the power law for machines. The law
// uses lines of the size that memory accesses of the first machine have.
func DistanceFlags(machines ...*machine.Machine) []string {
	var lines []unit.Bytes
	for _, m := range machines {
		lines = append(lines, linesOf(m)...)
	}
	if len(lines) == 0 { // machines without a model
		lines = append(lines, usualLine)
	}
	return []string{"--run=reuse,locality", "--line=" + joined(unique(append(lines, usualBlock)))}
}

// MessageFlags returns the flags of analyze that find the critical paths of messages for machines.
func MessageFlags(machines ...*machine.Machine) []string {
	limits := []string{"none"}
	for _, m := range machines {
		if n := m.Network; n != nil && n.RendezvousMin.Known {
			limits = append(limits, n.RendezvousMin.Value.String())
		}
	}
	return []string{"--run=paths", "--rendezvous=" + joined(unique(limits))}
}

// linesOf returns the sizes of lines and blocks of m, that of memory accesses first; none for machines without a model.
func linesOf(m *machine.Machine) (lines []unit.Bytes) {
	if m.System.Target != machine.SMP && !clustered(m.System.Target) {
		return nil
	}
	lines = append(lines, last(m).Line)
	for _, n := range slices.Concat([]*machine.Machine{m}, m.OtherNodes) {
		for _, level := range n.Caches {
			lines = append(lines, level.Line)
		}
	}
	if m.Shared != nil {
		lines = append(lines, m.Shared.Line)
	}
	if clustered(m.System.Target) && m.System.Nodes > 1 {
		lines = append(lines, m.System.Block)
	}
	return lines
}

// PhaseFlags returns the flags of analyze that count what model [MVA] needs to predict r on m with the processors of
// r. Stack distances of r must have been counted. The argument waits says whether processors wait for each other at
// locks or flags. An error says why the model cannot predict.
func (r *Run) PhaseFlags(m *machine.Machine, waits bool) ([]string, error) {
	c, _ := (&Case{Runs: []*Run{r}, Machine: m, Processors: r.Processors}).ranksAlone().fewWays()
	m = c.Machine
	if err := c.check(); err != nil {
		return nil, err
	}
	net, err := c.interconnect()
	if err != nil {
		return nil, err
	}
	flags, err := c.cacheFlags()
	if timed := c.timedFlags(&net); timed != nil && err == nil {
		return append(flags, timed...), nil
	}
	if err != nil || c.Processors == 1 || c.nodes() == 1 && !waits {
		return flags, err
	}
	step, err := r.step(m)
	switch {
	case err != nil:
		return nil, err
	case c.nodes() > 1:
		return append(flags, c.nodeFlags(&net, step)...), nil
	}
	on := placedRun{run: r, costs: costsOf(m)}
	on.costs.step = step
	return append(flags, fmt.Sprintf("--per-node=%d", c.Processors), fmt.Sprintf("--node-ways=%d", last(m).Ways), countedTime("--node-miss", on.busHold(), 1)), nil
}

// JoinPhases returns the flags of [Run.PhaseFlags] that count what both lists count. It returns false if one analysis
// cannot count both: lines differ, caches are too many, or waits or traffic are counted, which depend on the machine.
func JoinPhases(a, b []string) (both []string, ok bool) {
	const onlyCaches = 3 // flags without waits and traffic
	if len(a) != onlyCaches || len(b) != onlyCaches || a[1] != b[1] {
		return nil, false
	}
	sets := unique(strings.Split(strings.TrimPrefix(a[2], setsFlag)+","+strings.TrimPrefix(b[2], setsFlag), ","))
	return []string{a[0], a[1], setsFlag + joined(sets)}, len(sets) <= mostSets
}

const setsFlag = "--sets="

// mostSets limits the time and memory of one analysis: with 8 numbers of sets, it takes 1.7 times as long as with one.
const mostSets = 8

// cacheFlags returns the flags for the private caches of all nodes. The caches next to memory come first.
func (c *Case) cacheFlags() ([]string, error) {
	sets, lines := []int{last(c.Machine).Sets()}, []unit.Bytes{last(c.Machine).Line}
	for p := range c.Processors {
		for _, level := range c.machineOf(p).Caches {
			if level.Ways > phases.MaxWays {
				return nil, fmt.Errorf("model mva has caches of 1 to %d ways, and machine %s has one of %d; use predict replay", phases.MaxWays, c.Machine.Name, level.Ways)
			}
			sets, lines = append(sets, level.Sets()), append(lines, level.Line)
		}
	}
	return []string{"--run=phases", "--line=" + joined(unique(lines)), setsFlag + joined(unique(sets))}, nil
}

// step returns the mean time of an instruction or line access that hits, as [costs.hitTime] does.
func (r *Run) step(m *machine.Machine) (float64, error) {
	all, err := r.parameter("instructions", "1")
	if err != nil {
		return 0, err
	}
	d, err := r.pooled(m.Caches[0].Line)
	if err != nil {
		return 0, err
	}
	if all.Value+d.total() == 0 {
		return 0, fmt.Errorf("%s: the trace counts no instructions", r.Name)
	}
	costs := costsOf(m)
	return costs.hitTime(program{{{windowWork{Instr: all.Value, Touches: d.total()}}}}), nil
}

// besideDelay is the factor from the delay of a machine to the shorter and the longer delay that are counted too, because
// the order of processors may depend on it: see [placedRun.varyOrder].
const besideDelay = 1.4

// nodeFlags returns the flags for the traffic between nodes. If messages do not hold the network, the model adds
// waits, so it needs longer delays, too.
func (c *Case) nodeFlags(net *interconnect, step float64) []string {
	of, block := c.nodesOf(), net.block.time/step
	latency, right := 0.0, net.right.time/net.block.time
	delays := []float64{block, 2 * block, 4 * block}
	if net.holdsNetwork() {
		latency, right = (net.block.time-net.block.held)/step, net.right.held/net.block.held
		delays = []float64{block / besideDelay, block, block * besideDelay}
	}
	var list []int64
	for _, d := range delays {
		list = append(list, int64(max(1, math.Round(d))))
	}
	return []string{fmt.Sprintf("--per-node=%d", of.perNode), fmt.Sprintf("--block=%v", of.block), fmt.Sprintf("--placement=%s", of.placement),
		fmt.Sprintf("--node-network=%s", of.network), "--delay=" + joined(unique(list)), countedTime("--latency", latency, 0),
		"--control-delay=" + strconv.FormatFloat(min(1, max(0, right)), 'g', 4, 64),
		fmt.Sprintf("--node-ways=%d", last(c.Machine).Ways), countedTime("--node-miss", costsOf(c.Machine).memory/step, 1)}
}

// countedTime returns a flag with a whole number of instructions.
func countedTime(flag string, time, least float64) string {
	return fmt.Sprintf("%s=%.0f", flag, max(least, math.Round(time)))
}

// joined returns values as a list with commas.
func joined[T any](values []T) string {
	var texts []string
	for _, v := range values {
		texts = append(texts, fmt.Sprint(v))
	}
	return strings.Join(texts, ",")
}

// unique returns values in their order, each once.
func unique[T comparable](values []T) (out []T) {
	for _, v := range values {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// ReadMessages reads the critical paths of messages that analyze has left in dir.
func (r *Run) ReadMessages(dir string) error { return r.readMessages(dir) }

// WithPhases returns a copy of r with the phases and traffic that analyze has left in dir for m.
func (r *Run) WithPhases(dir string, m *machine.Machine) (*Run, error) {
	out := r.copy()
	out.countedFor = m
	if err := out.openPhases(dir); err != nil {
		return nil, err
	}
	for _, t := range []*store.Table{headOf(out.phasesTable), headOf(out.trafficTable)} {
		if err := out.join(t); err != nil {
			return nil, fmt.Errorf("reading %s: %w", dir, err)
		}
	}
	return out, nil
}

// HasPhases reports whether the tables of phases are there, and that of traffic if it must.
func (r *Run) HasPhases(traffic bool) bool {
	return r.phasesTable != nil && (r.trafficTable != nil || !traffic)
}

// WithoutPhases returns a copy of r whose phases cannot be counted for a reason.
func (r *Run) WithoutPhases(reason error) *Run {
	out := r.copy()
	out.noPhases = reason
	return out
}

// copy returns r without phases, and without what was computed from them.
func (r *Run) copy() *Run {
	return &Run{Name: r.Name, Program: r.Program, Trace: r.Trace, Processors: r.Processors, Params: r.Params, reuseTable: r.reuseTable, pools: r.pools, instructions: r.instructions,
		messages: r.messages, onlyMessages: r.onlyMessages, withoutMessages: r.withoutMessages}
}
