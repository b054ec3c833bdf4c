// Package catalogue combines the parts of a catalogue into clusters, with their prices.
package catalogue

import (
	"fmt"

	"spoor/calibrate/machine"
	"spoor/traces/unit"
)

// Catalogue is a catalogue of parts, as a price list has it.
type Catalogue machine.Catalogue

// Parts identifies a cluster by the indices of its parts in a Catalogue.
type Parts struct {
	Node, Cache, Memory int
	Processors          int // of each node
	Nodes               int
	Network             int // NoNetwork for a single node
}

// NoNetwork is the Network of a single node.
const NoNetwork = -1

// nodePrice returns the price of one node of p with its network connection.
func (c *Catalogue) nodePrice(p Parts) unit.Dollars {
	n := &c.Nodes[p.Node]
	price := n.Price + unit.Dollars(p.Processors)*(n.PerProcessor+n.Caches[p.Cache].Price) + n.Memories[p.Memory].Price
	if p.Network != NoNetwork {
		price += c.Networks[p.Network].Price
	}
	return price
}

// Base returns the price of p's network that does not depend on the number of nodes.
func (c *Catalogue) Base(p Parts) unit.Dollars {
	if p.Network == NoNetwork {
		return 0
	}
	return c.Networks[p.Network].Base
}

// Price returns the price of the cluster p.
func (c *Catalogue) Price(p Parts) unit.Dollars {
	return c.Base(p) + unit.Dollars(p.Nodes)*c.nodePrice(p)
}

// mostProcessors is the most processors of a cluster that is offered.
const mostProcessors = 1 << 16

// MaxNodes returns the largest number of nodes that a cluster like p can have.
func (c *Catalogue) MaxNodes(p Parts) int {
	most := mostProcessors / p.Processors
	limits := []int{c.Nodes[p.Node].MaxNodes}
	if p.Network == NoNetwork {
		return 1
	}
	limits = append(limits, c.Networks[p.Network].MaxNodes)
	for _, l := range limits {
		if l > 0 {
			most = min(most, l)
		}
	}
	return most
}

// Configurations lists all combinations of parts except the number of nodes. Nodes is 1 without network. It is 2,
// the least that a network connects, otherwise.
func (c *Catalogue) Configurations() (all []Parts) {
	for i := range c.Nodes {
		n := &c.Nodes[i]
		for cache := range n.Caches {
			for memory := range n.Memories {
				for _, processors := range n.Processors {
					all = append(all, Parts{i, cache, memory, processors, 1, NoNetwork})
					for network := range c.Networks {
						all = append(all, Parts{i, cache, memory, processors, 2, network})
					}
				}
			}
		}
	}
	return all
}

// Machine returns the description of the cluster p.
func (c *Catalogue) Machine(p Parts) *machine.Machine {
	m := *c.Nodes[p.Node].Machines[p.Cache][p.Memory]
	m.Name = c.Name(p)
	m.System.Target, m.System.Processors, m.System.Nodes = machine.SMP, p.Processors, p.Nodes
	if p.Network == NoNetwork {
		return &m
	}
	m.Network = c.Networks[p.Network].Link
	m.System.Block = max(c.Block, m.Caches[len(m.Caches)-1].Line)
	if m.System.Target = machine.CLUMP; p.Processors == 1 {
		m.System.Target = machine.COW
	}
	return &m
}

// Name returns a name of p from its parts, such as "4x2 ws 256KiB 64MiB ethernet": 4 nodes of 2 processors.
func (c *Catalogue) Name(p Parts) string {
	n := &c.Nodes[p.Node]
	name := fmt.Sprintf("%dx%d %s %v %v", p.Nodes, p.Processors, n.Name, n.Caches[p.Cache].Size, n.Memories[p.Memory].Size)
	if p.Network != NoNetwork {
		name += " " + c.Networks[p.Network].Name
	}
	return name
}
