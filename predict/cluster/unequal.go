package cluster

import (
	"fmt"

	"spoor/calibrate/machine"
)

// checkOthers says what the model cannot do with nodes of other kinds.
func (c *Case) checkOthers() error {
	m := c.Machine
	if len(m.Others) > c.nodes() {
		return fmt.Errorf("%d nodes of other kinds among %d nodes of machine %s that run the program", len(m.Others), c.nodes(), m.Name)
	}
	for _, o := range m.Others {
		switch {
		case o.System.Processors != m.System.Processors:
			return fmt.Errorf("a node of %s has %d processors, of %s %d: traffic is measured between nodes of equally many; predict replay simulates others", o.Name, o.System.Processors, m.Name, m.System.Processors)
		case len(o.Caches) != len(m.Caches):
			return fmt.Errorf("a node of %s has %d levels of caches, of %s %d", o.Name, len(o.Caches), m.Name, len(m.Caches))
		}
	}
	return nil
}

// equal refuses nodes of other kinds, for models that know none.
func (c *Case) equal(name string) error {
	if len(c.Machine.Others) > 0 {
		return fmt.Errorf("model %s is of equal nodes; mva knows others", name)
	}
	return nil
}

// machineOf is the machine whose node processor p is in.
func (c *Case) machineOf(p int) *machine.Machine {
	first := c.nodes() - len(c.Machine.Others)
	if node := p / c.perNode(); node >= first {
		return c.Machine.Others[node-first]
	}
	return c.Machine
}

// unequal are the costs of every processor, nil if all nodes are of one kind.
func (c *Case) unequal(net interconnect) []costs {
	if len(c.Machine.Others) == 0 {
		return nil
	}
	each := make([]costs, c.Processors)
	for p := range each {
		each[p] = costsOf(c.machineOf(p))
		each[p].interconnect = net
	}
	return each
}
