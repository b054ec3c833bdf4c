package network

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"spoor/analyze/comm"
	"spoor/predict/internal/network/bysize"
	"spoor/traces/unit"
)

// carry is how long a link is taken by a message, and a gap is.
const carry = 1_600_000

// calls are what is sent, again and again: messages of 32 bytes between random nodes, whose
// times lie up to a spread after those of a clock.
type calls struct {
	at       []unit.Picos
	messages []Message
	step     unit.Picos // of the clock, from message to message
}

// newCalls is calls that use a part of the links that a message needs on average.
func newCalls(nodes int, spread unit.Picos) *calls {
	r := rand.New(rand.NewPCG(5, 6))
	c := &calls{}
	for range 1 << 14 {
		from := r.IntN(nodes)
		c.messages = append(c.messages, Message{from, (from + 1 + r.IntN(nodes-1)) % nodes, 32})
		c.at = append(c.at, unit.Picos(r.Int64N(int64(spread)+1)))
	}
	return c
}

// load sets the clock so that links, or ports, are used for that part of the time, of which
// messages need some.
func (c *calls) load(part, links, needs float64) {
	c.step = unit.Picos(carry * needs / links / part)
}

// run sends what is called for.
func (c *calls) run(b *testing.B, n Network) {
	var now, waited unit.Picos
	for i := 0; b.Loop(); i++ {
		i := i & (len(c.at) - 1)
		now += c.step
		n.Settled(now)
		d := n.Send(now+c.at[i], c.messages[i])
		waited += d.Arrive - d.Latency - now - c.at[i]
	}
	b.ReportMetric(float64(waited)/carry/float64(b.N), "waits/msg")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mmsg/s")
}

// on is how many links messages use, and how many of them each needs on average.
func (c *calls) on(net comm.Topology) (links, hops float64) {
	used := map[comm.Link]bool{}
	for _, m := range c.messages {
		way := net.Route(m.From, m.To, nil)
		for _, l := range way {
			used[l] = true
		}
		hops += float64(len(way))
	}
	return float64(len(used)), hops / float64(len(c.messages))
}

// Calls out of order by up to ten messages' time, on links and ports that are used for a fifth
// of the time, besides the time for which they are held by who waits.
func BenchmarkSend(b *testing.B) {
	for _, model := range All {
		for _, nodes := range []int{16, 128, 1024} {
			n, err := model.New(Config{Nodes: nodes, Bandwidth: 20e6, Efficiency: 1, L: carry, Gap: carry, GapPerByte: 1e-12, SameKind: true,
				Sizes: bysize.New(carry, bysize.Curve{{Bytes: 1, Cost: carry}}, bysize.Curve{{Bytes: 1, Cost: carry}}, bysize.Curve{{Bytes: 1, Cost: carry}, {Bytes: 1000, Cost: 2 * carry}})})
			if err != nil {
				b.Fatal(err)
			}
			c := newCalls(nodes, 10*carry)
			links, hops := float64(nodes), 1.0
			if on, ok := n.(*circuits); ok {
				links, hops = c.on(on.routes.Net)
			}
			c.load(0.2, links, hops)
			b.Run(fmt.Sprintf("%s/%d", model.Name(), nodes), func(b *testing.B) {
				b.ReportAllocs()
				c.run(b, n)
				b.ReportMetric(float64(b.N)*hops/b.Elapsed().Seconds()/1e6, "Mhops/s")
			})
		}
	}
}

// For comparison: when each link is free is all that is known, so that calls must come in
// order of time.
func BenchmarkFreeTimes(b *testing.B) {
	for _, nodes := range []int{16, 1024} {
		rows, cols := comm.Grid(nodes)
		f := &freeTimes{net: comm.Mesh(rows, cols)}
		f.free = make([]unit.Picos, f.net.Links())
		c := newCalls(nodes, 0)
		links, hops := c.on(f.net)
		c.load(0.2, links, hops)
		b.Run(fmt.Sprintf("mesh/%d", nodes), func(b *testing.B) {
			c.run(b, f)
			b.ReportMetric(float64(b.N)*hops/b.Elapsed().Seconds()/1e6, "Mhops/s")
		})
	}
}

type freeTimes struct {
	history
	net  comm.Topology
	free []unit.Picos
	way  []comm.Link
}

func (f *freeTimes) Usage() Usage { return f.usage(nil) }

func (f *freeTimes) Send(at unit.Picos, m Message) Delivery {
	f.way = f.net.Route(m.From, m.To, f.way[:0])
	start := at
	for _, l := range f.way {
		start = max(start, f.free[l])
	}
	for _, l := range f.way {
		f.free[l] = start + carry
	}
	return Delivery{start + carry, start + carry, carry}
}
