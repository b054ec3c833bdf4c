package network

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/internal/network/routing"
	"spoor/traces/unit"
)

// withRoutes gives a network rails and Valiant routes, if it may have them.
func withRoutes(c *Config, model string, seed uint64) {
	if c.Rails = int(seed % 4); comm.TopologyNamed(model).Detours && seed%3 == 1 {
		c.Routing, c.Seed = machine.RouteValiant, int(seed)
	}
}

// waysOf is the routes of messages that are sent in their order, and are not adaptive.
func waysOf(r routing.Router, all []sending) (ways [][]comm.Link) {
	sent := map[int]uint64{}
	for _, s := range all {
		ways = append(ways, r.Route(routing.Numbered{From: s.From, To: s.To, Number: sent[s.From]}, 0, nil))
		sent[s.From]++
	}
	return ways
}

// lastArrival is when the last of messages arrives that are sent at once.
func lastArrival(t *testing.T, sharing string, c Config, model string, all []Message) (last unit.Picos) {
	t.Helper()
	if sharing == machine.ShareExclusive {
		n, err := Wormhole(model).New(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range all {
			last = max(last, n.Send(0, m).Arrive)
		}
		return last
	}
	var n SharedLinks
	var err error
	if n, err = newFluid(c, model); sharing == machine.SharePackets {
		n, err = newPackets(c, model)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range all {
		n.Send(0, m, Order{Minor: uint32(i), Tag: int32(i)})
	}
	for n.Next() < Never {
		for _, e := range n.Step() {
			last = max(last, e.Arrive)
		}
	}
	return last
}

// What is known of routing [kim2008, sec. 4.2]: if all nodes of a group send to the next group, minimal routes share one
// link, and Valiant routes are better. If messages go everywhere, Valiant routes take twice as many links, and minimal ones
// are better. Adaptive routes are near to the better ones. In a tree, receivers whose numbers are equal modulo the ports
// up share the links up of minimal routes.
func TestRoutingByPattern(t *testing.T) {
	dragonfly := Config{Nodes: 72, Bandwidth: 1e9, Efficiency: 1, Switch: 100_000, Packet: 1000, Shape: comm.Shape{Groups: 9, Routers: 4, Hosts: 2}}
	torus := Config{Nodes: 64, Bandwidth: 1e9, Efficiency: 1, Switch: 100_000, Packet: 1000, Shape: comm.Shape{Dims: []int{8, 8}}}
	tree := Config{Nodes: 64, Bandwidth: 1e9, Efficiency: 1, Switch: 100_000, Packet: 1000, Shape: comm.Shape{Down: []int{8, 8}, Up: []int{1, 8}}}
	shift := func(nodes, by int) (all []Message) {
		for i := range 4 * nodes {
			all = append(all, Message{i % nodes, (i%nodes + by) % nodes, 8000})
		}
		return all
	}
	strided := func(all []Message) (out []Message) { // only receivers whose numbers are equal modulo 8
		for _, m := range all {
			if m.To%8 == 3 {
				out = append(out, m)
			}
		}
		return out
	}
	r := rand.New(rand.NewPCG(1, 2))
	uniform := func(nodes int) (all []Message) {
		for i := range 4 * nodes {
			all = append(all, Message{i % nodes, (i%nodes + 1 + r.IntN(nodes-1)) % nodes, 8000})
		}
		return all
	}
	for _, c := range []struct {
		name, model string
		c           Config
		all         []Message
		better      string // minimal or Valiant routes
	}{
		{"to the next group", "dragonfly", dragonfly, shift(72, 8), machine.RouteValiant},
		{"everywhere", "dragonfly", dragonfly, uniform(72), ""},
		{"tornado", "torus", torus, shift(64, 3), ""},
		{"everywhere", "torus", torus, uniform(64), ""},
		{"one port", "fattree", tree, strided(uniform(64)), machine.RouteValiant},
	} {
		for _, sharing := range []string{machine.ShareExclusive, machine.ShareMaxMin, machine.SharePackets} {
			took := map[string]unit.Picos{}
			for _, routing := range []string{"", machine.RouteValiant, machine.RouteAdaptive} {
				c.c.Routing = routing
				took[routing] = lastArrival(t, sharing, c.c, c.model, c.all)
			}
			t.Logf("%-10s %-18s %-10s minimal %6.1f valiant %6.1f adaptive %6.1f us", c.model, c.name, sharing,
				float64(took[""])/1e6, float64(took[machine.RouteValiant])/1e6, float64(took[machine.RouteAdaptive])/1e6)
			if min(took[""], took[machine.RouteValiant]) != took[c.better] || float64(took[machine.RouteAdaptive]) > 1.02*float64(took[c.better]) {
				t.Errorf("%s, %s, %s: %v", c.model, c.name, sharing, took)
			}
		}
	}
}

// Rails are as many networks: messages of a node take turns on them.
func TestRails(t *testing.T) {
	for _, k := range comm.Topologies {
		c := Config{Nodes: 8, Bandwidth: 1e12, Efficiency: 1, Rails: 2, Packet: 10}
		for _, sharing := range []string{machine.ShareExclusive, machine.ShareMaxMin, machine.SharePackets} {
			if k.Name == "switch" && sharing == machine.ShareExclusive {
				continue
			}
			four := slices.Repeat([]Message{{0, 1, 100}}, 4)
			if got := lastArrival(t, sharing, c, k.Name, four); got != 200 {
				t.Errorf("%s, %s: four messages over two rails take %d ps, want 200", k.Name, sharing, got)
			}
		}
	}
	n, err := Switch{}.New(Config{Nodes: 4, Bandwidth: 1e12, Efficiency: 1, Rails: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []unit.Picos{10, 10, 20} {
		if d := n.Send(0, Message{0, 1, 10}); d.Arrive != want {
			t.Errorf("message %d: %v", i, d)
		}
	}
	if d := n.Send(0, Message{3, 1, 10}); d.Arrive != 20 { // its first rail is the second, on which only one has arrived
		t.Errorf("%v", d)
	}
	if u := n.Usage(); len(u.Parts) != 5 || u.Parts[0].Name != "node 0 to switch 0, rail 0" || u.Parts[4].Name != "node 3 to switch 0, rail 1" {
		t.Errorf("%+v", u.Parts)
	}
}

// Times of random routes depend on the seed, and on nothing that may differ between two runs.
func TestRandomRoutesAreRepeatable(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	all := scatter(r, 32, 400)
	for i := range all {
		all[i].at = unit.Picos(i/20) * 40_000
	}
	times := func(packets bool, c Config, order []int) (text string) {
		var n SharedLinks
		n, err := newFluid(c, "dragonfly")
		if packets {
			n, err = newPackets(c, "dragonfly")
		}
		if err != nil {
			t.Fatal(err)
		}
		slices.SortStableFunc(order, func(i, k int) int { return int(all[i].at - all[k].at) })
		for _, i := range order {
			n.Send(all[i].at, all[i].Message, Order{Major: int32(all[i].From), Minor: uint32(i), Tag: int32(i)})
		}
		arrive := make([]unit.Picos, len(all))
		for n.Next() < Never {
			for _, e := range n.Step() {
				arrive[e.Tag] = max(arrive[e.Tag], e.Arrive)
			}
		}
		return fmt.Sprint(arrive)
	}
	for _, packets := range []bool{false, true} {
		for _, routing := range []string{machine.RouteValiant, machine.RouteAdaptive} {
			c := Config{Nodes: 32, Bandwidth: 1e9, Efficiency: 1, Packet: 500, Routing: routing, Rails: 3, Shape: comm.Shape{Groups: 4, Routers: 4, Hosts: 2, Global: 2}}
			first := times(packets, c, r.Perm(len(all)))
			if times(packets, c, r.Perm(len(all))) != first {
				t.Errorf("%s, packets %v: another order of calls, other times", routing, packets)
			}
			if c.Seed = 7; times(packets, c, r.Perm(len(all))) == first {
				t.Errorf("%s, packets %v: another seed, the same times", routing, packets)
			}
		}
	}
}

// Fair shares are fair whatever the routes: see drain.
func TestFluidOfManyRoutes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, routing := range []string{"", machine.RouteValiant, machine.RouteAdaptive} {
		for _, model := range []string{"dragonfly", "torus", "fattree", "hypercube", "full"} {
			f, err := newFluid(Config{Nodes: 16, Bandwidth: 1e9, Efficiency: 1, Routing: routing, Rails: 2}, model)
			if err != nil {
				t.Fatal(err)
			}
			all := scatter(r, 16, 100)
			for i, e := range drain(t, f, all) {
				if e.Free < all[i].at+f.MinTime(all[i].Bytes)-1 || e.Latency < f.MinTime(all[i].Bytes) {
					t.Errorf("%s %s: %v of %v", model, routing, e, all[i])
				}
			}
		}
	}
}
