package engine

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/engine/program"
	"spoor/predict/internal/network/bysize"
	"spoor/traces/unit"
)

// oS, oR and gap are PLogP's by the definition of its tables, for naive.
func (n *naive) oS(bytes int64) unit.Picos {
	if n.Sizes == nil {
		return n.Send
	}
	return lookUp(n.Sizes.Send, bytes)
}

func (n *naive) oR(bytes int64) unit.Picos {
	if n.Sizes == nil {
		return n.Receive
	}
	return lookUp(n.Sizes.Receive, bytes)
}

func (n *naive) gap(bytes int64) unit.Picos {
	return lookUp(n.Sizes.Gap, bytes)
}

// rest is how long after its first byte a message is there.
func (n *naive) rest(bytes int64) unit.Picos {
	return max(0, n.Sizes.Latency+n.gap(bytes)-n.oR(bytes)-n.Sizes.FirstByte())
}

// wired is what a send puts on its way first.
func (n *naive) wired(from, to int32, bytes int64) int64 {
	if n.isLong(from, to, bytes) && !n.LogGOPSim {
		return 0
	}
	return bytes
}

// lookUp is a table's value by rational numbers.
func lookUp(c bysize.Curve, bytes int64) unit.Picos {
	b, last := unit.Bytes(bytes), len(c)-1
	if b <= c[0].Bytes || last == 0 {
		return c[0].Cost
	}
	i := 0
	for i+2 <= last && b > c[i+1].Bytes {
		i++
	}
	if b > c[last].Bytes && c[last].Cost < c[last-1].Cost {
		return c[last].Cost
	}
	v := big.NewRat(int64(c[i+1].Cost-c[i].Cost), int64(c[i+1].Bytes-c[i].Bytes))
	v.Mul(v, big.NewRat(int64(b-c[i].Bytes), 1))
	v.Add(v, big.NewRat(2*int64(c[i].Cost)+1, 2))
	down := new(big.Int).Div(v.Num(), v.Denom()) // towards minus infinity, as denominators are positive
	return unit.Picos(down.Int64())
}

// plogp is L = 22 and tables in which a byte costs 2 ps up to 30 bytes, 4 beyond; the processors of both ends take part in it.
func plogp() cost.Model {
	return cost.Model{EagerLimit: -1, Sizes: bysize.New(22,
		bysize.Curve{{Bytes: 1, Cost: 5}, {Bytes: 51, Cost: 30}},
		bysize.Curve{{Bytes: 0, Cost: 4}, {Bytes: 10, Cost: 4}, {Bytes: 50, Cost: 24}},
		bysize.Curve{{Bytes: 1, Cost: 8}, {Bytes: 30, Cost: 66}, {Bytes: 80, Cost: 266}})}
}

// crooked has a table as it may be measured: a gap shorter than overheads, that falls, and is known of few sizes.
func crooked() cost.Model {
	return cost.Model{EagerLimit: 60, Sizes: bysize.New(3,
		bysize.Curve{{Bytes: 8, Cost: 12}, {Bytes: 20, Cost: 7}, {Bytes: 33, Cost: 31}},
		bysize.Curve{{Bytes: 3, Cost: 9}},
		bysize.Curve{{Bytes: 5, Cost: 10}, {Bytes: 17, Cost: 40}, {Bytes: 40, Cost: 13}})}
}

// asPLogP is the tables of LogGP: of two sizes, as it is a line.
func asPLogP(m cost.Model) cost.Model {
	latency := m.Send + m.Latency + m.Receive - m.Gap
	return cost.Model{EagerLimit: m.EagerLimit, Sizes: bysize.New(latency, bysize.Curve{{Bytes: 1, Cost: m.Send}}, bysize.Curve{{Bytes: 1, Cost: m.Receive}},
		bysize.Curve{{Bytes: 1, Cost: m.Gap}, {Bytes: 1001, Cost: m.Gap + unit.Picos(1000*m.PerByte)}})}
}

func TestPLogPByHand(t *testing.T) {
	for _, c := range []struct {
		name  string
		ranks [][]program.Op
		want  []unit.Picos
		long  int64
	}{
		{"one message", // o_s(11) = 10, o_r(11) = 4.5, rounded up, g(11) = 28: ends at L + g = 50
			ranks(does(send(1, 11)), does(recv(0))), at(10, 50), -1},
		{"one of no bytes", // as those of 1 byte but for o_r: 22 + 8
			ranks(does(send(1, 0)), does(recv(0))), at(5, 30), -1},
		{"beyond the tables", // o_s(101) = 55, g(101) = 350
			ranks(does(send(1, 101)), does(recv(0))), at(55, 372), -1},
		{"late receiver", // there at 50 - 5
			ranks(does(send(1, 11)), does(work(100), recv(0))), at(10, 105), -1},
		{"two sends", // the second begins at 28, ends at 28 + 50
			ranks(does(send(1, 11), send(1, 11)), does(recv(0), recv(0))), at(38, 78), -1},
		{"two sends, the second short", // of 1 byte: begins at 28, first byte taken up at 28 + 26, taken for o_r(1) = 4
			ranks(does(send(1, 11), send(1, 1)), does(recv(0), recv(0))), at(33, 58), -1},
		{"fan-in", // both first bytes at 26: the second is taken up 28 later, and ends 28 after 50
			ranks(does(recv(1), recv(2)), does(send(0, 11)), does(send(0, 11))), at(78, 10, 10), -1},
		// The request is there at 26, read by 30, the answer begins then and is there at 56, read by 60; the message begins
		// then, and is received by L + g(11) later. Its sender has done when o_s(11) and 50 - 5 - 26 have gone by.
		{"rendezvous", ranks(does(send(1, 11)), does(recv(0))), at(89, 110), 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := plogp()
			m.EagerLimit = c.long
			res, err := Run(context.Background(), programs(c.ranks, 0), Options{Model: m})
			if err != nil {
				t.Fatal(c.name, err)
			}
			for i, r := range res.Ranks {
				if r.Time != c.want[i] {
					t.Errorf("rank %d ends at %d, want %d", i, r.Time, c.want[i])
				}
			}
		})
	}
}

// By tables that are lines, PLogP is LogGP, in all that is known of a run, by all protocols.
func FuzzPLogPIsLogGP(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, uint8(2+seed%6), uint8(10+2*seed), seed%3 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, ranks, steps uint8, graphs bool) {
		rng := rand.New(rand.NewPCG(seed, 3))
		m := cost.Model{Send: unit.Picos(rng.IntN(9)), Receive: unit.Picos(rng.IntN(9)), Latency: 17 + unit.Picos(rng.IntN(30)), PerByte: float64(rng.IntN(4)), EagerLimit: -1, ReceiverPort: true}
		if m.Gap = max(m.Send, m.Receive) + unit.Picos(rng.IntN(9)); seed%2 == 0 {
			m.EagerLimit = int64(rng.IntN(100))
		}
		a := newAuthor(seed, 1+int(ranks%8))
		ops := a.write(int(steps))
		var needs []*program.Graph
		if graphs {
			needs = a.graphs(ops)
		}
		opt := Options{Model: m, Steps: stepsOf(len(ops))}
		want, _ := account(ops, needs, opt)
		opt.Model = asPLogP(m)
		for _, opt.Protocol = range []outcome.Protocol{outcome.Sequential, outcome.Quantum, outcome.Whoa} {
			opt.Workers = 3
			if got, _ := account(ops, needs, opt); got != want {
				t.Fatalf("%s, %+v: got\n%s\nwant\n%s", opt.Protocol, m, got, want)
			}
		}
	})
}

// The lookahead is the least of all sizes.
func TestLookaheadOfSizes(t *testing.T) {
	for name, c := range map[string]struct {
		model cost.Model
		want  unit.Picos
	}{"least at a byte": {plogp(), 26}, "a gap shorter than o_s": {crooked(), 4}, "LogGP": {asPLogP(loggp()), o + l}} {
		t.Run(name, func(t *testing.T) {
			m := c.model
			n := naive{Model: m}
			least := never
			for b := range int64(3000) {
				least = min(least, m.Sizes.Latency+n.gap(b)-n.oR(b))
			}
			if got := m.Lookahead(); got != c.want || got > least {
				t.Errorf("%d, want %d, not more than %d", got, c.want, least)
			}
		})
	}
}
