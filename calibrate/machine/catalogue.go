package machine

import (
	"fmt"
	"slices"

	"spoor/traces/unit"
)

// Catalogue is what can be bought or rented: kinds of nodes with choices of processors, caches and memory, and networks
// between them. C_cluster = N (C_machine(n) + C_net) [du2000, eq. 3.6].
//
// Differs: a network may also have a price of its own, which does not depend on N.
type Catalogue struct {
	Date     string       // of the prices
	Hourly   bool         // all prices are for an hour
	Lifetime unit.Seconds // for which what is bought serves; 0: not given
	Block    unit.Bytes   // of the shared memory of nodes, see System.Block
	Nodes    []NodeOffer
	Networks []NetworkOffer
}

// NodeOffer is a kind of node.
type NodeOffer struct {
	Name         string
	Price        unit.Dollars // without what is chosen
	Processors   []int        // numbers of processors that it comes with
	PerProcessor unit.Dollars // of each of them
	Caches       []Choice     // of the last private level, for each processor
	Memories     []Choice     // for the node
	MaxNodes     int          // of them in a cluster; 0: no limit
	machines     [][]*Machine // of one processor, by cache and memory
}

// Choice is one size of something, at a price.
type Choice struct {
	Size  unit.Bytes
	Price unit.Dollars
}

// NetworkOffer connects nodes.
type NetworkOffer struct {
	Name     string
	Price    unit.Dollars // of connecting a node
	Base     unit.Dollars // of the network itself
	MaxNodes int          // nodes that it connects; 0: no limit
	link     *Network
}

// Parts are the indices of what a cluster is made of.
type Parts struct {
	Node, Cache, Memory int
	Processors          int // of each node
	Nodes               int
	Network             int // NoNetwork for a single node
}

// NoNetwork is that of a single node.
const NoNetwork = -1

// NodePrice is that of one node of p with its connection, and Base what the cluster costs besides its nodes.
func (c *Catalogue) NodePrice(p Parts) unit.Dollars {
	n := &c.Nodes[p.Node]
	price := n.Price + unit.Dollars(p.Processors)*(n.PerProcessor+n.Caches[p.Cache].Price) + n.Memories[p.Memory].Price
	if p.Network != NoNetwork {
		price += c.Networks[p.Network].Price
	}
	return price
}

// Base is what p costs whatever the number of nodes.
func (c *Catalogue) Base(p Parts) unit.Dollars {
	if p.Network == NoNetwork {
		return 0
	}
	return c.Networks[p.Network].Base
}

// Price is that of all of p.
func (c *Catalogue) Price(p Parts) unit.Dollars {
	return c.Base(p) + unit.Dollars(p.Nodes)*c.NodePrice(p)
}

// MaxNodes is how many nodes of p there may be.
func (c *Catalogue) MaxNodes(p Parts) int {
	most := maxProcessors / p.Processors
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

// Configurations lists what p can be but for the number of nodes, which is 1 without network and else the least that a network connects, 2.
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

// Machine describes the cluster made of p.
func (c *Catalogue) Machine(p Parts) *Machine {
	m := *c.Nodes[p.Node].machines[p.Cache][p.Memory]
	m.Name = c.Name(p)
	m.System.Target, m.System.Processors, m.System.Nodes = SMP, p.Processors, p.Nodes
	if p.Network == NoNetwork {
		return &m
	}
	m.Network = c.Networks[p.Network].link
	m.System.Block = max(c.Block, m.Caches[len(m.Caches)-1].Line)
	if m.System.Target = CLUMP; p.Processors == 1 {
		m.System.Target = COW
	}
	return &m
}

// Name says what p is made of: "4x2 ws 256KiB 64MiB ethernet", 4 nodes of 2 processors.
func (c *Catalogue) Name(p Parts) string {
	n := &c.Nodes[p.Node]
	name := fmt.Sprintf("%dx%d %s %v %v", p.Nodes, p.Processors, n.Name, n.Caches[p.Cache].Size, n.Memories[p.Memory].Size)
	if p.Network != NoNetwork {
		name += " " + c.Networks[p.Network].Name
	}
	return name
}

// A Scale is a factor for each kind of number in a catalogue, to see what depends on it.
type Scale struct{ NodePrice, NetworkPrice, CPI, Cache, Memory, Disk, Network float64 }

// Unscaled is the Scale that changes nothing.
var Unscaled = Scale{1, 1, 1, 1, 1, 1, 1}

// Scaled is c with prices of nodes and of networks, times of instructions, of caches, of memory and of disks, and times on networks
// multiplied.
func (c *Catalogue) Scaled(by Scale) *Catalogue {
	out := *c
	out.Nodes, out.Networks = slices.Clone(c.Nodes), slices.Clone(c.Networks)
	for i := range out.Nodes {
		out.Nodes[i] = c.Nodes[i].scaled(by)
	}
	for i := range out.Networks {
		n := &out.Networks[i]
		n.Price *= unit.Dollars(by.NetworkPrice)
		n.Base *= unit.Dollars(by.NetworkPrice)
		link := *n.link
		link.Fixed.Value = link.Fixed.Value.times(by.Network)
		link.Switch = link.Switch.times(by.Network)
		link.Latency.Value *= unit.Seconds(by.Network)
		link.GapPerByte.Value *= unit.Seconds(by.Network)
		link.Bandwidth.Value /= unit.BytesPerSecond(by.Network)
		n.link = &link
	}
	return &out
}

func (n NodeOffer) scaled(by Scale) NodeOffer {
	n.Price *= unit.Dollars(by.NodePrice)
	n.PerProcessor *= unit.Dollars(by.NodePrice)
	n.Caches, n.Memories = slices.Clone(n.Caches), slices.Clone(n.Memories)
	for _, choices := range [][]Choice{n.Caches, n.Memories} {
		for i := range choices {
			choices[i].Price *= unit.Dollars(by.NodePrice)
		}
	}
	machines := make([][]*Machine, len(n.machines))
	for i := range n.machines {
		for _, old := range n.machines[i] {
			m := *old
			m.Processor.CPI *= unit.Cycles(by.CPI)
			m.Caches = slices.Clone(m.Caches)
			for i := range m.Caches {
				m.Caches[i].Latency = m.Caches[i].Latency.times(by.Cache)
			}
			m.Memory.Latency = m.Memory.Latency.times(by.Memory)
			m.Memory.Occupancy = m.Memory.Occupancy.times(by.Memory)
			m.Memory.Invalidate = m.Memory.Invalidate.times(by.Memory)
			if m.Disk != nil {
				m.Disk = &Disk{m.Disk.Latency.times(by.Disk)}
			}
			machines[i] = append(machines[i], &m)
		}
	}
	n.machines = machines
	return n
}

// times is l so many times.
func (l Latency) times(f float64) Latency {
	return Latency{l.cycles * unit.Cycles(f), l.seconds * unit.Seconds(f)}
}
