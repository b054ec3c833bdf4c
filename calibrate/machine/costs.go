package machine

import (
	"fmt"
	"slices"
	"strconv"

	"spoor/traces/unit"
)

// Cost is a key of a machine that takes time: a time, or a rate such as a bandwidth.
type Cost struct {
	Key   string // as in machine files; levels of caches and of nodes have their numbers
	Value string // as in machine files, or "by size" for all sizes of PLogP
	times func(m *Machine, factor float64) string
}

// Times returns m with the cost factor times as large, and the new value. A rate is divided by factor.
func (c Cost) Times(m *Machine, factor float64) (*Machine, string) {
	out := m.clone()
	value := c.times(out, factor)
	kinds := map[*Machine]*Machine{}
	for i, o := range m.OtherNodes {
		if kinds[o] == nil {
			kinds[o] = o.clone()
			c.times(kinds[o], factor)
		}
		out.OtherNodes[i] = kinds[o]
	}
	return out, value
}

// Costs lists the costs of m that are not zero, in the order of machine files.
func (m *Machine) Costs() (all []Cost) {
	add := func(key string, times func(*Machine, float64) string) {
		if value := times(m.clone(), 1); value != "" {
			all = append(all, Cost{key, value, times})
		}
	}
	if m.gives("processor.clock") {
		add("processor.clock", func(m *Machine, f float64) string {
			m.Processor.Clock /= unit.Hertz(f)
			return m.Processor.Clock.String()
		})
	}
	for _, c := range m.latencies() {
		if m.gives(c.key) {
			add(c.key, func(o *Machine, f float64) string { return scaleAll(c.of(o), f) })
		}
	}
	if m.Network != nil {
		for _, c := range m.Network.costs() {
			add("network."+c.key, func(m *Machine, f float64) string {
				if m.Network == nil { // another kind of node
					return ""
				}
				return c.times(m.Network, f)
			})
		}
	}
	return all
}

// gives reports whether the file of m has a key. A machine that is of no file gives all.
func (m *Machine) gives(key string) bool {
	return m.Given == nil || slices.Contains(m.Given, index.ReplaceAllString(key, ""))
}

// latencyAt is a key with a latency, and those that have its value if the file does not give them.
type latencyAt struct {
	key string
	of  func(*Machine) []*Latency
}

// latencies lists the keys with latencies.
func (m *Machine) latencies() (all []latencyAt) {
	one := func(key string, of func(*Machine) *Latency) {
		all = append(all, latencyAt{key, func(m *Machine) []*Latency { return []*Latency{of(m)} }})
	}
	for i := range m.Caches {
		one(level(i)+".latency", func(m *Machine) *Latency {
			if i >= len(m.Caches) { // another kind of node
				return nil
			}
			return &m.Caches[i].Latency
		})
	}
	one("shared_cache.latency", func(m *Machine) *Latency { return fieldOf(m.Shared, func(c *Cache) *Latency { return &c.Latency }) })
	all = append(all, m.memoryLatencies()...)
	one("disk.latency", func(m *Machine) *Latency { return fieldOf(m.Disk, func(d *Disk) *Latency { return &d.Latency }) })
	one("directory.latency", func(m *Machine) *Latency { return &m.Directory.Latency })
	one("directory.trap", func(m *Machine) *Latency { return &m.Directory.Trap })
	one("tlb.latency", func(m *Machine) *Latency { return fieldOf(m.TLB, func(t *TLB) *Latency { return &t.Latency }) })
	return all
}

// memoryLatencies are those of the memory: its latency is the default of occupancy, and that is the default of invalidate.
func (m *Machine) memoryLatencies() []latencyAt {
	occupancy, invalidate := m.gives("memory.occupancy"), m.gives("memory.invalidate")
	return []latencyAt{
		{"memory.latency", func(o *Machine) []*Latency {
			list := []*Latency{&o.Memory.Latency}
			if !occupancy {
				list = append(list, &o.Memory.Occupancy)
			}
			if !occupancy && !invalidate {
				list = append(list, &o.Memory.Invalidate)
			}
			return list
		}},
		{"memory.occupancy", func(o *Machine) []*Latency {
			if !invalidate {
				return []*Latency{&o.Memory.Occupancy, &o.Memory.Invalidate}
			}
			return []*Latency{&o.Memory.Occupancy}
		}},
		{"memory.invalidate", func(o *Machine) []*Latency { return []*Latency{&o.Memory.Invalidate} }},
	}
}

// fieldOf returns a field of a section, or nil if the section is absent.
func fieldOf[T any](section *T, field func(*T) *Latency) *Latency {
	if section == nil {
		return nil
	}
	return field(section)
}

// scaleAll multiplies latencies, and returns the first as text, or "" if it is zero or absent.
func scaleAll(list []*Latency, f float64) string {
	for _, l := range list[1:] {
		*l = l.Times(f)
	}
	return list[0].scale(f)
}

// scale multiplies l, and returns it as text, or "" if it is zero or absent.
func (l *Latency) scale(f float64) string {
	if l == nil || *l == (Latency{}) {
		return ""
	}
	*l = l.Times(f)
	digits, _ := strconv.ParseFloat(strconv.FormatFloat(float64(l.cycles), 'g', 4, 64), 64)
	return Latency{unit.Cycles(digits), l.seconds}.String()
}

// networkCost is a cost of a network.
type networkCost struct {
	key   string
	times func(n *Network, factor float64) string
}

// costs lists the costs that a network can have.
func (n *Network) costs() (all []networkCost) {
	seconds := func(key, suffix string, of func(*Network) *Optional[unit.Seconds]) {
		all = append(all, networkCost{key, func(n *Network, f float64) string { return scaleSeconds(of(n), f, suffix) }})
	}
	seconds("L", "", func(n *Network) *Optional[unit.Seconds] { return &n.Latency })
	seconds("o", "", func(n *Network) *Optional[unit.Seconds] { return &n.Overhead })
	seconds("o_s", "", func(n *Network) *Optional[unit.Seconds] { return &n.Sending })
	seconds("o_r", "", func(n *Network) *Optional[unit.Seconds] { return &n.Receiving })
	seconds("g", "", func(n *Network) *Optional[unit.Seconds] { return &n.Gap })
	seconds("G", "/B", func(n *Network) *Optional[unit.Seconds] { return &n.GapPerByte })
	seconds("gamma", "/line", func(n *Network) *Optional[unit.Seconds] { return &n.PerLine })
	seconds("interrupt", "", func(n *Network) *Optional[unit.Seconds] { return &n.Interrupt })
	seconds("buffer_copy", "/B", func(n *Network) *Optional[unit.Seconds] { return &n.BufferCopy })
	all = append(all, networkCost{"latency", func(n *Network, f float64) string { return n.Fixed.Value.scale(f) }},
		networkCost{"bandwidth", func(n *Network, f float64) string {
			if !n.Bandwidth.Known {
				return ""
			}
			n.Bandwidth.Value /= unit.BytesPerSecond(f)
			return n.Bandwidth.Value.String()
		}},
		networkCost{"switch", func(n *Network, f float64) string { return n.Switch.scale(f) }},
		bySize("size.o_s", func(s *Size) *Optional[unit.Seconds] { return &s.Sending }),
		bySize("size.o_r", func(s *Size) *Optional[unit.Seconds] { return &s.Receiving }),
		bySize("size.g", func(s *Size) *Optional[unit.Seconds] { return &s.Gap }))
	for i, l := range n.Levels {
		at := fmt.Sprintf("level[%d].", i)
		if l.Processors == 0 {
			at = "local."
		}
		for _, c := range l.costs() {
			seconds(at+c.key, c.suffix, func(n *Network) *Optional[unit.Seconds] { return c.of(&n.Levels[i]) })
		}
	}
	return all
}

// levelCost is a cost of a level of nodes.
type levelCost struct {
	key, suffix string
	of          func(*Level) *Optional[unit.Seconds]
}

func (l *Level) costs() []levelCost {
	return []levelCost{
		{"L", "", func(l *Level) *Optional[unit.Seconds] { return &l.Latency }},
		{"o", "", func(l *Level) *Optional[unit.Seconds] { return &l.Overhead }},
		{"o_s", "", func(l *Level) *Optional[unit.Seconds] { return &l.Sending }},
		{"o_r", "", func(l *Level) *Optional[unit.Seconds] { return &l.Receiving }},
		{"g", "", func(l *Level) *Optional[unit.Seconds] { return &l.Gap }},
		{"G", "/B", func(l *Level) *Optional[unit.Seconds] { return &l.GapPerByte }},
	}
}

// bySize is a cost of PLogP: that of all sizes.
func bySize(key string, of func(*Size) *Optional[unit.Seconds]) networkCost {
	return networkCost{key, func(n *Network, f float64) (value string) {
		for i := range n.Sizes {
			if scaleSeconds(of(&n.Sizes[i]), f, "") != "" {
				value = "by size"
			}
		}
		return value
	}}
}

// scaleSeconds multiplies a time, and returns it as text, or "" if it is zero or absent.
func scaleSeconds(o *Optional[unit.Seconds], f float64, suffix string) string {
	if !o.Known || o.Value == 0 {
		return ""
	}
	o.Value *= unit.Seconds(f)
	return o.Value.String() + suffix
}

// clone returns a copy of m whose costs can change.
func (m *Machine) clone() *Machine {
	out := *m
	out.Caches, out.OtherNodes = slices.Clone(m.Caches), slices.Clone(m.OtherNodes)
	out.Shared, out.Disk, out.TLB = copied(m.Shared), copied(m.Disk), copied(m.TLB)
	if m.Network != nil {
		n := *m.Network
		n.Sizes, n.Levels = slices.Clone(n.Sizes), slices.Clone(n.Levels)
		out.Network = &n
	}
	return &out
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	q := *p
	return &q
}
