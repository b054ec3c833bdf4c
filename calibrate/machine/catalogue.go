package machine

import (
	"fmt"
	"slices"

	"spoor/traces/unit"
)

// Catalogue lists what can be bought or rented: kinds of nodes with choices of processors, caches and memory, and
// networks.
// C_cluster = N (C_machine(n) + C_net) [du2000, eq. 3.6].
//
// Differs: a network may also have a base price, which does not depend on N.
type Catalogue struct {
	Date     string       // date of the prices
	Hourly   bool         // all prices are per hour
	Lifetime unit.Seconds // service life of what is bought; 0: not given
	Block    unit.Bytes   // block size of the shared memory of nodes, see System.Block
	Nodes    []NodeOffer
	Networks []NetworkOffer
}

// NodeOffer is a kind of node.
type NodeOffer struct {
	Name         string
	Price        unit.Dollars // without the choices below
	Processors   []int        // numbers of processors on offer
	PerProcessor unit.Dollars // price of each processor
	Caches       []Choice     // last private level of each processor
	Memories     []Choice     // memory of the node
	MaxNodes     int          // most of these nodes in a cluster; 0: no limit
	machines     [][]*Machine // with one processor; by index of cache and memory
}

// Choice is one size of a cache or memory, with its price.
type Choice struct {
	Size  unit.Bytes
	Price unit.Dollars
}

// NetworkOffer is a network that connects nodes.
type NetworkOffer struct {
	Name     string
	Price    unit.Dollars // per connected node
	Base     unit.Dollars // of the network, whatever the number of nodes
	MaxNodes int          // most nodes that it connects; 0: no limit
	link     *Network
}

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

// MaxNodes returns the largest number of nodes that a cluster like p can have.
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

// Name returns a name of p from its parts, such as "4x2 ws 256KiB 64MiB ethernet": 4 nodes of 2 processors.
func (c *Catalogue) Name(p Parts) string {
	n := &c.Nodes[p.Node]
	name := fmt.Sprintf("%dx%d %s %v %v", p.Nodes, p.Processors, n.Name, n.Caches[p.Cache].Size, n.Memories[p.Memory].Size)
	if p.Network != NoNetwork {
		name += " " + c.Networks[p.Network].Name
	}
	return name
}

// Scale has a factor for each kind of number in a catalogue. Sensitivity analysis varies one of them.
type Scale struct{ NodePrice, NetworkPrice, CPI, Cache, Memory, Disk, Network float64 }

// Unscaled is the Scale of factors 1.
var Unscaled = Scale{1, 1, 1, 1, 1, 1, 1}

// Scaled returns c with its numbers multiplied by the factors of a Scale: prices of nodes and of networks; times
// of instructions, caches, memory, disks and networks.
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

// times returns l multiplied by f.
func (l Latency) times(f float64) Latency {
	return Latency{l.cycles * unit.Cycles(f), l.seconds * unit.Seconds(f)}
}
