package network

import (
	"errors"
	"fmt"
	"math"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/internal/network/routing"
	"spoor/traces/unit"
)

// The network model of SMPI, of SimGrid 3.32 without options [clauss2011], [casanova2014].
const (
	smpiEnvelope = 16      // bytes that each message has besides its payload
	smpiWindow   = 4194304 // bytes: the largest window of TCP, network/TCP-gamma
	smpiWeight   = 8775    // bytes: network/weight-S
	smpiCross    = 0.05    // share of a message's rate that its way back carries: network/crosstraffic
	smpiLoopback = 10e9    // bytes per second within a node: network/loopback-bw
)

// smpiBandwidths and smpiLatencies are the factors of bandwidths and latencies: smpi/bw-factor and smpi/lat-factor.
var (
	smpiBandwidths = []machine.SizePiece{{Value: 0.812084}, {Above: 257, Value: 0.338112}, {Above: 732, Value: 0.341987}, {Above: 1426, Value: 0.608902},
		{Above: 3484, Value: 0.77493}, {Above: 5776, Value: 1.08739}, {Above: 9376, Value: 0.58729}, {Above: 15424, Value: 0.697866}, {Above: 65472, Value: 0.940694}}
	smpiLatencies = []machine.SizePiece{{Value: 2.01467}, {Above: 257, Value: 1.95341}, {Above: 732, Value: 1.9503}, {Above: 1426, Value: 1.61075},
		{Above: 3484, Value: 1.88101}, {Above: 5776, Value: 2.18796}, {Above: 9376, Value: 2.59299}, {Above: 15424, Value: 3.48845}, {Above: 65472, Value: 11.6436}}
)

// AtSize returns the value of a message: that of the last piece of less than its size. Messages that are too small for all
// pieces have the value below.
func AtSize(all []machine.SizePiece, bytes float64, below machine.SizePiece) float64 {
	for _, p := range all {
		if bytes > float64(p.Above) {
			below = p
		}
	}
	return below.Value + below.PerByte*bytes
}

// SMPI is a network of links whose bandwidth messages share as in SMPI of SimGrid. A message of s bytes is 16 bytes
// longer. It first waits for the latency of its route times a factor. Then it sends its bytes at a rate that is a factor
// times a share of the bandwidth. Both factors depend on s + 16.
//
// The shares are max-min fair with weights. All shares grow, in proportion to their weights, until a link is full or a
// share reaches its bound. The weight is the inverse of the route's latency plus 8775 bytes at the bandwidth of each
// link. The bound is the least bandwidth on the route, or 4 MiB in twice its latency if that is less. A message also
// takes 5 % of its share on the links of the way back, for acknowledgements.
//
// A message between ranks of a node has a route of its own: L and G of network.local, or 10 GB/s without latency.
//
// Later messages slow down earlier ones: see SharedLinks. SMPI is not safe for concurrent use.
//
// Differs: SimGrid treats shares within 1e-5 as equal, and events within 1 ns as simultaneous.
type SMPI struct {
	history
	smpiRoutes
	smpiRates
	smpiEvents
}

var _ SharedLinks = (*SMPI)(nil)

// smpiLink is a link and the messages on it.
type smpiLink struct {
	link     comm.Link
	capacity float64 // bytes per picosecond
	on       []smpiRef
	sent     tally

	// Of the present solve.
	solve   uint64
	spare   float64 // bandwidth that is left
	usage   float64 // weights times use of the messages without a share
	unknown int     // messages without a share
}

// smpiRef is a message on a link, which is a hop of its path.
type smpiRef struct {
	flow int32
	hop  int32
}

// smpiHop is a link of a path. A share of one takes up use of it.
type smpiHop struct {
	*smpiLink
	use float64
}

// smpiPath is what messages from one node to another have in common.
type smpiPath struct {
	hops     []smpiHop
	forward  int     // the first hops, on the way there
	latency  float64 // picoseconds, without factor
	penalty  float64 // the inverse of the weight
	bound    float64 // of the share, in bytes per picosecond
	idleRate float64 // without other messages
}

// smpiRoutes are the paths between nodes.
type smpiRoutes struct {
	routes    routing.Routes[smpiLink]
	linked    bool
	backbone  *smpiLink // or nil
	latency   float64   // picoseconds of the first link
	hop       float64   // picoseconds of each further link
	bandwidth float64   // bytes per picosecond
	local     smpiPath
	factors   machine.SimGrid
	paths     map[[2]int32]*smpiPath
}

// NewSMPI returns the network of m's links between nodes, of which there may be fewer than m has. The model of the
// network must be ideal, or have links that messages share. An error says what SMPI lacks.
func NewSMPI(m *machine.Machine, nodes int) (*SMPI, error) {
	if m.Network == nil {
		return nil, fmt.Errorf("machine %q has no section [network]", m.Name)
	}
	s := &SMPI{}
	if err := s.open(m, nodes); err != nil {
		return nil, fmt.Errorf("the %s network of machine %q: %w", m.Network.Model, m.Name, err)
	}
	return s, nil
}

func (r *smpiRoutes) open(m *machine.Machine, nodes int) error {
	n, c := m.Network, configOf(m, nodes, nil)
	c.Efficiency, c.Header = 1, 0
	if err := c.check(); err != nil {
		return err
	}
	w, err := c.linkTime()
	if err != nil {
		return err
	}
	r.paths = map[[2]int32]*smpiPath{}
	r.bandwidth, r.latency, r.hop = 1/w.perByte, float64(c.Latency), float64(c.Switch)
	r.given(m)
	if err := r.openLocal(n); err != nil || n.Model == "ideal" {
		return err
	}
	route, _, err := c.linksToShare(n.Model)
	switch {
	case err != nil:
		return fmt.Errorf("%w, which messages of SMPI need", err)
	case n.Sharing != machine.ShareMaxMin:
		return fmt.Errorf("network.sharing is %q; messages of SMPI share links by %q", n.Sharing, machine.ShareMaxMin)
	case !route.Fixed:
		return errors.New("network.rails and network.routing are not in SMPI, where each two nodes have one route")
	}
	r.linked, r.routes = true, routing.New[smpiLink](route, nodes)
	r.routes.Number = func(l *smpiLink, number comm.Link) { l.link, l.capacity = number, r.bandwidth }
	return nil
}

// given takes what [network.simgrid] gives.
func (r *smpiRoutes) given(m *machine.Machine) {
	if s := m.Network.SimGrid; s != nil {
		r.factors = *s
	}
	g := &r.factors
	if g.Bandwidths == nil {
		g.Bandwidths = smpiBandwidths
	}
	if g.Latencies == nil {
		g.Latencies = smpiLatencies
	}
	if g.Fixed.Known {
		r.latency = float64(m.At(g.Fixed.Value).Picos())
	}
	if g.Switch.Known {
		r.hop = float64(m.At(g.Switch.Value).Picos())
	}
	if g.Backbone.Known {
		r.backbone = &smpiLink{capacity: float64(g.Backbone.Value) / 1e12}
	}
}

// openLocal makes the path within a node.
func (r *smpiRoutes) openLocal(n *machine.Network) error {
	bandwidth, latency := smpiLoopback, 0.0
	switch {
	case len(n.Levels) == 0:
	case len(n.Levels) > 1 || n.Levels[0].Processors > 0:
		return errors.New("[[network.level]] is not in SMPI, where all ranks of a node have the costs of [network.local]")
	default:
		if l := &n.Levels[0]; l.GapPerByte.Known {
			bandwidth = 1 / max(float64(l.GapPerByte.Value), 1/float64(maxBandwidth))
		}
		latency = float64(n.Levels[0].Latency.Value) * 1e12
	}
	r.local = smpiPath{latency: latency, bound: bandwidth / 1e12}
	r.local.finish()
	return nil
}

// finish computes what follows from the rest of a path.
func (p *smpiPath) finish() {
	if p.penalty += p.latency / 1e12; p.latency > 0 {
		p.bound = min(p.bound, smpiWindow/(2*p.latency))
	} else {
		p.penalty = 1
	}
	p.idleRate = p.bound
	for _, h := range p.hops {
		p.idleRate = min(p.idleRate, h.capacity/h.use)
	}
}

// between returns the path from one node to another.
func (r *smpiRoutes) between(from, to int) *smpiPath {
	if from == to {
		return &r.local
	}
	key := [2]int32{int32(from), int32(to)}
	p := r.paths[key]
	if p == nil {
		p = r.path(from, to)
		r.paths[key] = p
	}
	return p
}

// path makes the path from one node to another.
func (r *smpiRoutes) path(from, to int) *smpiPath {
	p := &smpiPath{latency: r.latency, bound: r.bandwidth}
	if r.linked {
		way := r.way(from, to)
		p.latency += r.hop * float64(len(way)-1)
		p.add(way, 1)
		p.add(r.backboneWay(), 1)
		p.forward = len(p.hops)
		p.add(r.way(to, from), smpiCross)
		p.add(r.backboneWay(), smpiCross)
		for _, h := range p.hops[:p.forward] {
			p.bound = min(p.bound, h.capacity)
			p.penalty += smpiWeight / (h.capacity * 1e12)
		}
	}
	p.finish()
	return p
}

// way returns the links from one node to another, as SimGrid chooses them.
func (r *smpiRoutes) way(from, to int) []*smpiLink {
	if net, is := r.routes.Plane.(comm.SimGridRouter); is {
		return r.routes.Way(net.SimGridRoute(from, to, nil), nil)
	}
	return r.routes.Between(from, to, nil)
}

// backboneWay returns the backbone, if there is one.
func (r *smpiRoutes) backboneWay() []*smpiLink {
	if r.backbone == nil {
		return nil
	}
	return []*smpiLink{r.backbone}
}

// add adds links to a path.
func (p *smpiPath) add(way []*smpiLink, use float64) {
next:
	for _, l := range way {
		for i := range p.hops {
			if p.hops[i].smpiLink == l {
				p.hops[i].use += use
				continue next
			}
		}
		p.hops = append(p.hops, smpiHop{l, use})
	}
}

// of returns the factors of a message, envelope included.
func (r *smpiRoutes) of(bytes float64) (bandwidth, latency float64) {
	one := machine.SizePiece{Value: 1}
	return AtSize(r.factors.Bandwidths, bytes, one), AtSize(r.factors.Latencies, bytes, one)
}

// withEnvelope returns a size with its envelope.
func withEnvelope(b unit.Bytes) float64 { return float64(b) + smpiEnvelope }

// MinTime implements SharedLinks.
func (s *SMPI) MinTime(b unit.Bytes) unit.Picos {
	factor, _ := s.of(withEnvelope(b))
	return picos(math.Floor(withEnvelope(b) / (max(s.bandwidth, s.local.bound) * factor)))
}
