package catalogue

import (
	"slices"

	"spoor/calibrate/machine"
	"spoor/traces/unit"
)

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
		out.Nodes[i] = scaled(c.Nodes[i], by)
	}
	for i := range out.Networks {
		n := &out.Networks[i]
		n.Price *= unit.Dollars(by.NetworkPrice)
		n.Base *= unit.Dollars(by.NetworkPrice)
		link := *n.Link
		link.Fixed.Value = link.Fixed.Value.Times(by.Network)
		link.Switch = link.Switch.Times(by.Network)
		link.Latency.Value *= unit.Seconds(by.Network)
		link.GapPerByte.Value *= unit.Seconds(by.Network)
		link.Bandwidth.Value /= unit.BytesPerSecond(by.Network)
		n.Link = &link
	}
	return &out
}

func scaled(n machine.NodeOffer, by Scale) machine.NodeOffer {
	n.Price *= unit.Dollars(by.NodePrice)
	n.PerProcessor *= unit.Dollars(by.NodePrice)
	n.Caches, n.Memories = slices.Clone(n.Caches), slices.Clone(n.Memories)
	for _, choices := range [][]machine.Choice{n.Caches, n.Memories} {
		for i := range choices {
			choices[i].Price *= unit.Dollars(by.NodePrice)
		}
	}
	machines := make([][]*machine.Machine, len(n.Machines))
	for i := range n.Machines {
		for _, old := range n.Machines[i] {
			m := *old
			m.Processor.CPI *= unit.Cycles(by.CPI)
			m.Caches = slices.Clone(m.Caches)
			for i := range m.Caches {
				m.Caches[i].Latency = m.Caches[i].Latency.Times(by.Cache)
			}
			m.Memory.Latency = m.Memory.Latency.Times(by.Memory)
			m.Memory.Occupancy = m.Memory.Occupancy.Times(by.Memory)
			m.Memory.Invalidate = m.Memory.Invalidate.Times(by.Memory)
			if m.Disk != nil {
				m.Disk = &machine.Disk{Latency: m.Disk.Latency.Times(by.Disk)}
			}
			machines[i] = append(machines[i], &m)
		}
	}
	n.Machines = machines
	return n
}

// Repriced returns c with every price replaced.
func (c *Catalogue) Repriced(price func(unit.Dollars) unit.Dollars) *Catalogue {
	out := *c
	out.Nodes, out.Networks = slices.Clone(c.Nodes), slices.Clone(c.Networks)
	for i := range out.Nodes {
		n := &out.Nodes[i]
		n.Price, n.PerProcessor = price(n.Price), price(n.PerProcessor)
		n.Caches, n.Memories = slices.Clone(n.Caches), slices.Clone(n.Memories)
		for _, choices := range [][]machine.Choice{n.Caches, n.Memories} {
			for j := range choices {
				choices[j].Price = price(choices[j].Price)
			}
		}
	}
	for i := range out.Networks {
		n := &out.Networks[i]
		n.Price, n.Base = price(n.Price), price(n.Base)
	}
	return &out
}
