package memsys

import (
	"fmt"

	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys/coherence"
	"spoor/predict/internal/memsys/numa"
	"spoor/predict/internal/memsys/wwt"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// WWTNodes returns the nodes of m, whose target is wwt, with empty caches for the processors of a trace.
func WWTNodes(m *machine.Machine, head trace.Header) ([]*wwt.Node, error) {
	c, err := configOf(m, trace.NewHomeMap(head))
	if err != nil {
		return nil, err
	}
	if err := c.checkWWT(m); err != nil {
		return nil, err
	}
	if c.Processors > 1 && m.Network == nil {
		return nil, fmt.Errorf("the machine has %d nodes but no network", c.Processors)
	}
	w := &wwt.Config{Nodes: c.Processors, Sets: c.Caches[0].Sets(), Ways: c.Caches[0].Ways, LineShift: c.line().Shift(),
		LookUp: c.Directory.LookUp, Latency: c.Memory.Latency, Occupancy: c.Memory.Occupancy, Trap: c.Directory.Trap,
		Control: c.Messages.Control, Data: c.Messages.Data, Network: unit.Picos(1)}
	if m.Network != nil {
		w.Network = m.At(m.Network.Fixed.Value).Picos()
	}
	if t := c.TLB; t != nil {
		w.Entries, w.EntryWays, w.PageShift, w.Translate = t.Entries, t.Ways, t.Page.Shift()-w.LineShift, t.Latency
	}
	var nodes []*wwt.Node
	for i := range c.Processors {
		homes := numa.NewHomes(trace.NewHomeMap(head), numa.NewLayout(c.Processors, 1, nil), c.Placement, c.line())
		nodes = append(nodes, wwt.New(w, i, homes))
	}
	return nodes, nil
}

// checkWWT returns an error if c is not valid for target wwt. Package machine has checked what one file can say.
func (c *Config) checkWWT(m *machine.Machine) error {
	if err := m.Fits("the trace has", c.Processors); err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	switch {
	case c.Protocol != (coherence.Protocol{}) && c.Protocol.Name != machine.MSI:
		return fmt.Errorf("target wwt needs protocol msi, not %s", c.Protocol.Name)
	case len(c.OtherNodes) > 0:
		return fmt.Errorf("target wwt has nodes of one kind; use target dir1sw")
	case !inOrder(m.Placed):
		return fmt.Errorf("target wwt has one processor in each node, and processor i is on node i; omit --map, --ranks-per-node and --node-order")
	}
	return nil
}

// inOrder reports whether rank i is on node i.
func inOrder(placed []int) bool {
	for i, n := range placed {
		if i != n {
			return false
		}
	}
	return true
}
