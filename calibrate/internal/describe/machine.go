package describe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spoor/calibrate/machine"
	"spoor/traces/unit"
)

// machineRows adds the rows of a machine, section by section.
type machineRows struct {
	*shown
	file string
	*machine.Machine
}

func (s *shown) machine(path string, m *machine.Machine) {
	r := machineRows{s, path, m}
	r.row("name", m.Name, "")
	r.given("about", m.About, "")
	r.source()
	has := func(section machine.Section) bool { return !slices.Contains(m.Missing, section) }
	if has(machine.ProcessorSection) {
		r.processor()
	}
	for i, c := range m.Caches {
		r.cache(fmt.Sprintf("cache[%d]", i), c)
	}
	if m.Shared != nil {
		r.cache("shared_cache", *m.Shared)
	}
	if has(machine.MemorySection) {
		r.memory()
	}
	if m.Network != nil {
		r.network(m.Network)
	}
	if has(machine.SystemSection) {
		r.distributed()
		r.system()
	}
	for _, s := range m.Missing {
		r.row("missing", string(s), "for "+s.Use())
	}
	for _, a := range m.Assumed {
		r.row("assumed", "", a)
	}
}

func (r machineRows) row(name, value, means string) { r.add(r.file, name, value, means) }

// source adds where the numbers are from, and what they were held to.
func (r machineRows) source() {
	name := "source"
	if len(r.Source.URLs) > 0 || r.Source.Date+r.Source.Validated != "" {
		name = "source.text"
	}
	r.given(name, r.Source.Text, "of the numbers")
	for _, u := range r.Source.URLs {
		r.row("source.url", u, "")
	}
	r.given("source.date", r.Source.Date, "of the newest source, or when it was read")
	r.given("source.validated", r.Source.Validated, "predictions compared with measurements, and the error")
}

// given adds a row unless the value is zero.
func (r machineRows) given(name string, value any, means string) {
	if text := fmt.Sprint(value); text != "" && text != "0" {
		r.row(name, text, means)
	}
}

func (r machineRows) latency(name string, l machine.Latency, what string) {
	if slices.Contains(r.Missing, machine.ProcessorSection) { // no clock
		r.row(name, l.String(), fmt.Sprintf("%v: %s", r.At(l), what))
		return
	}
	r.row(name, l.String(), fmt.Sprintf("%v, %.4g cycles: %s", r.At(l), float64(l.Cycles(r.Processor.Clock)), what))
}

func (r machineRows) processor() {
	p := r.Processor
	r.row("processor.clock", p.Clock.String(), "")
	r.row("processor.cpi", fmt.Sprintf("%g", float64(p.CPI)), fmt.Sprintf("%v for an instruction whose references cost nothing", p.CPI.At(p.Clock)))
	if p.CPF > 0 {
		r.row("processor.cpf", fmt.Sprintf("%g", float64(p.CPF)), fmt.Sprintf("%v for a floating-point operation", p.CPF.At(p.Clock)))
	}
	if n := p.Ahead; n > 0 {
		r.row("processor.ahead", strconv.Itoa(n), fmt.Sprintf("lines prefetched, for each of %d streams", p.Streams))
	}
	if n := p.Outstanding; n > 0 {
		r.row("processor.outstanding", strconv.Itoa(n), "most misses in progress while instructions continue")
		r.row("processor.window", fmt.Sprintf("%.0f", float64(p.Window/p.CPI)), fmt.Sprintf("%v of instructions can execute behind a miss", p.Window.At(p.Clock)))
	}
}

func (r machineRows) cache(at string, c machine.Cache) {
	r.row(at+".size", c.Size.String(), fmt.Sprintf("%d lines of %v, %d sets of %d ways", c.Lines(), c.Line, c.Sets(), c.Ways))
	r.latency(at+".latency", c.Latency, "added by a hit")
}

func (r machineRows) memory() {
	m := r.Memory
	r.row("memory.size", m.Size.String(), "of each node")
	held := "the memory"
	if r.System.Target == machine.SMP {
		held = "the bus"
	}
	r.latency("memory.latency", m.Latency, "added by a miss on an idle machine")
	r.latency("memory.occupancy", m.Occupancy, "a transfer occupies "+held)
	r.latency("memory.invalidate", m.Invalidate, "an address-only transaction occupies the bus")
	if r.System.Target != machine.SMP {
		r.row("memory.placement", string(m.Placement), "of pages on nodes")
		r.row("memory.page", m.Page.String(), "unit of placement")
	}
	if r.Disk != nil {
		r.latency("disk.latency", r.Disk.Latency, "added by a miss in memory")
	}
}

func (r machineRows) network(n *machine.Network) {
	r.row("network.model", n.Model, "")
	for _, t := range []struct {
		key   string
		given machine.Optional[unit.Seconds]
		means string
	}{
		{"L", n.Latency, "of a message"}, {"o", n.Overhead, "time of the sending or receiving processor"},
		{"o_s", n.Sending, "time of the sender"}, {"o_r", n.Receiving, "time of the receiver"}, {"g", n.Gap, "between messages of a node"},
	} {
		if t.given.Known {
			r.row("network."+t.key, t.given.Value.String(), t.means)
		}
	}
	r.sizes(n)
	if n.GapPerByte.Known {
		r.row("network.G", n.GapPerByte.Value.String()+"/B", "")
	}
	if n.RendezvousMin.Known {
		r.row("network.S", n.RendezvousMin.Value.String(), "larger messages wait for their receiver")
	}
	if n.PerLine.Known {
		r.row("network.gamma", n.PerLine.Value.String()+"/line", "time of the processor for each memory line of the buffer")
	}
	if n.Interrupt.Known {
		r.row("network.interrupt", n.Interrupt.Value.String(), "a message that arrives interrupts a busy processor")
	}
	if n.BufferCopy.Known {
		r.row("network.buffer_copy", n.BufferCopy.Value.String()+"/B", "copying an early message from the system's buffer")
	}
	r.given("network.ports", n.Ports, "ports that the bytes of a message occupy")
	r.given("network.gap", n.GapFrom, "source of g")
	r.given("network.topology", n.Topology, "of the gap")
	r.given("network.spacing", n.Spacing, "events that g separates")
	r.links(n)
	r.levels(n)
}

// sizes adds the costs of messages by size.
func (r machineRows) sizes(n *machine.Network) {
	for i, s := range n.Sizes {
		r.row(fmt.Sprintf("network.size[%d].bytes", i), s.Bytes.String(), "size of the message")
		for _, t := range []struct {
			key   string
			given machine.Optional[unit.Seconds]
			means string
		}{{"o_s", s.Sending, "time of the sender"}, {"o_r", s.Receiving, "time of the receiver"}, {"g", s.Gap, "between messages of a node"}} {
			if t.given.Known {
				r.row(fmt.Sprintf("network.size[%d].%s", i, t.key), t.given.Value.String(), t.means)
			}
		}
	}
}

// levels adds the costs of messages within a node.
func (r machineRows) levels(n *machine.Network) {
	for i, l := range n.Levels {
		at := fmt.Sprintf("network.level[%d].", i)
		if l.Processors == 0 {
			at = "network.local."
		} else {
			r.row(at+"name", l.Name, "of a unit of a node")
			r.row(at+"processors", fmt.Sprint(l.Processors), "of a unit")
		}
		for _, t := range []struct {
			key   string
			given machine.Optional[unit.Seconds]
			means string
		}{
			{"L", l.Latency, "of a message, after its last byte has been copied"}, {"o", l.Overhead, "time of the sending or receiving processor"},
			{"o_s", l.Sending, "time of the sender"}, {"o_r", l.Receiving, "time of the receiver"}, {"g", l.Gap, "between messages of a rank"},
		} {
			if t.given.Known {
				r.row(at+t.key, t.given.Value.String(), t.means)
			}
		}
		if l.GapPerByte.Known {
			r.row(at+"G", l.GapPerByte.Value.String()+"/B", "the memory's bandwidth is a bound, too")
		}
		if l.RendezvousMin.Known {
			r.row(at+"S", l.RendezvousMin.Value.String(), "larger messages wait for their receiver")
		}
	}
}

func (r machineRows) links(n *machine.Network) {
	if n.Bandwidth.Known {
		r.row("network.bandwidth", n.Bandwidth.Value.String(), "of a link")
		r.row("network.efficiency", fmt.Sprintf("%.4g", n.Efficiency), fmt.Sprintf("%v for messages and headers", n.Bandwidth.Value*unit.BytesPerSecond(n.Efficiency)))
		r.row("network.header", n.Header.String(), "of every message, besides its payload")
	}
	r.given("network.sharing", n.Sharing, "of a link by messages")
	if n.Packet > 0 {
		r.row("network.packet", n.Packet.String(), "unit that a link carries at a time")
	}
	if n.Fixed.Known {
		r.latency("network.latency", n.Fixed.Value, "of every message, occupies no link")
	}
	if n.Bandwidth.Known && n.Model != "ideal" && n.Model != "bus" && n.Model != "full" {
		r.latency("network.switch", n.Switch, "of every switch on the route")
	}
	r.given("network.rows", n.Rows, "")
	r.given("network.cols", n.Cols, "")
	r.given("network.arity", n.Arity, "links up and down of a switch")
	r.shape(n)
}

// shape adds the shape of the topology, and the choice of routes.
func (r machineRows) shape(n *machine.Network) {
	for _, list := range []struct {
		key    string
		counts []int
		means  string
	}{{"dims", n.Dims, "sizes of the dimensions"}, {"down", n.Down, "ports down of the switches of each level"}, {"up", n.Up, "switches above each node of a level"},
		{"parallel", n.Parallel, "links to each of these switches"}} {
		if len(list.counts) > 0 {
			r.row("network."+list.key, fmt.Sprint(list.counts), list.means)
		}
	}
	r.given("network.taper", n.Taper, "ports down for each port up of a leaf switch")
	r.given("network.groups", n.Groups, "")
	r.given("network.chassis", n.Chassis, "of a group")
	r.given("network.routers", n.Routers, "of a chassis")
	r.given("network.hosts", n.Hosts, "of a router")
	r.given("network.global", n.Global, "links between two groups")
	r.given("network.rails", n.Rails, "equal networks with a port of each node")
	r.given("network.routing", n.Routing, "choice of routes")
	r.given("network.seed", n.Seed, "of random routes")
	if n.SimGrid != nil {
		n.SimGrid.Rows(func(key, value, means string) { r.row("network.simgrid."+key, strings.Trim(value, `"`), means) })
	}
}

// distributed adds the sections of machines whose nodes share memory by messages.
func (r machineRows) distributed() {
	d, t := r.Directory, r.System.Target
	if t == machine.CCNUMA || t == machine.Dir1SW || t == machine.WWT {
		if t == machine.CCNUMA {
			r.row("directory.kind", string(d.Kind), "organization")
			r.row("directory.hints", strconv.FormatBool(d.Hints), "caches report clean lines that they replace")
		}
		r.given("directory.pointers", d.Pointers, "of each line")
		r.given("directory.overflow", string(d.Overflow), "action if pointers are full")
		r.given("directory.entries", d.Entries, "of each node")
		r.given("directory.ways", d.Ways, "associativity of the entries")
		r.latency("directory.latency", d.Latency, "a lookup")
	}
	if t == machine.Dir1SW || t == machine.WWT {
		r.latency("directory.trap", d.Trap, "software occupies the home")
	}
	if t != machine.SMP && t != machine.COW && t != machine.CLUMP {
		r.row("messages.control", r.Messages.Control.String(), "without data")
		r.row("messages.data", r.Messages.Data.String(), "with a line, or a part of one")
	}
	if b := r.TLB; b != nil {
		shape := "fully associative"
		if b.Ways < b.Entries {
			shape = fmt.Sprintf("%d sets of %d ways", b.Entries/b.Ways, b.Ways)
		}
		r.row("tlb.entries", strconv.Itoa(b.Entries), shape)
		r.row("tlb.page", b.Page.String(), fmt.Sprintf("covers %v of memory", b.Page*unit.Bytes(b.Entries)))
		r.latency("tlb.latency", b.Latency, "a miss")
	}
}

func (r machineRows) system() {
	s := r.System
	r.row("system.target", string(s.Target), "")
	r.row("system.processors", strconv.Itoa(s.Processors), "of each node")
	r.row("system.nodes", strconv.Itoa(s.Nodes), fmt.Sprintf("%d processors in all", s.Nodes*s.Processors))
	if s.Target != machine.LogP && s.Target != machine.PRAM {
		if s.Protocol != "" {
			r.row("system.protocol", string(s.Protocol), "of caches")
		} else {
			r.row("system.protocol", "-", "of caches: the one of the target's paper")
		}
	}
	if s.Block > 0 {
		r.row("system.block", s.Block.String(), "coherence unit between nodes")
	}
}
