package network

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/analyze/comm"
	"spoor/predict/internal/network/routing"
	"spoor/traces/unit"
)

// shared are the models whose links can be shared.
var shared = []Model{Wormhole("bus"), Switch{}, Wormhole("full"), Wormhole("hypercube"), Wormhole("mesh"), Wormhole("torus"), Wormhole("fattree"), Wormhole("dragonfly")}

// sending is a message and when it is sent.
type sending struct {
	at unit.Picos
	Message
}

// drain sends messages, which are in order of time, and is when each had left, and what was delivered. It looks at all rates after every step.
func drain(t testing.TB, f *Fluid, all []sending) []Completion {
	t.Helper()
	out := make([]Completion, len(all))
	for sent := 0; ; {
		for sent < len(all) && all[sent].at <= f.Next() {
			f.Send(all[sent].at, all[sent].Message, Order{Minor: uint32(sent), Tag: int32(sent)})
			sent++
		}
		if f.Next() == Never {
			return out
		}
		for _, e := range f.Step() {
			out[e.Tag] = e
		}
		checkFair(t, f)
	}
}

// checkFair holds the rates to what max-min fair ones are: no link carries more than it can, and each message crosses a link that carries
// all it can, on which no message is faster.
func checkFair(t testing.TB, f *Fluid) {
	t.Helper()
	sums, most := map[comm.Link]float64{}, map[comm.Link]float64{}
	each := func(does func(n *flow)) {
		for i := range f.flows {
			if n := &f.flows[i]; n.begun && !slices.Contains(f.free, int32(i)) {
				does(n)
			}
		}
	}
	each(func(n *flow) {
		for _, s := range n.route {
			sums[s.link] += n.rate
			most[s.link] = max(most[s.link], n.rate)
		}
	})
	for l, sum := range sums {
		if sum > f.solver.capacity*(1+1e-6) {
			t.Fatalf("at %d, %s carries %v of %v", f.now, routing.LinkName(f.routes.Net, l), sum, f.solver.capacity)
		}
	}
	each(func(n *flow) {
		if !slices.ContainsFunc(n.route, func(s *fluidLink) bool {
			return sums[s.link] >= f.solver.capacity*(1-1e-6) && n.rate >= most[s.link]*(1-1e-6)
		}) {
			t.Fatalf("at %d, nothing holds up a message at rate %v of %v", f.now, n.rate, f.solver.capacity)
		}
	})
}

// naiveFlow is a message of the naive simulation.
type naiveFlow struct {
	way         []comm.Link
	left, rate  float64
	begin, ends unit.Picos
	done        bool
}

// naiveRates fills all links at once: all rates rise together, those on a link that is full stay, until all stay.
func naiveRates(all []*naiveFlow, capacity float64) {
	fixed := map[*naiveFlow]bool{}
	for len(fixed) < len(all) {
		least := math.Inf(1)
		room := map[comm.Link][2]float64{} // bandwidth, and how many share it
		for _, n := range all {
			for _, l := range n.way {
				r, known := room[l]
				if !known {
					r[0] = capacity
				}
				if fixed[n] {
					r[0] -= n.rate
				} else {
					r[1]++
				}
				room[l] = r
			}
		}
		for _, r := range room {
			if r[1] > 0 {
				least = min(least, r[0]/r[1])
			}
		}
		var full []*naiveFlow
		for _, n := range all {
			if !fixed[n] && slices.ContainsFunc(n.way, func(l comm.Link) bool { return room[l][0]/room[l][1] <= least*(1+1e-12) }) {
				full = append(full, n)
			}
		}
		for _, n := range full {
			fixed[n], n.rate = true, least
		}
	}
}

// naiveEnds is when each message has left, by new rates for all whenever one begins or ends.
func naiveEnds(ways [][]comm.Link, w linkTime, all []sending) (ends []unit.Picos) {
	capacity := 1 / w.perByte
	var flows []*naiveFlow
	for m, s := range all {
		flows = append(flows, &naiveFlow{way: ways[m], left: max(float64(s.Bytes)+w.header, capacity), begin: s.at})
	}
	for now := unit.Picos(0); ; {
		var on []*naiveFlow
		next := Never
		for _, n := range flows {
			if !n.done && n.begin <= now {
				on = append(on, n)
			} else if !n.done {
				next = min(next, n.begin)
			}
		}
		naiveRates(on, capacity)
		for _, n := range on {
			n.ends = now + picos(max(0, n.left)/n.rate)
			next = min(next, n.ends)
		}
		if next == Never {
			break
		}
		for _, n := range on {
			n.left -= n.rate * float64(next-now)
			n.done = n.ends <= next
		}
		now = next
	}
	for _, n := range flows {
		ends = append(ends, n.ends)
	}
	return ends
}

// scatter is messages of a program by chance: some at once, some long.
func scatter(r *rand.Rand, nodes, n int) (all []sending) {
	at := unit.Picos(0)
	for range n {
		if r.IntN(3) > 0 {
			at += unit.Picos(r.IntN(30000))
		}
		from := r.IntN(nodes)
		b := unit.Bytes(r.IntN(2000))
		if r.IntN(4) == 0 {
			b *= 40
		}
		all = append(all, sending{at, Message{from, (from + 1 + r.IntN(nodes-1)) % nodes, b}})
	}
	return all
}

// Rates that are found for a part of the messages are those of all; and so are their ends, to the rounding of rates.
func FuzzFluidIsNaive(f *testing.F) {
	for seed := range uint64(42) {
		f.Add(seed, uint8(seed), uint8(20+seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, model, n uint8) {
		r := rand.New(rand.NewPCG(seed, 21))
		c := Config{Nodes: 2 << r.IntN(4), Bandwidth: 1e9 * unit.BytesPerSecond(1+r.IntN(3)), Efficiency: 1, Header: unit.Bytes(r.IntN(20))}
		name := shared[int(model)%len(shared)].Name()
		withRoutes(&c, name, seed)
		net, err := newFluid(c, name)
		if err != nil {
			t.Fatal(err)
		}
		all := scatter(r, c.Nodes, 1+int(n%80))
		got := drain(t, net, all)
		for i, want := range naiveEnds(waysOf(net.routes.Router, all), net.linkTime, all) {
			if d := got[i].Free - want; d < -20 || d > 20 || got[i].Free < all[i].at+net.MinTime(all[i].Bytes)-1 {
				t.Errorf("%v at %d: left at %d, want %d", all[i].Message, all[i].at, got[i].Free, want)
			}
		}
	})
}

// Links of a gigabyte a second: a byte takes 1000 ps of one.
func TestFluidByHand(t *testing.T) {
	const kb = 1000
	for _, c := range []struct {
		name, model string
		nodes       int
		all         []sending
		want        []unit.Picos // when they have left, in ns
	}{
		{"alone", "bus", 4, []sending{{0, Message{0, 1, kb}}}, []unit.Picos{1000}},
		{"two over one link take twice as long", "bus", 4, []sending{{0, Message{0, 1, kb}}, {0, Message{2, 3, kb}}}, []unit.Picos{2000, 2000}},
		{"none in the way of another", "full", 4, []sending{{0, Message{0, 1, kb}}, {0, Message{0, 2, kb}}}, []unit.Picos{1000, 1000}},
		// Half of the first has gone when the second comes. Each then has half until the first ends at 1500; the second has 500 B left.
		{"one comes later", "bus", 4, []sending{{0, Message{0, 1, kb}}, {500_000, Message{2, 3, kb}}}, []unit.Picos{1500, 2000}},
		// A parking lot: the long way is held up at 1/2 on each link, and so are both short ones.
		{"parking lot", "mesh", 4, []sending{{0, Message{0, 2, kb}}, {0, Message{0, 1, kb}}, {0, Message{1, 2, kb}}}, []unit.Picos{2000, 2000, 2000}},
		// Two short ones on the first link: thirds there, so that the one on the second link has two thirds until it ends at 1500, the other three
		// being at 500 B; then nothing changes for them.
		{"what one cannot take others have", "mesh", 4, []sending{{0, Message{0, 2, kb}}, {0, Message{0, 1, kb}}, {0, Message{0, 1, kb}}, {0, Message{1, 2, kb}}},
			[]unit.Picos{3000, 3000, 3000, 1500}},
		// Seven to one have a seventh of its port each: the shorter ends at 7 * 500, and the others, which have 500 B left, 6 * 500 later.
		{"incast", "switch", 8, []sending{{0, Message{0, 7, kb}}, {0, Message{1, 7, kb}}, {0, Message{2, 7, kb}}, {0, Message{3, 7, kb}},
			{0, Message{4, 7, kb}}, {0, Message{5, 7, kb}}, {0, Message{6, 7, 500}}}, []unit.Picos{6500, 6500, 6500, 6500, 6500, 6500, 3500}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := Config{Nodes: c.nodes, Bandwidth: 1e9, Efficiency: 1}
			if c.model == "mesh" {
				n.Rows, n.Cols = 1, c.nodes
			}
			f, err := newFluid(n, c.model)
			if err != nil {
				t.Fatal(err)
			}
			for i, e := range drain(t, f, c.all) {
				if e.Free != c.want[i]*1000 || e.Arrive != e.Free || e.Latency != 1000*unit.Picos(c.all[i].Bytes) {
					t.Errorf("message %d left at %d and came at %d, %d of which without others, want %d ns", i, e.Free, e.Arrive, e.Latency, c.want[i])
				}
			}
		})
	}
}

// A message takes its latency and switches behind its bytes, which nobody waits for, and its header with them.
func TestLatencyOfFluid(t *testing.T) {
	f, err := newFluid(Config{Nodes: 4, Shape: comm.Shape{Rows: 1, Cols: 4}, Bandwidth: 1e9, Efficiency: 0.5, Header: 10, Latency: 7_000, Switch: 50}, "mesh")
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range drain(t, f, []sending{{5, Message{0, 3, 90}}, {300_005, Message{3, 0, 0}}}) {
		want := []Completion{{0, 5, Delivery{200_005, 207_105, 207_100}, true, true}, {1, 300_005, Delivery{320_005, 327_105, 27_100}, true, true}}[i]
		if e != want {
			t.Errorf("got %+v, want %+v", e, want)
		}
	}
	if u := f.Usage(); u.Messages != 2 || u.Bytes != 90 || len(u.Parts) != 6 || u.Parts[0] != (Part{"node 0 to node 1", 1, 90, 200_000}) {
		t.Errorf("%+v", u)
	}
}

// What a network does not depend on the order in which messages at a time are sent.
func TestOrderOfFluid(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	all := scatter(r, 16, 300)
	for i := range all {
		all[i].at = unit.Picos(i/20) * 40_000
	}
	var texts []string
	for range 3 {
		f, err := newFluid(Config{Nodes: 16, Bandwidth: 1e9, Efficiency: 1}, "torus")
		if err != nil {
			t.Fatal(err)
		}
		order := r.Perm(len(all))
		slices.SortFunc(order, func(i, k int) int { return int(all[i].at - all[k].at) })
		for _, i := range order {
			f.Send(all[i].at, all[i].Message, Order{Major: int32(all[i].From), Minor: uint32(i), Tag: int32(i)})
		}
		text := ""
		for f.Next() < Never {
			text += fmt.Sprint(f.Step())
		}
		texts = append(texts, text)
	}
	if texts[0] != texts[1] || texts[0] != texts[2] {
		t.Error("other orders, other times")
	}
}

func TestFluidImpossible(t *testing.T) {
	for name, want := range map[string]string{"ideal": "a ideal network has no links to share", "loggp": "no links"} {
		if _, err := newFluid(usual(4), name); err == nil {
			t.Errorf("%s: no error, want %s", name, want)
		}
	}
	for _, spoil := range []func(c *Config){func(c *Config) { c.Nodes = 0 }, func(c *Config) { c.Bandwidth = 0 }, func(c *Config) { c.Rows, c.Cols = 3, 3 }} {
		c := usual(4)
		spoil(&c)
		if _, err := newFluid(c, "mesh"); err == nil {
			t.Errorf("%+v", c)
		}
	}
}

// BenchmarkFluid sends messages of 8 KiB between nodes drawn by chance, as many on their way at a time as there are nodes.
func BenchmarkFluid(b *testing.B) {
	for _, m := range shared {
		for _, nodes := range []int{16, 128, 1024} {
			f, err := newFluid(Config{Nodes: nodes, Bandwidth: 1e9, Efficiency: 1}, m.Name())
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/%d", m.Name(), nodes), func(b *testing.B) {
				r := rand.New(rand.NewPCG(5, 6))
				send := func(from int32, at unit.Picos) {
					to := (int(from) + 1 + r.IntN(nodes-1)) % nodes
					f.Send(at+unit.Picos(r.IntN(2_000_000)), Message{int(from), to, 8192}, Order{Major: from, Tag: from})
				}
				for n := range nodes {
					send(int32(n), f.now)
				}
				b.ReportAllocs()
				solved := 0
				b.ResetTimer()
				for n := 0; n < b.N; {
					for _, e := range f.Step() {
						send(e.Tag, e.Arrive)
						n++
					}
					solved += len(f.solver.part)
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mmsg/s")
				b.ReportMetric(float64(solved)/float64(b.N), "solved/msg")
			})
		}
	}
}
