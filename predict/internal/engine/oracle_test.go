package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// author writes random programs, operation by operation in an order in which they could be carried
// out if no send waited for its receiver: what is received has been sent before.
type author struct {
	*rand.Rand
	ranks    [][]program.Op
	sent     map[[4]int32]int // messages that nobody receives yet, by from, to, tag, group
	open     [][]int32        // requests
	next     []int32
	calls    int32
	group    int32
	careless bool // forgets some
}

func newAuthor(seed uint64, ranks int) *author {
	return &author{Rand: rand.New(rand.NewPCG(seed, 5)), ranks: make([][]program.Op, ranks), sent: map[[4]int32]int{},
		open: make([][]int32, ranks), next: make([]int32, ranks)}
}

// write is a program of so many steps, in which everything is received in the end, unless the
// author is careless.
func (a *author) write(steps int) [][]program.Op {
	n := int32(len(a.ranks))
	for range steps {
		a.step(a.Int32N(n))
	}
	for from := range n {
		for to := range n {
			for tag := range int32(2) {
				for group := program.None; group < 1; group++ {
					for a.sent[[4]int32{from, to, tag, group}] > 0 {
						a.receive(from, to, tag, group)
					}
				}
			}
		}
	}
	for r := range n {
		for len(a.open[r]) > 0 {
			a.wait(r)
		}
	}
	return a.ranks
}

func (a *author) add(r int32, op program.Op) {
	if a.careless && a.IntN(40) == 0 {
		return
	}
	if a.IntN(3) == 0 {
		op.Work = unit.Picos(a.IntN(60))
	}
	if a.IntN(8) == 0 && op.Kind != program.Collective {
		op.Extra = unit.Picos(a.IntN(5))
	}
	a.ranks[r] = append(a.ranks[r], op)
}

func (a *author) request(r int32) int32 {
	id := a.next[r]
	a.next[r] += 1 + a.Int32N(2)*a.Int32N(40)
	a.open[r] = append(a.open[r], id)
	return id
}

func (a *author) step(r int32) {
	n := int32(len(a.ranks))
	switch a.IntN(12) {
	case 0:
		a.add(r, program.Op{Kind: program.Compute, Request: program.None, Group: program.None})
	case 1, 2, 3, 4:
		to, tag, group := a.Int32N(n), a.Int32N(2), a.Int32N(2)-1
		op := program.Op{Kind: program.Send, Peer: to, Tag: tag, Group: group, Bytes: a.Int64N(30), Request: program.None}
		if a.IntN(4) == 0 {
			op.Bytes += 80
		}
		if a.IntN(2) == 0 || op.Bytes > 100 {
			op.Kind, op.Request = program.Isend, a.request(r)
		}
		a.add(r, op)
		a.sent[[4]int32{r, to, tag, group}]++
	case 5, 6, 7:
		from, tag, group := a.Int32N(n), a.Int32N(2), a.Int32N(2)-1
		if a.sent[[4]int32{from, r, tag, group}] > 0 {
			a.receive(from, r, tag, group)
		}
	case 8, 9:
		if len(a.open[r]) > 0 {
			a.wait(r)
		}
	case 10:
		a.collective()
	case 11:
		a.anybody(r)
	}
}

// receive receives a message that has been sent. Other ranks may have one that is alike: of a
// wildcard, some run ends in a deadlock, in both simulations.
func (a *author) receive(from, to, tag, group int32) {
	a.sent[[4]int32{from, to, tag, group}]--
	op := program.Op{Kind: program.Recv, Peer: from, Tag: tag, Group: group, Request: program.None}
	if a.IntN(2) == 0 {
		op.Kind, op.Request = program.Irecv, a.request(to)
	} else if a.IntN(4) == 0 {
		a.add(to, program.Op{Kind: program.Probe, Peer: from, Tag: tag, Group: group, Request: program.None})
	}
	if a.IntN(40) == 0 {
		op.Peer = program.None
	}
	if a.IntN(40) == 0 {
		op.Tag = program.None
	}
	a.add(to, op)
}

func (a *author) wait(r int32) {
	i := a.IntN(len(a.open[r]))
	id := a.open[r][i]
	a.open[r] = slices.Delete(a.open[r], i, i+1)
	a.add(r, program.Op{Kind: program.Wait, Request: id, IgnoreClosed: a.IntN(3) == 0, Group: program.None})
}

// collective has all ranks do one, some of them maybe without waiting.
func (a *author) collective() {
	a.calls++
	request := a.IntN(3) == 0
	for r := range int32(len(a.ranks)) {
		op := program.Op{Kind: program.Collective, Tag: a.calls, Group: -3, Peer: a.calls, Request: program.None}
		if request {
			op.Request = a.request(r)
		}
		a.add(r, op)
	}
}

// anybody sends some messages to one rank in a group of their own, who takes them in any order.
func (a *author) anybody(to int32) {
	a.group++
	k := 1 + a.IntN(4)
	for range k {
		from := a.Int32N(int32(len(a.ranks)))
		a.add(from, program.Op{Kind: program.Isend, Peer: to, Tag: a.Int32N(3), Group: 100 + a.group, Bytes: a.Int64N(120), Request: a.request(from)})
	}
	for range k {
		op := program.Op{Kind: program.Irecv, Peer: program.None, Tag: program.None, Group: 100 + a.group, Request: a.request(to)}
		if a.IntN(3) == 0 {
			a.add(to, program.Op{Kind: program.Probe, Peer: program.None, Tag: program.None, Group: op.Group, Request: program.None})
		}
		a.add(to, op)
	}
}

// stepsOf is a random collective of all ranks, which its number decides.
func stepsOf(ranks int) func(rank int32, op *program.Op) ([]program.Step, error) {
	return func(rank int32, op *program.Op) (mine []program.Step, _ error) {
		rng := rand.New(rand.NewPCG(uint64(op.Peer), 11))
		for round := range int32(rng.IntN(4)) {
			for range rng.IntN(2 * ranks) {
				from, to, bytes := rng.Int32N(int32(ranks)), rng.Int32N(int32(ranks)), rng.Int64N(130)
				if from == rank {
					mine = append(mine, program.SendStep(int(round), to, bytes))
				}
				if to == rank {
					mine = append(mine, program.ReceiveStep(int(round), from, bytes))
				}
			}
		}
		return mine, nil
	}
}

// graphs turns some programs into graphs: of operations that need some before them, and maybe not
// the one before. Waits need what opens their request.
func (a *author) graphs(ranks [][]program.Op) (all []*program.Graph) {
	for _, ops := range ranks {
		if a.IntN(2) == 0 {
			all = append(all, nil)
			continue
		}
		g := &program.Graph{Starts: []int64{0}}
		opened := map[int32]int32{}
		for i, op := range ops {
			if i > 0 && a.IntN(3) > 0 {
				g.Rows = append(g.Rows, int32(i-1))
			}
			if i > 0 && a.IntN(3) == 0 {
				g.Rows = append(g.Rows, int32(a.IntN(i)))
			}
			if from, is := opened[op.Request]; is && op.Kind == program.Wait {
				g.Rows = append(g.Rows, from)
			} else if op.Request >= 0 {
				opened[op.Request] = int32(i)
			}
			g.Starts = append(g.Starts, int64(len(g.Rows)))
		}
		all = append(all, g)
	}
	return all
}

var models = []cost.Model{loggp(), long(loggp()), receiver(), long(receiver()), loggopsim(), long(loggopsim()),
	{Send: 3, Receive: 4, Latency: 0, Gap: 0, PerByte: 0.3, EagerLimit: 50}, {EagerLimit: -1}, {EagerLimit: 0, LogGOPSim: true}, {Latency: 1, EagerLimit: -1, PerByte: 1},
	plogp(), long(plogp()), crooked(),
	interrupted(loggp(), 7), interrupted(long(receiver()), 0), early(loggp()), early(interrupted(long(loggp()), 3)), early(interrupted(long(plogp()), 11))}

// interrupted is m in which a message that comes interrupts the processor, for a time and that of its bytes.
func interrupted(m cost.Model, long unit.Picos) cost.Model {
	m.Interrupts, m.Interrupt = true, long
	return m
}

// early is m in which a byte of an early message is copied in 0.7 ps.
func early(m cost.Model) cost.Model {
	m.CopyPerByte = 0.7
	return m
}

// compare holds a run to the naive one. It reports whether the program came to its end.
func compare(t *testing.T, ops [][]program.Op, graphs []*program.Graph, m cost.Model) bool {
	t.Helper()
	steps := stepsOf(len(ops))
	naive := newNaive(ops, graphs, m, steps)
	naive.run()
	want, ends := naive.outcomeOf()
	for name, d := range map[string]driver{"suited": driverFor(&m), "in order": &sequentialDriver{}, "windows": newWindows(m.Lookahead()),
		"narrow windows": newWindows((m.Lookahead() + 6) / 7)} {
		if got, err := outcomeOf(t, d, ops, graphs, Options{Model: m, Steps: steps}); got != want {
			t.Errorf("%s, %+v: got\n%s\nwant\n%s\n%v", name, m, got, want, err)
		}
	}
	return ends
}

// outcome is what a driver makes of programs, as naive.outcome says it.
func outcomeOf(t *testing.T, d driver, ops [][]program.Op, graphs []*program.Graph, opt Options) (text string, err error) {
	t.Helper()
	all := programs(ops, 3)
	for i := range all {
		if graphs != nil {
			all[i].Graph = graphs[i]
		}
	}
	res, err := drive(context.Background(), all, opt, d)
	var dead *outcome.Deadlock
	var left *outcome.Leftover
	switch {
	case errors.As(err, &dead):
		var waiting []int32
		for _, b := range dead.Blocked {
			waiting = append(waiting, b.Rank)
		}
		return fmt.Sprint("waiting: ", slices.Compact(waiting)), err
	case errors.As(err, &left):
		return "left over", err
	case err != nil:
		return "request", err
	}
	checkParts(t, res)
	for _, r := range res.Ranks {
		text += describe(r)
	}
	return text, nil
}

func FuzzRun(f *testing.F) {
	for seed := range uint64(60) {
		f.Add(seed, uint8(2+seed%6), uint8(10+2*seed), uint8(seed), false, false)
		f.Add(seed, uint8(2+seed%6), uint8(10+2*seed), uint8(seed), true, false)
		f.Add(seed, uint8(1+seed%6), uint8(10+2*seed), uint8(seed), false, true)
	}
	f.Fuzz(func(t *testing.T, seed uint64, ranks, steps, model uint8, graphs, careless bool) {
		a := newAuthor(seed, 1+int(ranks%8))
		a.careless = careless
		ops := a.write(int(steps))
		var needs []*program.Graph
		if graphs {
			needs = a.graphs(ops)
		}
		compare(t, ops, needs, models[int(model)%len(models)])
	})
}

// Most random programs come to their end: the fuzz target compares times, not errors.
func TestRandomProgramsEnd(t *testing.T) {
	ended := 0
	for seed := range uint64(200) {
		a := newAuthor(seed, 4)
		if compare(t, a.write(60), nil, models[seed%uint64(len(models))]) {
			ended++
		}
	}
	if ended < 120 {
		t.Errorf("%d of 200 programs end", ended)
	}
}
