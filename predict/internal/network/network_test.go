package network

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/internal/network/bysize"
	"spoor/traces/unit"
)

// usual is what every model can be built of.
func usual(nodes int) Config {
	return Config{Nodes: nodes, Latency: 500, Bandwidth: 1e9, Efficiency: 1, Header: 8, Switch: 100,
		L: 4000, Gap: 3000, GapPerByte: 1e-9, SameKind: true,
		Sizes: bysize.New(4000, bysize.Curve{{Bytes: 1, Cost: 300}}, bysize.Curve{{Bytes: 1, Cost: 200}, {Bytes: 1000, Cost: 400}}, bysize.Curve{{Bytes: 1, Cost: 3000}, {Bytes: 1000, Cost: 1_000_000}})}
}

// each runs a test on a network of every model.
func each(t *testing.T, nodes int, test func(t *testing.T, fresh func() Network)) {
	for _, m := range All {
		t.Run(m.Name(), func(t *testing.T) {
			test(t, func() Network {
				n, err := m.New(usual(nodes))
				if err != nil {
					t.Fatal(err)
				}
				return n
			})
		})
	}
}

// Machine files may name all models, and no others.
func TestModels(t *testing.T) {
	for _, name := range strings.Fields("ideal loggp logp bus switch full hypercube mesh torus fattree dragonfly") {
		m := described(t, "model = \""+name+"\"\nL = \"2 us\"\no = \"0.5 us\"\ng = \"0.7 us\"\nG = \"2 ns/B\"\nS = \"65535 B\"\n")
		if n, err := New(m, 16); err != nil || n.Send(0, Message{0, 1, 8}).Arrive <= 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	sized := described(t, "model = \"plogp\"\nL = \"2 us\"\no = \"0.5 us\"\n[[network.size]]\nbytes = \"8 B\"\ng = \"0.7 us\"\n")
	if n, err := New(sized, 16); err != nil || n.Send(0, Message{0, 1, 8}).Arrive != 1_700_000 {
		t.Error(err)
	}
	if len(All) != 12 {
		t.Errorf("%d models", len(All))
	}
	linked := "model = \"bus\"\nbandwidth = \"1 GB/s\"\n"
	if f, err := NewFluid(described(t, linked+"sharing = \"max-min\"\n"), 16); err != nil || f.Next() != Never {
		t.Error(err)
	}
	if _, err := New(described(t, linked+"sharing = \"max-min\"\n"), 16); err == nil || !strings.Contains(err.Error(), "the bus network of machine \"m\" has network.sharing = \"max-min\"") {
		t.Error(err)
	}
	if _, err := modelNamed("ethernet"); err == nil || !strings.Contains(err.Error(), "mesh, torus") {
		t.Error(err)
	}
}

func TestImpossible(t *testing.T) {
	const logp = "model = \"logp\"\nL = \"1 us\"\n"
	for _, c := range []struct {
		keys    string
		nodes   int
		traffic []comm.Flow
		want    string
	}{
		{"model = \"bus\"\nbandwidth = \"1 MB/s\"\n", 0, nil, `the bus network of machine "m": the network has 0 nodes; the simulator supports 1 to 65536`},
		{"model = \"bus\"\nbandwidth = \"1 MB/s\"\n", -1, nil, "-1 nodes"},
		{"model = \"bus\"\nbandwidth = \"1 MB/s\"\n", 1 << 17, nil, "131072 nodes"},
		{"model = \"bus\"\n", 4, nil, "network.bandwidth and network.G are both missing"},
		{"model = \"switch\"\n", 4, nil, "network.bandwidth and network.G are both missing"},
		{"model = \"hypercube\"\nbandwidth = \"1 MB/s\"\n", 12, nil, "a hypercube of 12 processors: their number must be a power of two"},
		{"model = \"mesh\"\nbandwidth = \"1 MB/s\"\nrows = 4\ncols = 8\n", 16, nil, "network.rows is 4 and network.cols is 8; their product must be 16 nodes"},
		{"model = \"mesh\"\nbandwidth = \"1 MB/s\"\nrows = 11\ncols = 3\n", 16, nil, "network.rows"},
		{logp + "gap = \"bisection\"\ntopology = \"hypercube\"\n", 12, nil, "a hypercube of 12"},
		{"model = \"torus\"\nbandwidth = \"1 MB/s\"\ndims = [4, 4, 2]\n", 16, nil, "network.dims is 4x4x2; the product must be 16 nodes"},
		{"model = \"dragonfly\"\nbandwidth = \"1 MB/s\"\ngroups = 2\nrouters = 2\nhosts = 8\n", 33, nil, "the dragonfly has room for 1 to 32 nodes, not for 33"},
		{logp + "gap = \"bisection\"\ntopology = \"dragonfly\"\ngroups = 2\nrouters = 2\nhosts = 8\n", 31, nil, "the gap by the bisection is known only for all nodes of the dragonfly 2x1x2x8; only 31 are in use"},
		{logp + "gap = \"traffic\"\ntopology = \"mesh\"\n", 4, nil, "needs the program's messages"},
		{logp + "gap = \"traffic\"\ntopology = \"mesh\"\n", 4, []comm.Flow{{From: 1, To: 1, Messages: 9}}, "needs the program's messages"},
		{logp + "gap = \"traffic\"\ntopology = \"mesh\"\n", 4, []comm.Flow{{From: 1, To: 4, Messages: 9}}, "the traffic from node 1 to node 4 is out of range"},
	} {
		t.Run(c.want, func(t *testing.T) {
			n, err := New(described(t, c.keys), c.nodes, c.traffic...)
			if err == nil || n != nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q of %d: got %v, %v, want %q", c.keys, c.nodes, n, err, c.want)
			}
		})
	}
	if _, err := New(&machine.Machine{Name: "m"}, 2); err == nil || err.Error() != `machine "m" has no section [network]` {
		t.Error(err)
	}
	for _, spoil := range []func(c *Config){
		func(c *Config) { c.Nodes = 0 },
		func(c *Config) { c.Latency = -1 },
		func(c *Config) { c.Switch = maxTime + 1 },
		func(c *Config) { c.Header = -1 },
		func(c *Config) { c.L = math.MaxInt64 },
		func(c *Config) { c.Gap = -1 },
		func(c *Config) { c.GapPerByte = 11 },
		func(c *Config) { c.GapPerByte = unit.Seconds(math.NaN()) },
	} {
		for _, m := range All {
			c := usual(4)
			spoil(&c)
			if n, err := m.New(c); err == nil {
				t.Errorf("%s of %+v: %v", m.Name(), c, n)
			}
		}
	}
	for _, spoil := range []func(c *Config){
		func(c *Config) { c.Bandwidth = unit.BytesPerSecond(math.NaN()) },
		func(c *Config) { c.Bandwidth = unit.BytesPerSecond(math.Inf(1)) },
		func(c *Config) { c.Bandwidth = -1 },
		func(c *Config) { c.Efficiency = 0 },
		func(c *Config) { c.Efficiency = 1.1 },
		func(c *Config) { c.Efficiency = math.NaN() },
		func(c *Config) { c.Rows, c.Cols = math.MaxInt64/2+1, 8 },
		func(c *Config) { c.Rows, c.Cols = -2, -2 },
	} {
		c := usual(4)
		spoil(&c)
		if n, err := Wormhole("mesh").New(c); err == nil {
			t.Errorf("mesh of %+v: %v", c, n)
		}
	}
	for _, arity := range []int{-1, 1, math.MaxInt64} {
		t.Run(fmt.Sprint(arity), func(t *testing.T) {
			c := usual(4)
			c.Arity = arity
			if n, err := Wormhole("fattree").New(c); err == nil {
				t.Errorf("fat tree of arity %d: %v", arity, n)
			}
		})
	}
}

// An idle network has no contention, takes no less for more bytes, and knows no time of its
// own.
func TestIdle(t *testing.T) {
	each(t, 8, func(t *testing.T, fresh func() Network) {
		last := unit.Picos(0)
		for _, b := range []unit.Bytes{0, 1, 2, 32, 1000, 1 << 20} {
			now, later := fresh().Send(0, Message{1, 6, b}), fresh().Send(1e12, Message{1, 6, b})
			if now.Arrive != now.Latency || now.Free < 0 || now.Arrive < last {
				t.Errorf("%d bytes: %d, arrived at %d with fewer", b, now, last)
			}
			if later != (Delivery{now.Free + 1e12, now.Arrive + 1e12, now.Latency}) {
				t.Errorf("%d bytes: %d, later %d", b, now, later)
			}
			last = now.Arrive
		}
	})
}

// What a node sends to itself costs nothing, is in nobody's way and is not counted.
func TestToItself(t *testing.T) {
	each(t, 1, func(t *testing.T, fresh func() Network) {
		n := fresh()
		if d := n.Send(7, Message{0, 0, 1 << 40}); d != (Delivery{7, 7, 0}) {
			t.Errorf("got %d", d)
		}
		if u := n.Usage(); u.Messages != 0 || len(u.Parts) != 0 || u.Busiest().Name != "" {
			t.Errorf("got %v", u)
		}
	})
}

// No message is faster than in an idle network. The same calls have the same answers, and what
// may be forgotten changes none.
func TestRandomCalls(t *testing.T) {
	each(t, 16, func(t *testing.T, fresh func() Network) {
		n, again, forgetful := fresh(), fresh(), fresh()
		r := rand.New(rand.NewPCG(1, 2))
		now, bytes := unit.Picos(0), unit.Bytes(0)
		for range 5000 {
			m := Message{r.IntN(16), r.IntN(16), unit.Bytes(r.IntN(300))}
			at := now + unit.Picos(r.IntN(20_000))
			d := n.Send(at, m)
			if d.Arrive < at+d.Latency || d.Free < at || m.From != m.To && d.Latency <= 0 {
				t.Fatalf("%v at %d: %d", m, at, d)
			}
			if a, f := again.Send(at, m), forgetful.Send(at, m); a != d || f != d {
				t.Fatalf("%v at %d: %d, again %d, forgetful %d", m, at, d, a, f)
			}
			if m.From != m.To {
				bytes += m.Bytes
			}
			now += unit.Picos(r.IntN(1000))
			forgetful.Settled(now)
			forgetful.Settled(now - 500) // says nothing
		}
		u := n.Usage()
		if u.Bytes != bytes || !reflect.DeepEqual(u, again.Usage()) || !reflect.DeepEqual(u, forgetful.Usage()) {
			t.Errorf("used %v, again %v, forgetful %v", u, again.Usage(), forgetful.Usage())
		}
		for _, p := range u.Parts {
			if p.Busy <= 0 || p.Busy > u.Busiest().Busy || p.Messages == 0 || p.Messages > 2*u.Messages {
				t.Errorf("part %+v", p)
			}
		}
	})
}

// Memory is bounded by what is not settled.
func TestForgets(t *testing.T) {
	each(t, 16, func(t *testing.T, fresh func() Network) {
		n := fresh()
		r := rand.New(rand.NewPCG(3, 4))
		for i := range 200_000 {
			now := unit.Picos(i) * 10_000
			n.Settled(now)
			n.Send(now+unit.Picos(r.IntN(100_000)), Message{r.IntN(16), r.IntN(16), 64})
		}
		for _, c := range channels(n) {
			if room := reflect.ValueOf(c.Calendar).FieldByName("spans").Cap(); room > 256 {
				t.Errorf("room for %d spans", room)
			}
		}
	})
}

// channels are those of a network.
func channels(n Network) (all []*channel) {
	switch n := n.(type) {
	case *circuits:
		for _, c := range n.routes.Links.All() {
			all = append(all, c)
		}
	case *ports:
		for i := range n.sends {
			all = append(all, &n.sends[i], &n.receives[i])
		}
	}
	return all
}

// Nothing overflows, whatever is sent whenever.
func TestEndOfTime(t *testing.T) {
	each(t, 4, func(t *testing.T, fresh func() Network) {
		n := fresh()
		for _, at := range []unit.Picos{0, 1, Horizon / 2, Horizon - 1, Horizon, Horizon + 1, math.MaxInt64} {
			t.Run(fmt.Sprint(at), func(t *testing.T) {
				for range 12 {
					for _, b := range []unit.Bytes{0, 1, math.MaxInt64} {
						for to := 1; to < 4; to++ {
							d := n.Send(at, Message{0, to, b})
							if d.Arrive < at || d.Free < at || d.Latency < 0 || d.Latency > d.Arrive-at || d.Arrive > max(at, Horizon) {
								t.Fatalf("%d bytes at %d: %d", b, at, d)
							}
						}
					}
				}
			})
		}
		if u := n.Usage(); u.Bytes < 0 || u.Messages != 4*12*3*3 {
			t.Errorf("%d bytes, %d messages", u.Bytes, u.Messages)
		}
	})
}

func TestEarlierThanSettledIsTheCallersMistake(t *testing.T) {
	each(t, 2, func(t *testing.T, fresh func() Network) {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		n := fresh()
		n.Settled(10)
		n.Send(10, Message{0, 1, 1})
		n.Send(9, Message{0, 1, 1})
	})
}

func TestUsage(t *testing.T) {
	c := usual(4)
	c.Bandwidth, c.Header, c.Switch, c.Gap, c.L = 1e12, 0, 0, 3, 5
	for _, row := range []struct {
		model    Model
		sameKind bool
		parts    []Part
		busiest  string
	}{
		{Ideal{}, false, nil, ""},
		{Wormhole("bus"), false, []Part{{"bus", 3, 60, 60}}, "bus"},
		{Switch{}, false, []Part{{"node 0 to switch 0", 2, 40, 40}, {"switch 0 to node 1", 2, 30, 30},
			{"node 2 to switch 0", 1, 20, 20}, {"switch 0 to node 3", 1, 30, 30}}, "node 0 to switch 0"},
		{Wormhole("full"), false, []Part{{"node 0 to node 1", 1, 10, 10}, {"node 0 to node 3", 1, 30, 30}, {"node 2 to node 1", 1, 20, 20}}, "node 0 to node 3"},
		// In a mesh of 2 by 2, 0 to 3 waits for 0 to 1 until 10, and 2 to 1 goes by 3.
		{Wormhole("mesh"), false, []Part{{"node 0 to node 1", 2, 40, 40}, {"node 1 to node 3", 1, 30, 30},
			{"node 2 to node 3", 1, 20, 20}, {"node 3 to node 1", 1, 20, 20}}, "node 0 to node 1"},
		{LogP{}, false, []Part{{"node 0", 2, 40, 6}, {"node 1", 2, 30, 6}, {"node 2", 1, 20, 3}, {"node 3", 1, 30, 3}}, "node 0"},
		{LogP{}, true, []Part{{"node 0 sends", 2, 40, 6}, {"node 1 receives", 2, 30, 6}, {"node 2 sends", 1, 20, 3},
			{"node 3 receives", 1, 30, 3}}, "node 0 sends"},
	} {
		t.Run(fmt.Sprintf("%v %v", row.sameKind, row.busiest), func(t *testing.T) {
			c.SameKind = row.sameKind
			n, err := row.model.New(c)
			if err != nil {
				t.Fatal(err)
			}
			n.Send(0, Message{0, 1, 10})
			n.Send(0, Message{0, 3, 30})
			n.Send(0, Message{2, 1, 20})
			if u := n.Usage(); !reflect.DeepEqual(u, Usage{3, 60, row.parts}) || u.Busiest().Name != row.busiest {
				t.Errorf("%s: got %+v, busiest %s", row.model.Name(), u, u.Busiest().Name)
			}
		})
	}
}
