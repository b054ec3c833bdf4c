package machine

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"spoor/traces/unit"
)

// Text returns m as a description. Reading it returns m, except Assumed. It covers targets smp, cow and clump,
// with networks of links.
func (m *Machine) Text() []byte {
	var b strings.Builder
	section := func(name string) { fmt.Fprintf(&b, "\n%s\n", name) }
	add := func(key, value string) { fmt.Fprintf(&b, "%s = %s\n", key, value) }
	add("name", strconv.Quote(m.Name))
	if m.About != "" {
		add("about", strconv.Quote(m.About))
	}
	if s := m.Source.text(); s != "" {
		add("source", s)
	}
	section("[processor]")
	add("clock", exact(float64(m.Processor.Clock), "Hz"))
	add("cpi", number(float64(m.Processor.CPI)))
	if n := m.Processor.Outstanding; n > 0 {
		add("outstanding", strconv.Itoa(n))
		add("window", strconv.Itoa(int(math.Round(float64(m.Processor.Window/m.Processor.CPI)))))
	}
	if n := m.Processor.Ahead; n > 0 {
		add("ahead", strconv.Itoa(n))
		add("streams", strconv.Itoa(m.Processor.Streams))
	}
	for _, c := range m.Caches {
		section("[[cache]]")
		add("size", strconv.Quote(c.Size.String()))
		add("line", strconv.Quote(c.Line.String()))
		add("ways", strconv.Itoa(c.Ways))
		add("latency", c.Latency.exact())
	}
	section("[memory]")
	add("size", strconv.Quote(m.Memory.Size.String()))
	add("latency", m.Memory.Latency.exact())
	add("occupancy", m.Memory.Occupancy.exact())
	add("invalidate", m.Memory.Invalidate.exact())
	add("placement", strconv.Quote(string(m.Memory.Placement)))
	add("page", strconv.Quote(m.Memory.Page.String()))
	if m.Disk != nil {
		section("[disk]")
		add("latency", m.Disk.Latency.exact())
	}
	if n := m.Network; n != nil {
		section("[network]")
		n.describe(add, &b)
	}
	section("[system]")
	add("target", strconv.Quote(string(m.System.Target)))
	add("processors", strconv.Itoa(m.System.Processors))
	add("nodes", strconv.Itoa(m.System.Nodes))
	if m.System.Block > 0 {
		add("block", strconv.Quote(m.System.Block.String()))
	}
	return []byte(b.String())
}

// Text returns n as the section [network] of a description.
func (n *Network) Text() []byte {
	var b strings.Builder
	b.WriteString("[network]\n")
	n.describe(func(key, value string) { fmt.Fprintf(&b, "%s = %s\n", key, value) }, &b)
	return []byte(b.String())
}

// describe adds the keys of networks with links, and of PLogP.
func (n *Network) describe(add func(key, value string), to *strings.Builder) {
	add("model", strconv.Quote(n.Model))
	given := func(key string, v Optional[unit.Seconds]) {
		if v.Known {
			add(key, duration(v.Value))
		}
	}
	given("L", n.Latency)
	given("o", n.Overhead)
	given("o_s", n.Sending)
	given("o_r", n.Receiving)
	if n.RendezvousMin.Known {
		add("S", strconv.Quote(n.RendezvousMin.Value.String()))
	}
	if given("interrupt", n.Interrupt); n.BufferCopy.Known {
		add("buffer_copy", exact(float64(n.BufferCopy.Value), "s/B"))
	}
	n.describeLinks(add)
	for _, s := range n.Sizes {
		to.WriteString("\n[[network.size]]\n")
		add("bytes", strconv.Quote(s.Bytes.String()))
		given("o_s", s.Sending)
		given("o_r", s.Receiving)
		given("g", s.Gap)
	}
	n.describeLevels(add, to)
	n.describeSimGrid(add, to)
}

// describeLinks adds the keys of links.
func (n *Network) describeLinks(add func(key, value string)) {
	if n.Fixed.Known {
		add("latency", n.Fixed.Value.exact())
	}
	if n.Bandwidth.Known {
		add("bandwidth", exact(float64(n.Bandwidth.Value), "B/s"))
	}
	if n.Efficiency != 1 {
		add("efficiency", exact(n.Efficiency, ""))
	}
	if n.Header > 0 {
		add("header", strconv.Quote(n.Header.String()))
	}
	if n.Switch != (Latency{}) {
		add("switch", n.Switch.exact())
	}
	if n.Shared() {
		add("sharing", strconv.Quote(n.Sharing))
	}
	if n.Rails > 0 {
		add("rails", strconv.Itoa(n.Rails))
	}
	if n.Packet > 0 {
		add("packet", strconv.Quote(n.Packet.String()))
	}
}

// duration returns s in nanoseconds if that reads back exactly, else in seconds.
func duration(s unit.Seconds) string {
	text := strconv.FormatFloat(math.Round(float64(s)*1e12)/1e3, 'f', -1, 64) + " ns"
	if v, err := unit.Parse(text, "s"); err == nil && unit.Seconds(v) == s {
		return strconv.Quote(text)
	}
	return exact(float64(s), "s")
}

// exact returns a quantity that reads back exactly.
func exact(v float64, unit string) string {
	return strconv.Quote(strings.TrimSpace(strconv.FormatFloat(v, 'f', -1, 64) + " " + unit))
}

// number returns v as a TOML float.
func number(v float64) string {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

func (l Latency) exact() string {
	if l.seconds != 0 {
		return exact(float64(l.seconds), "s")
	}
	return exact(float64(l.cycles), "cycles")
}
