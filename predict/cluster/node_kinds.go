package cluster

import (
	"fmt"

	"spoor/calibrate/machine"
)

// checkNodeKinds returns an error if the model cannot predict the nodes of other kinds.
func (c *Case) checkNodeKinds() error {
	m := c.Machine
	if len(m.OtherNodes) > c.nodes() {
		return fmt.Errorf("%d nodes of other kinds among %d nodes of machine %s that run the program", len(m.OtherNodes), c.nodes(), m.Name)
	}
	for _, o := range m.OtherNodes {
		switch {
		case o.System.Processors != m.System.Processors:
			return fmt.Errorf("a node of %s has %d processors, one of %s has %d, but the model needs equal numbers; use predict replay", o.Name, o.System.Processors, m.Name, m.System.Processors)
		case len(o.Caches) != len(m.Caches):
			return fmt.Errorf("a node of %s has %d levels of caches, one of %s has %d, but the model needs equal numbers; use predict replay", o.Name, len(o.Caches), m.Name, len(m.Caches))
		}
	}
	return nil
}

// requireEqualNodes returns an error if c has nodes of several kinds. Models paper and curve need equal nodes.
func (c *Case) requireEqualNodes(name string) error {
	if len(c.Machine.OtherNodes) > 0 {
		return fmt.Errorf("model %s needs equal nodes; use model mva", name)
	}
	return nil
}

// machineOf returns the machine of the node of processor p.
func (c *Case) machineOf(p int) *machine.Machine {
	first := c.nodes() - len(c.Machine.OtherNodes)
	if node := p / c.perNode(); node >= first {
		return c.Machine.OtherNodes[node-first]
	}
	return c.Machine
}

// nodeCosts returns the costs of every processor, or nil if all nodes are of one kind.
func (c *Case) nodeCosts(net interconnect) []costs {
	if len(c.Machine.OtherNodes) == 0 {
		return nil
	}
	each := make([]costs, c.Processors)
	for p := range each {
		each[p] = costsOf(c.machineOf(p))
		each[p].interconnect = net
	}
	return each
}
