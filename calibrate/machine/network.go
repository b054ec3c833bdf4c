package machine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spoor/analyze/comm"
	"spoor/traces/unit"
)

// Network connects the nodes. The model decides which parameters it needs. An absent parameter is zero, except
// Efficiency, which is 1.
type Network struct {
	Model string // one of networks

	// Parameters of LogGPS.
	Latency       Optional[unit.Seconds]
	Overhead      Optional[unit.Seconds] // o: time of the processor that sends or receives a message
	Sending       Optional[unit.Seconds] // o_s: overhead of the sender, if it differs
	Receiving     Optional[unit.Seconds] // o_r: overhead of the receiver, if it differs
	Gap           Optional[unit.Seconds] // g: between the starts of two messages of one node
	GapPerByte    Optional[unit.Seconds]
	RendezvousMin Optional[unit.Bytes] // S: larger messages wait for their receiver
	Ports         string               // SendPort or BothPorts; "" for models other than loggp

	// Sizes are o_s, o_r and g of PLogP by message size, ascending. They replace Sending, Receiving and Gap.
	Sizes []Size

	// Levels are the costs of messages within a node: units nearest first, then the whole node. None: those of the memory.
	Levels []Level

	// PerLine is the processor's time for each memory line of a message's buffer: gamma of [hur1999, sec. 3].
	PerLine Optional[unit.Seconds]

	// Costs of messages that come before their receiver waits for them [dickens1996, sec. 2].
	Interrupt  Optional[unit.Seconds] // time for which an arrival interrupts a busy processor; absent: it does not
	BufferCopy Optional[unit.Seconds] // time to copy a byte of an early message from the system's buffer

	// Source and meaning of the gap of LogP.
	GapFrom  string // GapBisection, GapTraffic or GapHistory; "": Gap
	Spacing  string // SpaceAny or SpaceSameKind; "" for other models
	Topology string // topology that GapFrom uses

	// Parameters of models that have links.
	Fixed      Optional[Latency]             // part of every message's latency during which it occupies no link
	Bandwidth  Optional[unit.BytesPerSecond] // of a link
	Efficiency float64                       // share of Bandwidth that messages and their headers can use, at most 1
	Header     unit.Bytes                    // bytes that each message has besides its payload
	Switch     Latency                       // latency of a switch on a message's route
	Sharing    string                        // ShareExclusive, ShareMaxMin or SharePackets; "" for models without links
	Packet     unit.Bytes                    // size of a packet, for SharePackets
	comm.Shape                               // of the topology

	Rails   int    // planes of links, of which each node has a port on each; 0: one
	Routing string // RouteValiant or RouteAdaptive; "": minimal routes
	Seed    int    // of random routes

	SimGrid *SimGrid // or nil
}

// Values of Network.GapFrom and Network.Spacing.
const (
	GapBisection  = "bisection" // by the links across the bisection [sivasubramaniam1995, sec. 5]
	GapTraffic    = "traffic"   // by the busiest link of a program's traffic
	GapHistory    = "history"   // the same of the traffic so far, while the simulation runs
	SpaceAny      = "any"       // between any two events of a node, sends or receives
	SpaceSameKind = "same-kind" // between two messages that it sends, or two that it receives
)

// Values of Network.Ports: the ports that each byte of a message occupies for G.
const (
	SendPort  = "send" // its sender's [alexandrov1995]
	BothPorts = "both" // its receiver's, too, so that many to one queue
)

// Values of Network.Sharing: what a link carries at a time.
const (
	ShareExclusive = "exclusive" // one message
	ShareMaxMin    = "max-min"   // all messages whose route has the link, with max-min fair rates
	SharePackets   = "packets"   // one packet of a message
)

// Optional is a value that a description may omit.
type Optional[T any] struct {
	Value T
	Known bool
}

// Models by their properties. A key that has no effect on a model is refused.
var (
	contended = kindsWith(func(*comm.TopologyKind) bool { return true })
	switched  = kindsWith(func(k *comm.TopologyKind) bool { return k.Switched })
	linked    = slices.Concat([]string{"ideal"}, contended)
)

// networks are the network models that a description may have.
var networks = slices.Concat([]string{"ideal", "loggp", "plogp", "logp"}, contended)

// Bounds that catch typing errors: the slowest network, the fastest link, the longest header, and the smallest
// share of a bandwidth.
const (
	maxPerByte    = unit.Seconds(1)
	maxBandwidth  = unit.BytesPerSecond(1e15)
	maxHeader     = unit.Bytes(1 << 20)
	minEfficiency = 1e-3
)

func (r *reader) network(n *networkText) *Network {
	if n == nil {
		return nil
	}
	out := &Network{Model: r.oneOf("network.model", n.Model, networks), Efficiency: 1}
	out.Latency = r.duration("network.L", n.L)
	out.Overhead = r.duration("network.o", n.O)
	out.Gap = r.duration("network.g", n.SmallG)
	out.GapPerByte = r.per("network.G", n.G, "/B", "2 ns/B")
	if n.S.given {
		out.RendezvousMin = Optional[unit.Bytes]{r.size("network.S", n.S, 0), true}
	}
	r.processors(n, out)
	r.sizes(n, out)
	r.levels(n, out)
	r.gap(n, out)
	r.links(n, out)
	r.shape(n, out)
	r.routes(n, out)
	r.simgrid(n, out)
	r.logFamily(out)
	return out
}

// processors reads the costs of messages for processors and ports.
func (r *reader) processors(t *networkText, n *Network) {
	n.Sending = r.duration("network.o_s", t.Sending)
	n.Receiving = r.duration("network.o_r", t.Receiving)
	n.PerLine = r.per("network.gamma", t.Gamma, "/line", "60 ns/line")
	n.Interrupt = r.duration("network.interrupt", t.Interrupt)
	n.BufferCopy = r.per("network.buffer_copy", t.BufferCopy, "/B", "0.2 ns/B")
	if t.Ports != nil {
		r.belongs("network.ports", n.Model, "loggp")
		n.Ports = r.oneOf("network.ports", t.Ports, []string{SendPort, BothPorts})
	}
	if n.Ports == "" && n.Model == "loggp" {
		n.Ports = SendPort
	}
}

// logFamily checks that the keys of a LogP-type model are present.
func (r *reader) logFamily(n *Network) {
	needs := map[string][]struct {
		key   string
		known bool
	}{
		"loggp": {{"network.L", n.Latency.Known}, {"network.o", n.Overhead.Known}, {"network.g", n.Gap.Known}, {"network.G", n.GapPerByte.Known}},
		"logp":  {{"network.L", n.Latency.Known}, {"network.g", n.Gap.Known || n.GapFrom != ""}},
	}
	for _, need := range needs[n.Model] {
		if !need.known {
			r.fail(need.key, "is missing; the %s network needs it", n.Model)
		}
	}
	switch {
	case n.GapFrom != "" && n.Gap.Known:
		r.fail("network.gap", "%q is a second gap; give gap or g", n.GapFrom)
	case n.GapFrom != "" && n.Topology == "":
		r.fail("network.topology", "is missing; the %s gap needs a topology", n.GapFrom)
	case n.GapFrom == "" && n.Topology != "":
		r.fail("network.topology", "has no effect without network.gap")
	}
}

// gap reads the source of LogP's gap.
func (r *reader) gap(t *networkText, n *Network) {
	choose := func(path string, value *string, list ...string) string {
		if value == nil {
			return ""
		}
		r.belongs(path, n.Model, "logp")
		return r.oneOf(path, value, list)
	}
	n.GapFrom = choose("network.gap", t.Gap, GapBisection, GapTraffic, GapHistory)
	n.Topology = choose("network.topology", t.Topology, contended...)
	n.Spacing = choose("network.spacing", t.Spacing, SpaceAny, SpaceSameKind)
	if n.Spacing == "" && n.Model == "logp" {
		n.Spacing = SpaceAny
	}
}

// links reads the keys of models with links.
func (r *reader) links(t *networkText, n *Network) {
	for _, key := range []struct {
		path  string
		given bool
	}{{"network.latency", t.Latency.given}, {"network.bandwidth", t.Bandwidth.given}, {"network.efficiency", t.Efficiency.given}, {"network.header", t.Header.given}} {
		if key.given {
			r.belongs(key.path, n.Model, linked...)
		}
	}
	if t.Latency.given {
		n.Fixed = Optional[Latency]{r.latency("network.latency", t.Latency), true}
	}
	if t.Bandwidth.given {
		n.Bandwidth = Optional[unit.BytesPerSecond]{r.bandwidth("network.bandwidth", t.Bandwidth), true}
	}
	if t.Efficiency.given {
		n.Efficiency = r.share("network.efficiency", t.Efficiency)
	}
	if t.Header.given {
		if n.Header = r.size("network.header", t.Header, 0); n.Header > maxHeader {
			r.fail("network.header", "%v is more than %v", n.Header, maxHeader)
		}
	}
	if t.Sharing != nil {
		r.belongs("network.sharing", n.Model, contended...)
		n.Sharing = r.oneOf("network.sharing", t.Sharing, []string{ShareExclusive, ShareMaxMin, SharePackets})
	} else if slices.Contains(contended, n.Model) {
		n.Sharing = ShareExclusive
	}
	r.packet(t, n)
	if t.Switch.given {
		r.belongs("network.switch", n.Model, switched...)
		n.Switch = r.latency("network.switch", t.Switch)
	}
}

// packet reads the size of packets.
func (r *reader) packet(t *networkText, n *Network) {
	switch {
	case n.Sharing != SharePackets && t.Packet.given:
		r.fail("network.packet", "has no effect without network.sharing = %q", SharePackets)
	case n.Sharing != SharePackets:
	case !t.Packet.given:
		r.fail("network.packet", "is missing; network.sharing = %q needs it", SharePackets)
	default:
		n.Packet = r.size("network.packet", t.Packet, 1)
	}
}

// Shared reports whether messages share the bandwidth of links. A later message can then delay an earlier one.
func (n *Network) Shared() bool { return n.Sharing == ShareMaxMin || n.Sharing == SharePackets }

// belongs refuses a key that has no effect on the model.
func (r *reader) belongs(path, model string, models ...string) {
	if !slices.Contains(models, model) {
		r.fail(path, "has no effect for %q; it is for %s", model, strings.Join(models, ", "))
	}
}

func (r *reader) duration(path string, t text) Optional[unit.Seconds] {
	if !t.given {
		return Optional[unit.Seconds]{}
	}
	s, err := unit.Parse(t.value, "s")
	if err != nil {
		r.fail(path, "%v", err)
	}
	return Optional[unit.Seconds]{r.inRange(path, unit.Seconds(s)), true}
}

func (r *reader) bandwidth(path string, t text) unit.BytesPerSecond {
	b, err := unit.Parse(t.value, "B/s")
	least := unit.BytesPerSecond(1 / maxPerByte)
	if err != nil {
		r.fail(path, "%v", err)
	} else if !(unit.BytesPerSecond(b) >= least && unit.BytesPerSecond(b) <= maxBandwidth) {
		r.fail(path, "%q is not from %v to %v", t.value, least, maxBandwidth)
	}
	return unit.BytesPerSecond(b)
}

// share parses a share such as "48/53" or "0.9".
func (r *reader) share(path string, t text) float64 {
	part, whole, isFraction := strings.Cut(t.value, "/")
	x, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
	if isFraction && err == nil {
		var all float64
		all, err = strconv.ParseFloat(strings.TrimSpace(whole), 64)
		x /= all
	}
	if err != nil {
		err = fmt.Errorf("%q is not a share such as %q or %q", t.value, "48/53", "0.9")
	} else if !(x >= minEfficiency && x <= 1) {
		err = fmt.Errorf("%q is not from %v to 1", t.value, minEfficiency)
	}
	if err != nil {
		r.fail(path, "%v", err)
		return 1
	}
	return x
}

// per reads a time per unit of the suffix, such as "2 ns/B".
func (r *reader) per(path string, t text, suffix, example string) Optional[unit.Seconds] {
	if !t.given {
		return Optional[unit.Seconds]{}
	}
	time, ok := strings.CutSuffix(strings.TrimSpace(t.value), suffix)
	s, err := unit.Parse(time, "s")
	if err != nil || !ok {
		r.fail(path, "%q is not a time such as %q", t.value, example)
	}
	if !(s >= 0) || unit.Seconds(s) > maxPerByte {
		r.fail(path, "%q is not from 0 to %v%s", t.value, maxPerByte, suffix)
	}
	return Optional[unit.Seconds]{unit.Seconds(s), true}
}
