package engine

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/engine/program"
	"spoor/predict/internal/network"
	"spoor/traces/unit"
)

// sharing is a model of links of a gigabyte a second, 1000 ps for a byte, that messages share max-min fairly.
func sharing(t testing.TB, model string, nodes int, more string) cost.Model {
	t.Helper()
	return sharingBy(t, "sharing = \"max-min\"\n", model, nodes, more)
}

// inPackets is the same by packets of 10 bytes.
func inPackets(t testing.TB, model string, nodes int, more string) cost.Model {
	t.Helper()
	return sharingBy(t, "sharing = \"packets\"\npacket = \"10 B\"\n", model, nodes, more)
}

func sharingBy(t testing.TB, how, model string, nodes int, more string) cost.Model {
	t.Helper()
	m, err := machine.Parse("m.toml", []byte("name = \"m\"\n[processor]\nclock = \"1 GHz\"\ncpi = 1.0\n[memory]\nsize = \"1 GiB\"\nlatency = \"80 ns\"\n"+
		"[[cache]]\nsize = \"1 KiB\"\nline = \"64 B\"\nways = 1\nlatency = \"0 ns\"\n"+
		"[network]\nbandwidth = \"1 GB/s\"\n"+how+"model = \""+model+"\"\n"+more+"[system]\ntarget = \"cow\"\nprocessors = 1\nnodes = 64\n"))
	if err != nil {
		t.Fatal(err)
	}
	net, err := network.NewSharedLinks(m, nodes)
	if err != nil {
		t.Fatal(err)
	}
	return cost.Model{Send: 500, Receive: 700, EagerLimit: -1, Shared: net, Node: func(rank int32) int { return int(rank) }}
}

// naiveShip is a mail that is on its way over shared links.
type naiveShip struct {
	*naiveMail
	to      int32
	ends    *naiveEnd
	ordered bool
	left    bool
	gone    bool
}

// near is whether messages between two ranks use no links.
func (n *naive) near(r, to int32) bool { return n.UsesLinks() && r != to && n.Node(r) == n.Node(to) }

// copyLocally sends a mail within a node, and returns when it has left.
func (n *naive) copyLocally(r *naiveRank, to int32, m *naiveMail, at unit.Picos, bytes int64) unit.Picos {
	if m.at = at; n.Local == nil {
		return at
	}
	d := n.Local.Send(at, r.id, to, unit.Bytes(bytes))
	m.at = d.Arrive
	m.portWait += d.Arrive - at - d.Latency
	m.flight += d.Latency
	return d.Free
}

// twoToANode has two ranks on each node, whose memories take 5 ps and 2 ps for each byte.
func twoToANode(t *testing.T, m *cost.Model, ranks int) {
	shareNodes(t, m, ranks, 2, nil)
}

func shareNodes(t *testing.T, m *cost.Model, ranks, perNode int, levels []machine.Level) {
	node := &machine.Machine{Processor: machine.Processor{Clock: 1e9}, Caches: []machine.Cache{{Line: 64}}, Network: &machine.Network{Levels: levels},
		Memory: machine.Memory{Latency: machine.InSeconds(5e-12), Occupancy: machine.InSeconds(128e-12)}, System: machine.System{Nodes: ranks, Processors: perNode}}
	var err error
	if m.Local, err = network.NewLocal(node, ranks, ranks); err != nil {
		t.Fatal(err)
	}
	m.Node = func(rank int32) int { return int(rank) / perNode }
}

// naiveLevel has the overheads and S of two ranks; negative: as between nodes.
type naiveLevel struct {
	send, receive unit.Picos
	limit         int64
}

// fourToANode has four ranks on each node, in units of two. A unit has all costs of its own but o_r, which is the node's.
func fourToANode(t *testing.T, m *cost.Model, ranks int) {
	time := func(t unit.Picos) machine.Optional[unit.Seconds] {
		return machine.Optional[unit.Seconds]{Value: unit.Seconds(t) * 1e-12, Known: true}
	}
	shareNodes(t, m, ranks, 4, []machine.Level{
		{Name: "unit", Processors: 2, Latency: time(2), Overhead: time(8), Receiving: time(1), Sending: time(3), Gap: time(6), GapPerByte: time(1), RendezvousMin: machine.Optional[unit.Bytes]{Value: 30, Known: true}},
		{Latency: time(9), Overhead: time(11), GapPerByte: time(4)}})
}

// ownLevel is what fourToANode says.
func ownLevel(a, b int32) naiveLevel {
	switch {
	case a/2 == b/2:
		return naiveLevel{3, 1, 30}
	case a/4 == b/4:
		return naiveLevel{11, 11, -1}
	}
	return naiveLevel{-1, -1, -1}
}

// ownS and ownR are o_s and o_r between two ranks.
func (n *naive) ownS(from, to int32, bytes int64) unit.Picos {
	if n.own != nil && n.own(from, to).send >= 0 {
		return n.own(from, to).send
	}
	return n.oS(bytes)
}

func (n *naive) ownR(from, to int32, bytes int64) unit.Picos {
	if n.own != nil && n.own(from, to).receive >= 0 {
		return n.own(from, to).receive
	}
	return n.oR(bytes)
}

// isLong is whether a message between two ranks is a rendezvous message.
func (n *naive) isLong(from, to int32, bytes int64) bool {
	limit := n.EagerLimit
	if n.own != nil && n.own(from, to).limit >= 0 {
		limit = n.own(from, to).limit
	}
	return limit >= 0 && bytes > limit
}

// overLinks has a mail come over Net, after those before it between the same ranks if it is ordered. It is when it has left.
func (n *naive) overLinks(r *naiveRank, to int32, m *naiveMail, at unit.Picos, bytes int64, ordered bool) unit.Picos {
	d := n.Net.Send(at, network.Message{From: n.Node(r.id), To: n.Node(to), Bytes: unit.Bytes(bytes)})
	m.portWait += d.Arrive - at - d.Latency
	m.flight += max(0, d.Latency)
	if m.at = d.Arrive; ordered {
		n.hold(r, to, m)
	}
	n.put(r, to, m)
	return d.Free
}

func (n *naive) ship(r *naiveRank, to int32, m *naiveMail, at unit.Picos, bytes int64, ends *naiveEnd) {
	r.sent++
	m.seq = r.sent
	n.ships = append(n.ships, &naiveShip{naiveMail: m, to: to, ends: ends, ordered: m.kind != cts})
	n.Shared.Send(at, network.Message{From: n.Node(r.id), To: n.Node(to), Bytes: unit.Bytes(bytes)}, network.Order{Major: r.id, Minor: m.seq, Tag: int32(len(n.ships) - 1)})
}

// land has mails come that have left, but for those that would overtake others.
func (n *naive) land() {
	n.now = n.Shared.Next()
	for _, d := range n.Shared.Step() {
		s := n.ships[d.Tag]
		portWait, flight := s.portWait+d.Arrive-d.Sent-d.Latency, s.flight+d.Latency
		if d.Departed && s.ends != nil {
			sender := n.ranks[s.from]
			sender.coming = append(sender.coming, &naiveMail{kind: ack, from: s.from, seq: s.seq, at: d.Free, portWait: portWait, flight: flight, send: s.ends})
		}
		if !d.Arrived {
			continue
		}
		s.at, s.portWait, s.flight, s.left = d.Arrive, portWait, flight, true
		for i, o := range n.ships {
			before := func(b *naiveShip) bool { return b.ordered && o.ordered && !b.gone && b.from == o.from && b.to == o.to }
			if !o.left || o.gone || slices.ContainsFunc(n.ships[:i], before) {
				continue
			}
			if o.ordered {
				n.hold(n.ranks[o.from], o.to, o.naiveMail)
			}
			o.gone = true
			n.ranks[o.to].coming = append(n.ranks[o.to].coming, o.naiveMail)
		}
	}
}

// Over links that have one message at a time, who acts first sends first, at a time the lower rank.
func FuzzLinked(f *testing.F) {
	all := []network.Model{network.Wormhole("bus"), network.Switch{}, network.Wormhole("full"), network.Wormhole("mesh"), network.Wormhole("torus"), network.Wormhole("fattree"), network.Wormhole("dragonfly"), network.LogP{}, network.LogGP{}, network.Ideal{}, network.PLogP{}}
	for seed := range uint64(40) {
		f.Add(seed, uint8(2+seed%6), uint8(10+2*seed), uint8(seed))
		f.Add(seed, uint8(2+seed%6), uint8(10+2*seed), uint8(10)) // plogp
	}
	f.Fuzz(func(t *testing.T, seed uint64, ranks, steps, model uint8) {
		a := newAuthor(seed, 1+int(ranks%8))
		ops := a.write(int(steps))
		var needs []*program.Graph
		if seed%3 == 0 {
			needs = a.graphs(ops)
		}
		build := func() cost.Model {
			of := all[int(model)%len(all)]
			c := network.Config{Nodes: len(ops), Bandwidth: 1e12, Efficiency: 1, Latency: 3, L: 20, Gap: 8, GapPerByte: 2e-12, Sizes: plogp().Sizes, Rails: int(seed % 3)}
			if k := comm.TopologyNamed(of.Name()); k != nil && k.Detours {
				c.Routing = []string{"", machine.RouteValiant, machine.RouteAdaptive}[seed%7%3]
			}
			net, err := of.New(c)
			if err != nil {
				t.Fatal(err)
			}
			m := cost.Model{Send: unit.Picos(seed % 4 * 5), Receive: 7, EagerLimit: -1, Net: net, Node: func(rank int32) int { return int(rank) }}
			if seed%2 == 0 {
				m.EagerLimit = 50
			}
			if int(model)%len(all) == len(all)-1 {
				m.Sizes = plogp().Sizes
				m.Net = network.PaidPorts(len(ops), m.Sizes)
			}
			switch seed % 5 {
			case 0, 1:
				twoToANode(t, &m, len(ops))
			case 2:
				fourToANode(t, &m, len(ops))
			}
			if seed%4 == 3 {
				m = early(interrupted(m, 5))
			}
			return m
		}
		n := newNaive(ops, needs, build(), stepsOf(len(ops)))
		if seed%5 == 2 {
			n.own = ownLevel
		}
		n.run()
		want, _ := n.outcomeOf()
		if got, err := outcomeOf(t, driverFor(&n.Model), ops, needs, Options{Model: build(), Steps: stepsOf(len(ops))}); got != want {
			t.Fatalf("got\n%s\nwant\n%s\n%v", got, want, err)
		}
	})
}

// Over links that messages share, the engine takes what happens on them and what ranks do in order of time.
func FuzzShared(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, uint8(2+seed%6), uint8(10+2*seed), uint8(seed))
	}
	f.Add(uint64(19), uint8(4), uint8(62), uint8(92)) // a message overtakes another on the other rail
	f.Fuzz(func(t *testing.T, seed uint64, ranks, steps, model uint8) {
		a := newAuthor(seed, 1+int(ranks%8))
		ops := a.write(int(steps))
		var needs []*program.Graph
		if seed%3 == 0 {
			needs = a.graphs(ops)
		}
		name := []string{"bus", "switch", "full", "mesh", "torus", "fattree", "dragonfly"}[model%7]
		keys := fmt.Sprintf("latency = \"3 ns\"\nrails = %d\n", 1+seed%2)
		if comm.TopologyNamed(name).Detours {
			keys += fmt.Sprintf("routing = %q\n", []string{"minimal", machine.RouteValiant, machine.RouteAdaptive}[seed%3])
		}
		build := func() cost.Model {
			links := sharing
			if seed%7 > 3 {
				links = inPackets
			}
			m := links(t, name, len(ops), keys)
			switch seed % 5 {
			case 0:
				m.Node = func(rank int32) int { return int(rank) / 2 }
			case 1:
				twoToANode(t, &m, len(ops))
			case 2:
				fourToANode(t, &m, len(ops))
			}
			if m.Send = unit.Picos(model % 3 * 100); seed%2 == 0 {
				m.EagerLimit = 50
			}
			if seed%4 == 3 {
				m = early(interrupted(m, 700))
			}
			return m
		}
		n := newNaive(ops, needs, build(), stepsOf(len(ops)))
		if seed%5 == 2 {
			n.own = ownLevel
		}
		n.run()
		want, _ := n.outcomeOf()
		if got, err := outcomeOf(t, driverFor(&n.Model), ops, needs, Options{Model: build(), Steps: stepsOf(len(ops))}); got != want {
			t.Fatalf("%s: got\n%s\nwant\n%s\n%v", name, got, want, err)
		}
	})
}

func TestSharedByHand(t *testing.T) {
	long := func(m cost.Model) cost.Model { m.EagerLimit = 100; return m }
	for _, c := range []struct {
		name     string
		model    cost.Model
		ranks    [][]program.Op
		want     []unit.Picos
		portWait unit.Picos // of all ranks
	}{
		{"one message", sharing(t, "bus", 2, "latency = \"3 ns\"\n"), // 500 + 10 bytes + 3 ns + 700
			ranks(does(send(1, 10)), does(recv(0))), at(500, 14_200), 0},
		// Both begin at 500 and have half of the bus each: they have left at 20 500.
		{"two over one link", sharing(t, "bus", 4, ""),
			ranks(does(send(1, 10)), does(recv(0)), does(send(3, 10)), does(recv(2))), at(500, 21_200, 500, 21_200), 20_000},
		// Of eight to one, each has an eighth of its port: 80 ns. The first is then taken, the others wait for the processor.
		{"incast", sharing(t, "switch", 9, ""), append(ranks(does(recv(1), recv(2), recv(3), recv(4), recv(5), recv(6), recv(7), recv(8))),
			slices.Repeat(ranks(does(send(0, 10))), 8)...), append(at(80_500+8*700), slices.Repeat(at(500), 8)...), 70_000},
		// The request takes a picosecond at least, so that its byteless self is there at 501, is read at 1201, the answer
		// leaves at 1701, is there at 1702, read at 2402; the message leaves from 2902 on for 101 ns.
		{"rendezvous", long(sharing(t, "full", 2, "")), ranks(does(send(1, 101)), does(recv(0))), at(103_902, 104_602), 0},
		// The short one has half of the bus from 11 000 to 31 000, which makes the long one 10 000 later: it has left at 110 500, and the short one
		// waits for it.
		{"no overtaking", sharing(t, "bus", 2, ""), ranks(does(send(1, 100), work(10_000), send(1, 10)), does(recv(0), recv(0))), at(11_000, 111_900), 10_000},
		// Packets of both take turns on the bus from 500 on, 10 ns each: those of rank 0 are on it until 30 500, those of rank 2 until 40 500.
		{"turns by packets", inPackets(t, "bus", 4, "latency = \"3 ns\"\n"), ranks(does(send(1, 20)), does(recv(0)), does(send(3, 20)), does(recv(2))),
			at(500, 34_200, 500, 44_200), 30_000},
		// The request is there at 801, read at 1501, the answer leaves at 2001, is there at 2302, read at 3002; the message leaves from 3502 on, in ten
		// packets and a byte. It has left the first of two links at 104 502, and the second 300 later.
		{"rendezvous in packets", long(inPackets(t, "switch", 2, "switch = \"300 ps\"\n")), ranks(does(send(1, 101)), does(recv(0))), at(104_502, 105_502), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := Run(context.Background(), programs(c.ranks, 0), Options{Model: c.model})
			if err != nil {
				t.Fatal(c.name, err)
			}
			checkParts(t, res)
			portWait := unit.Picos(0)
			for i, r := range res.Ranks {
				portWait += r.Parts[observe.Contention]
				if r.Time != c.want[i] {
					t.Errorf("rank %d ends at %d, want %d", i, r.Time, c.want[i])
				}
			}
			if portWait != c.portWait {
				t.Errorf("%d of contention, want %d", portWait, c.portWait)
			}
			if p := res.Engine.Protocol; p != outcome.Sequential {
				t.Errorf("%s", p)
			}
		})
	}
}
