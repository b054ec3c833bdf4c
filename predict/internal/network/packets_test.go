package network

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spoor/analyze/comm"
	"spoor/traces/testsize"
	"spoor/traces/unit"
)

// deliver sends messages, which are in order of time, and is when each had left and come.
func deliver(t testing.TB, n SharedLinks, all []sending) []Completion {
	t.Helper()
	out := make([]Completion, len(all))
	for sent := 0; ; {
		for sent < len(all) && all[sent].at <= n.Next() {
			n.Send(all[sent].at, all[sent].Message, Order{Minor: uint32(sent), Tag: int32(sent)})
			sent++
		}
		now := n.Next()
		if now == Never {
			return out
		}
		for _, e := range n.Step() {
			if e.Free < now && e.Departed || e.Arrive < now || e.Arrived && out[e.Tag].Arrived || e.Departed && out[e.Tag].Departed {
				t.Fatalf("at %d: %+v, after %+v", now, e, out[e.Tag])
			}
			if had := out[e.Tag]; e.Arrived && had.Departed {
				e.Departed, e.Free = true, had.Free
			}
			out[e.Tag] = e
		}
	}
}

// naivePacket is one of a message.
type naivePacket struct {
	message, number int
	bytes           unit.Bytes
	ready           unit.Picos // at its next link, or less than 0: the one before it has not left the first
	hop             int
}

// naivePackets cuts all messages up and takes whichever packet is at a link first, as long as there is any.
func naivePackets(p *Packets, all []sending) []Completion {
	var on []*naivePacket
	ways := waysOf(p.routes.Router, all)
	for m, s := range all {
		for k, left := 0, s.Bytes; k == 0 || left > 0; k++ {
			b := min(left, p.size)
			on, left = append(on, &naivePacket{m, k, b, -1, 0}), left-b
			if k == 0 {
				on[len(on)-1].ready = s.at
			}
		}
	}
	out := make([]Completion, len(all))
	taken := map[comm.Link]unit.Picos{}
	for len(on) > 0 {
		var first *naivePacket
		for _, k := range on {
			if k.ready >= 0 && (first == nil || cmp.Or(cmp.Compare(k.ready, first.ready), k.message-first.message, first.hop-k.hop) < 0) {
				first = k
			}
		}
		way := ways[first.message]
		begins := max(first.ready, taken[way[first.hop]])
		over := begins + p.time(first.bytes)
		taken[way[first.hop]] = over
		e := &out[first.message]
		if first.hop == 0 {
			e.Free = over
			for _, k := range on {
				if k.message == first.message && k.number == first.number+1 {
					k.ready = over
				}
			}
		}
		first.ready = begins + p.hop
		if first.hop++; first.hop == len(way) {
			e.Arrive = over + p.latency
			on = slices.DeleteFunc(on, func(k *naivePacket) bool { return k == first })
		}
	}
	return out
}

func FuzzPacketsAreNaive(f *testing.F) {
	for seed := range uint64(42) {
		f.Add(seed, uint8(seed), uint8(20+seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, model, n uint8) {
		r := rand.New(rand.NewPCG(seed, 22))
		c := Config{Nodes: 2 << r.IntN(4), Bandwidth: 1e9 * unit.BytesPerSecond(1+r.IntN(3)), Efficiency: 1, Header: unit.Bytes(r.IntN(20)),
			Latency: unit.Picos(r.IntN(3) * 5000), Switch: unit.Picos(r.IntN(3) * 700), Packet: unit.Bytes(200 + r.IntN(3000))}
		name := shared[int(model)%len(shared)].Name()
		withRoutes(&c, name, seed)
		net, err := newPackets(c, name)
		if err != nil {
			t.Fatal(err)
		}
		all := scatter(r, c.Nodes, 1+int(n%60))
		got := deliver(t, net, all)
		for i, want := range naivePackets(net, all) {
			if e := got[i]; e.Free != want.Free || e.Arrive != want.Arrive || e.Sent != all[i].at || e.Arrive < e.Sent+e.Latency || e.Free < e.Sent+net.MinTime(all[i].Bytes) {
				t.Errorf("%v at %d: %+v, want to leave at %d and to come at %d", all[i].Message, all[i].at, e, want.Free, want.Arrive)
			}
		}
	})
}

// Links of a gigabyte a second: a byte takes 1000 ps of one. Packets are of 100 B.
func TestPacketsByHand(t *testing.T) {
	for _, c := range []struct {
		name, model string
		nodes       int
		all         []sending
		left, came  []unit.Picos // in ns
	}{
		{"alone, the last packet is shorter", "bus", 4, []sending{{0, Message{0, 1, 250}}}, []unit.Picos{250}, []unit.Picos{250}},
		{"no bytes", "bus", 4, []sending{{5, Message{0, 1, 0}}}, []unit.Picos{0}, []unit.Picos{0}},
		// The head is at each of three links 7 ns after it is at the one before: all links carry it at the same time.
		{"over three links", "mesh", 4, []sending{{0, Message{0, 3, 250}}}, []unit.Picos{250}, []unit.Picos{264}},
		{"two take turns", "bus", 4, []sending{{0, Message{0, 1, 300}}, {0, Message{2, 3, 200}}}, []unit.Picos{500, 400}, []unit.Picos{500, 400}},
		// The second comes during the first packet of the first, and they take turns from then on: the second has left at 400.
		{"one comes later", "bus", 4, []sending{{0, Message{0, 1, 300}}, {50_000, Message{2, 3, 200}}}, []unit.Picos{500, 400}, []unit.Picos{500, 400}},
		{"of one node, too", "full", 4, []sending{{0, Message{0, 1, 200}}, {0, Message{0, 1, 200}}}, []unit.Picos{300, 400}, []unit.Picos{300, 400}},
		// A parking lot. On the first link A and B take turns: A from 0 to 100 and from 200 to 300, B between and until 400. On the second, C is from
		// 0 on, its second packet from 100 on, at which time A's first has been there since 7, so that it goes from 100 to 200. Then C's, until 300, and A's, there since 207, until 400.
		{"parking lot", "mesh", 4, []sending{{0, Message{0, 2, 200}}, {0, Message{0, 1, 200}}, {0, Message{1, 2, 200}}},
			[]unit.Picos{300, 400, 300}, []unit.Picos{400, 400, 300}},
		// Each of seven has every seventh packet, and all of them have come at 7 * 200, and the switch's 7 ns; the sender's port has carried its second packet 100 ns after its first.
		{"incast", "switch", 8, []sending{{0, Message{0, 7, 200}}, {0, Message{1, 7, 200}}, {0, Message{2, 7, 200}}, {0, Message{3, 7, 200}},
			{0, Message{4, 7, 200}}, {0, Message{5, 7, 200}}, {0, Message{6, 7, 200}}},
			[]unit.Picos{200, 200, 200, 200, 200, 200, 200}, []unit.Picos{807, 907, 1007, 1107, 1207, 1307, 1407}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := Config{Nodes: c.nodes, Bandwidth: 1e9, Efficiency: 1, Switch: 7000, Packet: 100}
			if c.model == "mesh" {
				n.Rows, n.Cols = 1, c.nodes
			}
			p, err := newPackets(n, c.model)
			if err != nil {
				t.Fatal(err)
			}
			for i, e := range deliver(t, p, c.all) {
				if left, came := c.left[i]*1000+c.all[i].at%1000, c.came[i]*1000+c.all[i].at%1000; c.all[i].Bytes > 0 && (e.Free != left || e.Arrive != came) || c.all[i].Bytes == 0 && (e.Free != 6 || e.Arrive != 6) {
					t.Errorf("message %d left at %d and came at %d, want %d and %d ns", i, e.Free, e.Arrive, c.left[i], c.came[i])
				}
			}
		})
	}
}

// Where a message has one link, those that take turns by packets of a byte share it fairly, to a byte whenever
// one of the twenty begins or ends.
func TestPacketsOfAByteAreFair(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 23))
		c := Config{Nodes: 4, Bandwidth: 1e9, Efficiency: 1, Packet: 1}
		name := []string{"bus", "full"}[seed%2]
		fluid, err := newFluid(c, name)
		if err != nil {
			t.Fatal(err)
		}
		packets, err := newPackets(c, name)
		if err != nil {
			t.Fatal(err)
		}
		all := scatter(r, c.Nodes, 20)
		want := deliver(t, fluid, all)
		for i, e := range deliver(t, packets, all) {
			if d := e.Free - want[i].Free; all[i].Bytes > 0 && (d < -40_000 || d > 40_000) {
				t.Errorf("%s, seed %d, %v: left at %d, fairly at %d", name, seed, all[i], e.Free, want[i].Free)
			}
		}
	}
}

// What a network does not depend on the order in which messages at a time are sent.
func TestOrderOfPackets(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	all := scatter(r, 16, testsize.Cases(300, 60))
	for i := range all {
		all[i].at = unit.Picos(i/20) * 40_000
	}
	var texts []string
	for range 3 {
		p, err := newPackets(Config{Nodes: 16, Bandwidth: 1e9, Efficiency: 1, Packet: 64}, "torus")
		if err != nil {
			t.Fatal(err)
		}
		order := r.Perm(len(all))
		slices.SortFunc(order, func(i, k int) int { return int(all[i].at - all[k].at) })
		for _, i := range order {
			p.Send(all[i].at, all[i].Message, Order{Major: int32(all[i].From), Minor: uint32(i), Tag: int32(i)})
		}
		var text strings.Builder
		for p.Next() < Never {
			fmt.Fprint(&text, p.Step())
		}
		texts = append(texts, text.String())
	}
	if texts[0] != texts[1] || texts[0] != texts[2] {
		t.Error("other orders, other times")
	}
}

// A message of all bytes that there are has no more packets than others, and ends at the Horizon.
func TestHugeMessagesInPackets(t *testing.T) {
	p, err := newPackets(Config{Nodes: 4, Bandwidth: 1e9, Efficiency: 1, Packet: 1}, "bus")
	if err != nil {
		t.Fatal(err)
	}
	if n := (unit.Bytes(1)<<62 + p.packetSize(1<<62) - 1) / p.packetSize(1<<62); n > maxPackets {
		t.Errorf("%d packets", n)
	}
	if t1 := p.MinTime(1 << 62); t1 != maxWire {
		t.Errorf("least %d", t1)
	}
	p.Send(0, Message{0, 1, 1 << 40}, Order{})
	var last []Completion
	for p.Next() < Never {
		last = p.Step()
	}
	if want := unit.Picos(1) << 40 * 1000; len(last) != 1 || last[0].Arrive != want || last[0].Latency != want {
		t.Errorf("%+v, want to come at %d", last, want)
	}
	if u := p.Usage(); u.Messages != 1 || u.Bytes != 1<<40 || len(u.Parts) != 1 || u.Parts[0] != (Part{"bus", 1, 1 << 40, 1000 << 40}) {
		t.Errorf("%+v", u)
	}
}

func TestPacketsImpossible(t *testing.T) {
	for _, spoil := range []func(c *Config) string{
		func(c *Config) string { c.Packet = 0; return "mesh" },
		func(c *Config) string { c.Nodes = 0; return "mesh" },
		func(c *Config) string { c.Bandwidth = 0; return "mesh" },
		func(c *Config) string { return "ideal" },
	} {
		c := usual(4)
		c.Packet = 64
		if _, err := newPackets(c, spoil(&c)); err == nil {
			t.Errorf("%+v", c)
		}
	}
}

// BenchmarkPackets sends messages of 8 KiB in packets of 1 KiB between nodes drawn by chance, as many on their way at a time as there are nodes.
func BenchmarkPackets(b *testing.B) {
	for _, m := range shared {
		for _, nodes := range []int{16, 1024} {
			p, err := newPackets(Config{Nodes: nodes, Bandwidth: 1e9, Efficiency: 1, Packet: 1024}, m.Name())
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/%d", m.Name(), nodes), func(b *testing.B) {
				r := rand.New(rand.NewPCG(5, 6))
				hops := 0
				send := func(from int32, at unit.Picos) {
					to := (int(from) + 1 + r.IntN(nodes-1)) % nodes
					p.Send(at+unit.Picos(r.IntN(2_000_000)), Message{int(from), to, 8192}, Order{Major: from, Tag: from})
					hops += 8 * len(p.routes.Net.Route(int(from), to, nil))
				}
				for n := range nodes {
					send(int32(n), p.now)
				}
				b.ReportAllocs()
				b.ResetTimer()
				hops = 0
				for n := 0; n < b.N; {
					for _, e := range p.Step() {
						if e.Arrived {
							send(e.Tag, e.Arrive)
							n++
						}
					}
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mmsg/s")
				b.ReportMetric(float64(hops)/b.Elapsed().Seconds()/1e6, "Mhops/s")
			})
		}
	}
}
