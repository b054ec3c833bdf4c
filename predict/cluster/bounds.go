package cluster

import (
	"spoor/predict/internal/model"
	"spoor/traces/unit"
)

// boundsOf returns the bounds of E(Instr) of c, whatever the errors of the model. The run has gamma line
// accesses per instruction. The argument least is a lower bound that holds for its counts.
//
// At most, every access misses everywhere, processors take turns, and nothing overlaps.
func (c *Case) boundsOf(gamma, least float64) model.Bounds {
	access, instr := 0.0, 0.0
	for p := 0; p < c.Processors; p += c.perNode() {
		costs := costsOf(c.machineOf(p))
		access, instr = max(access, c.longestAccess(p)), max(instr, costs.instr)
	}
	return model.Bounds{Least: unit.Seconds(least), Most: unit.Seconds(instr + gamma*access)}
}

// longestAccess returns the longest time of an access by processor p if the others do nothing. It goes through
// all caches to memory, and writes back a line. In a cluster, home and owner of the block read it, and each
// sends it in a message. All nodes get a message without a block.
func (c *Case) longestAccess(p int) float64 {
	m := c.machineOf(p)
	costs := costsOf(m)
	t := costs.touch
	for _, inner := range costs.inner {
		t += inner
	}
	memory := max(costs.memory, costs.occupancy) + costs.occupancy + costs.invalidate
	t += memory
	if b, err := c.interconnect(); err == nil && b.nodes > 1 {
		block, right := max(b.block.time, b.block.held), max(b.right.time, b.right.held)
		t += 2*memory + 2*block + float64(b.nodes+1)*right
	}
	if m.Disk != nil {
		t += float64(m.At(m.Disk.Latency))
	}
	return t
}

// least returns a lower bound of the time of work for its counts, in seconds: of the phases without any miss,
// of the buses, and of the network. Counts in the time of the machine may hold buses after the end of the program, for
// lines that are written back.
func (c *costs) least(work program, net *network) float64 {
	critical := 0.0
	for _, phase := range work {
		longest := 0.0
		for p, windows := range phase {
			of, alone := c.of(p), 0.0
			for _, w := range windows {
				alone += w.Instr*of.instr + w.Touches*of.touch
			}
			longest = max(longest, alone)
		}
		critical += longest
	}
	if net.wait == nil {
		return max(critical, net.busiest())
	}
	return max(critical, net.held/float64(max(1, c.interconnect.nodes)), net.busiest())
}
