package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/engine/program"
	"spoor/traces/testsize"
	"spoor/traces/unit"
)

// account is all that a run says about its programs.
func account(ops [][]program.Op, graphs []*program.Graph, opt Options) (text string, stats outcome.Stats) {
	all := programs(ops, 5)
	for i := range all {
		if graphs != nil {
			all[i].Graph = graphs[i]
		}
	}
	res, err := Run(context.Background(), all, opt)
	if err != nil {
		return err.Error(), stats
	}
	stats, res.Engine = res.Engine, outcome.Stats{}
	return fmt.Sprintf("%+v", *res), stats
}

// agree holds all protocols to the sequential one, by any number of workers. It reports whether the
// program came to its end.
func agree(t *testing.T, ops [][]program.Op, graphs []*program.Graph, opt Options) bool {
	t.Helper()
	opt.Protocol = outcome.Sequential
	want, _ := account(ops, graphs, opt)
	for _, opt.Protocol = range []outcome.Protocol{outcome.Quantum, outcome.Whoa} {
		for _, opt.Workers = range []int{1, 2, 3, 8} {
			if got, _ := account(ops, graphs, opt); got != want {
				t.Errorf("%s, %d workers, %d ahead, %+v: got\n%s\nwant\n%s", opt.Protocol, opt.Workers, opt.Ahead, opt.Model, got, want)
			}
		}
	}
	return want[0] == '{'
}

// random is programs by a seed, and what runs them.
func random(seed uint64, ranks, steps int, graphs, careless bool) (ops [][]program.Op, needs []*program.Graph, opt Options) {
	a := newAuthor(seed, ranks)
	a.careless = careless
	ops = a.write(steps)
	if graphs {
		needs = a.graphs(ops)
	}
	return ops, needs, Options{Model: models[seed%uint64(len(models))], Steps: stepsOf(ranks), Ahead: max(0, a.IntN(60)-20)}
}

// On random programs all protocols agree bit for bit.
func TestProtocolsAgree(t *testing.T) {
	count, ended := 1000, 0
	if testing.Short() {
		count = 60
	}
	for seed := range uint64(count) {
		if ops, _, opt := random(seed, 2+int(seed%9), 20+int(seed%80), false, false); agree(t, ops, nil, opt) {
			ended++
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if ended < count/2 {
		t.Errorf("%d of %d programs end", ended, count)
	}
}

// So do they where there are more ranks than Whoa looks at between windows.
func TestManyAgree(t *testing.T) {
	for _, long := range []int64{-1, 1000} {
		opt := Options{Model: benchModel()}
		opt.Model.EagerLimit = long
		for _, w := range []*workload{stencil(testsize.Cases(256, 64), testsize.Cases(10000, 1500)), scattered(testsize.Cases(300, 60), testsize.Cases(6000, 1000)), allToAll(testsize.Cases(100, 40), 1)} {
			for _, opt.Ahead = range []int{0, 20} {
				if !agree(t, w.ranks, nil, opt) {
					t.Error("no end")
				}
			}
		}
	}
	for seed := range testsize.Cases[uint64](12, 4) {
		ops, _, opt := random(seed, 200+int(seed), 10, false, false)
		agree(t, ops, nil, opt)
	}
}

func FuzzProtocolsAgree(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, uint8(seed), uint8(30+seed), seed%3 == 0, seed%4 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, ranks, steps uint8, graphs, careless bool) {
		ops, needs, opt := random(seed, 1+int(ranks%10), int(steps), graphs, careless)
		agree(t, ops, needs, opt)
	})
}

// The first error in time is that of the run, ties by rank, whoever meets with it first.
func TestFirstFailure(t *testing.T) {
	bad := errors.New("bad")
	for _, c := range []struct {
		fails []unit.Picos // when the program of a rank does
		want  string
	}{
		{[]unit.Picos{900, 100, 500, 100}, "rank 1: bad"},
		{[]unit.Picos{900, 800, 500, 400}, "rank 3: bad"},
		{[]unit.Picos{0, 800, 500, 400}, "rank 0: bad"},
		{[]unit.Picos{700, 700, 700, 700}, "rank 0: bad"},
	} {
		t.Run(fmt.Sprint(c.fails), func(t *testing.T) {
			for _, p := range []outcome.Protocol{outcome.Sequential, outcome.Quantum, outcome.Whoa} {
				for _, workers := range []int{1, 2, 3, 4} {
					var all []program.Program
					for _, at := range c.fails {
						next := programs(ranks(does(work(at/2), work(at-at/2))), 1)[0].Next
						all = append(all, program.Program{Next: func() (program.Ops, error) {
							one, err := next()
							if one.Len() == 0 {
								err = bad
							}
							return one, err
						}})
					}
					if _, err := Run(context.Background(), all, Options{Model: loggp(), Protocol: p, Workers: workers}); err == nil || err.Error() != c.want || !errors.Is(err, bad) {
						t.Errorf("%v, %s, %d workers: %v, want %s", c.fails, p, workers, err, c.want)
					}
				}
			}
		})
	}
}

// log is what an observer sees of each rank.
type log []strings.Builder

func (l log) Began(rank int32, row int64, at unit.Picos) { fmt.Fprintln(&l[rank], "began", row, at) }
func (l log) Ended(rank int32, row int64, at unit.Picos) { fmt.Fprintln(&l[rank], "ended", row, at) }
func (l log) Matched(rank int32, row int64, from, tag, group int32) {
	fmt.Fprintln(&l[rank], "matched", row, from, tag, group)
}
func (l log) Waited(rank int32, why observe.Cause) { fmt.Fprintln(&l[rank], "waited", why) }
func (l log) Span(rank int32, what observe.Part, from, to unit.Picos) {
	fmt.Fprintln(&l[rank], what, from, to)
}
func (l log) Message(from, to int32, op *observe.ReceivedMessage) {
	fmt.Fprintln(&l[to], "message", from, *op)
}

// Observers see the same of each rank.
func TestObserversAgree(t *testing.T) {
	for seed := range uint64(20) {
		ops, _, opt := random(seed, 6, 60, false, false)
		see := func(p outcome.Protocol) (text string) {
			l := make(log, len(ops))
			opt.Observer, opt.Protocol, opt.Workers = l, p, 3
			account(ops, nil, opt)
			for i := range l {
				text += l[i].String()
			}
			return text
		}
		if want := see(outcome.Sequential); see(outcome.Quantum) != want || see(outcome.Whoa) != want {
			t.Errorf("seed %d: observers see different things", seed)
		}
	}
}

// Programs that are not asked before something has ended are not.
func TestSensitive(t *testing.T) {
	for _, sensitive := range []bool{true, false} {
		rendezvousAfter := 0
		ops := []program.Op{work(100), recv(1), work(50)}
		ops[1].Sensitive = sensitive
		programs := []program.Program{{Next: func() (next program.Ops, _ error) {
			if rendezvousAfter < len(ops) {
				next.Add(&ops[rendezvousAfter])
			}
			rendezvousAfter++
			return next, nil
		}}, {Next: programs(ranks(does(work(300), send(0, 10))), 0)[0].Next}}
		early := 0
		programs[1].Next = func(next func() (program.Ops, error)) func() (program.Ops, error) {
			return func() (program.Ops, error) {
				one, err := next()
				if one.Len() == 0 { // its only operations are over, or seen ahead
					early = rendezvousAfter
				}
				return one, err
			}
		}(programs[1].Next)
		if _, err := Run(context.Background(), programs, Options{Model: loggp(), Protocol: outcome.Whoa, Workers: 1}); err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{true: 2, false: 4}[sensitive]; early != want {
			t.Errorf("sensitive %v: asked %d times at the first look, want %d", sensitive, early, want)
		}
	}
}
