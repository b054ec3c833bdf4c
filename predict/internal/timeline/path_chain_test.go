package timeline

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/program"
	"spoor/predict/internal/network"
	"spoor/predict/internal/network/bysize"
	"spoor/traces/testsize"
	"spoor/traces/unit"
)

// chains are models by number in which only the times of computation and messages decide: no message or operation of random programs goes before another one because of
// a picosecond, or hardly any.
func chains(t testing.TB, number uint64, nodes int) cost.Model {
	m := cost.Model{Send: 5003, Receive: 5003, Latency: 20011, Gap: 8117, PerByte: 2001, EagerLimit: 100}
	switch number % 5 {
	case 1:
		m.ReceiverPort = true
	case 2:
		m.LogGOPSim = true
	case 3:
		m.Sizes = bysize.New(20011, bysize.Curve{{Bytes: 0, Cost: 3001}, {Bytes: 150, Cost: 9013}}, bysize.Curve{{Bytes: 0, Cost: 4007}},
			bysize.Curve{{Bytes: 0, Cost: 11003}, {Bytes: 60, Cost: 21011}, {Bytes: 150, Cost: 300017}})
	case 4:
		m = linked(t, network.Ideal{}, nodes, 1)
	}
	return m
}

// varied is programs in which all kinds of operations send and wait. Messages are sent and received in one order of all, so that there is no deadlock. If wild,
// some receives take what any rank sends.
func varied(rng *rand.Rand, ranks int, wild bool) [][]program.Op {
	ops := make([][]program.Op, ranks)
	open := make([][]int32, ranks)
	add := func(r int, o program.Op) {
		if o.Work = 0; len(ops[r]) == 0 || rng.IntN(3) == 0 {
			o.Work = 1 + unit.Picos(rng.IntN(60_000))
		}
		if o.Kind == program.Isend || o.Kind == program.Irecv || o.Kind == program.Collective && rng.IntN(2) == 0 {
			o.Request = int32(len(ops[r]))
			open[r] = append(open[r], o.Request)
		}
		ops[r] = append(ops[r], o)
	}
	wait := func(r int) {
		i := rng.IntN(len(open[r]))
		add(r, program.Op{Kind: program.Wait, Request: open[r][i]})
		open[r] = slices.Delete(open[r], i, i+1)
	}
	for range 10 + rng.IntN(30) {
		from := rng.IntN(ranks)
		to := (from + 1 + rng.IntN(ranks-1)) % ranks
		s, r := op([]program.Kind{program.Send, program.Isend}[rng.IntN(2)], 0, int32(to), int64(rng.IntN(150))), op([]program.Kind{program.Recv, program.Irecv}[rng.IntN(2)], 0, int32(from), 0)
		s.Tag = int32(rng.IntN(2))
		if r.Tag = s.Tag; wild && rng.IntN(3) == 0 {
			r.Peer, s.Bytes = program.None, s.Bytes%100 // which nobody waits for
			s.Tag, r.Tag = 2, 2
		}
		add(from, s)
		if r.Kind == program.Recv && rng.IntN(4) == 0 {
			look := r
			look.Kind = program.Probe
			add(to, look)
		}
		add(to, r)
		if rng.IntN(12) == 0 {
			for r := range ranks {
				add(r, program.Op{Kind: program.Collective, Group: 7, Request: program.None, Bytes: int64(rng.IntN(120))})
			}
		}
		for _, r := range []int{from, to} {
			if len(open[r]) > 0 && rng.IntN(2) == 0 {
				wait(r)
			}
		}
	}
	for r := range ranks {
		for len(open[r]) > 0 {
			wait(r)
		}
		add(r, op(program.Compute, 0, 0, 0))
	}
	return ops
}

// dissemination has each rank tell all others.
func dissemination(ranks int) func(rank int32, _ *program.Op) ([]program.Step, error) {
	return func(rank int32, _ *program.Op) (steps []program.Step, err error) {
		n := int32(ranks)
		for round, q := int32(0), int32(1); q < n; round, q = round+1, 2*q {
			steps = append(steps, program.ReceiveStep(int(round), (rank+n-q)%n, 120), program.SendStep(int(round), (rank+q)%n, 120))
		}
		return steps, nil
	}
}

// onPath is which operations of ops compute on a path.
func onPath(p *Path, ops [][]program.Op, path []Segment) (all [][2]int) {
	for r := range ops {
		i, begin := 0, unit.Picos(0)
		for _, x := range p.ranks[r].periods {
			for x.part == observe.Computing && begin < x.to {
				for ops[r][i].Work == 0 {
					i++
				}
				end := begin + ops[r][i].Work
				if slices.ContainsFunc(path, func(s Segment) bool {
					return s.Rank == int32(r) && s.Part == observe.Computing && s.Begin <= begin && end <= s.Begin+s.T
				}) {
					all = append(all, [2]int{r, i})
				}
				begin = end
				i++
			}
			begin = x.to
		}
	}
	return all
}

// order is in which order messages came to each rank, and which receives got them.
type order struct {
	observe.NopObserver
	came [][][4]int64
}

func newOrder(ranks int) *order { return &order{came: make([][][4]int64, ranks)} }

// Message implements observe.Observer.
func (o *order) Message(from, to int32, d *observe.ReceivedMessage) {
	o.came[to] = append(o.came[to], [4]int64{int64(from), int64(d.Tag), int64(d.Group), d.Bytes})
}

// Matched implements observe.Observer.
func (o *order) Matched(rank int32, row int64, from, tag, group int32) {
	o.came[rank] = append(o.came[rank], [4]int64{row, int64(from), int64(tag), int64(group)})
}

// checkChain holds the critical path of ops to be a chain of causes that no other one exceeds: of all that compute on it, the run is longer if they take
// a picosecond more. Less would not do: another chain may be as long. Where messages come in another order then, there is nothing to compare.
func checkChain(t *testing.T, build func() cost.Model, ops [][]program.Op) (compared, all int) {
	t.Helper()
	p, was := NewPath(len(ops)), newOrder(len(ops))
	res := run(t, build(), ops, observe.Observers{p, was})
	for _, at := range onPath(p, ops, wholePath(t, p, res)) {
		all++
		more := slices.Clone(ops)
		more[at[0]] = slices.Clone(ops[at[0]])
		more[at[0]][at[1]].Work++
		is := newOrder(len(ops))
		longer := run(t, build(), more, is)
		if !reflect.DeepEqual(is, was) {
			continue
		}
		if compared++; longer.Time <= res.Time {
			t.Errorf("%v: rank %d computes a picosecond more before its operation %d, on the path, and the run takes %d instead of %d", build().Net, at[0], at[1], longer.Time, res.Time)
		}
	}
	return compared, all
}

// A critical path is a chain of causes: of sends and receives that wait and do not, rendezvous, ports, messages held behind others, and collectives.
func FuzzPath(f *testing.F) {
	for seed := range uint64(200) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 1))
		ranks := 2 + rng.IntN(4)
		ops := varied(rng, ranks, seed/5%3 == 1)
		if seed/5%3 == 2 {
			ops = random(rng, ranks)
		}
		checkChain(t, func() cost.Model { return chains(t, seed, ranks) }, ops)
	})
}

// So it is over links of which a message has all of its way to itself.
func TestPathsOverLinksAreChains(t *testing.T) {
	compared, all := 0, 0
	for seed := range testsize.Cases[uint64](400, 100) {
		rng := rand.New(rand.NewPCG(seed, 2))
		ranks := 2 + rng.IntN(6)
		c, a := checkChain(t, func() cost.Model { return links(t, seed, ranks) }, varied(rng, ranks, seed%2 == 1))
		compared, all = compared+c, all+a
	}
	if all < testsize.Cases(1000, 200) || compared < all-all/100 {
		t.Errorf("%d of %d are compared", compared, all)
	}
}

// Where messages interrupt computations, and early ones are copied, a path has no gaps either, and a run as many picoseconds as its path.
func TestPathsOfInterrupts(t *testing.T) {
	interrupts := 0
	for seed := range testsize.Cases[uint64](300, 60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		ranks := 2 + rng.IntN(5)
		m := chains(t, seed%2, ranks)
		m.Arrivals = cost.Arrivals{Interrupts: true, Interrupt: 7001, CopyPerByte: 501}
		p := NewPath(ranks)
		res := run(t, m, varied(rng, ranks, seed%3 == 1), p)
		wholePath(t, p, res)
		for i := range p.ranks {
			for j, x := range p.ranks[i].periods[1:] {
				if x.part == observe.Overhead && p.ranks[i].periods[j].part == observe.Computing {
					interrupts++
				}
			}
		}
	}
	if interrupts == 0 {
		t.Error("no interrupts")
	}
}
