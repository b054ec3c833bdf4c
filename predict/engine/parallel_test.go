package engine

import (
	"context"
	"fmt"
	"testing"
)

// account is all that a run says about its programs.
func account(ops [][]Op, graphs []*Graph, opt Options) (text string, stats Stats) {
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
	stats, res.Engine = res.Engine, Stats{}
	return fmt.Sprintf("%+v", *res), stats
}

// agree holds all protocols to the sequential one, by any number of workers. It reports whether the
// program came to its end.
func agree(t *testing.T, ops [][]Op, graphs []*Graph, opt Options) bool {
	t.Helper()
	opt.Protocol = Sequential
	want, _ := account(ops, graphs, opt)
	for _, opt.Protocol = range []Protocol{Quantum, Whoa} {
		for _, opt.Workers = range []int{1, 2, 3, 8} {
			if got, _ := account(ops, graphs, opt); got != want {
				t.Errorf("%s, %d workers, %d ahead, %+v: got\n%s\nwant\n%s", opt.Protocol, opt.Workers, opt.Ahead, opt.Model, got, want)
			}
		}
	}
	return want[0] == '{'
}

// random is programs by a seed, and what runs them.
func random(seed uint64, ranks, steps int, graphs, careless bool) (ops [][]Op, needs []*Graph, opt Options) {
	a := newAuthor(seed, ranks)
	a.careless = careless
	ops = a.write(steps)
	if graphs {
		needs = a.graphs(ops)
	}
	return ops, needs, Options{Model: models[seed%uint64(len(models))], Steps: stepsOf(ranks), Ahead: 1 + a.IntN(40)}
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

func FuzzProtocolsAgree(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, uint8(seed), uint8(30+seed), seed%3 == 0, seed%4 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, ranks, steps uint8, graphs, careless bool) {
		ops, needs, opt := random(seed, 1+int(ranks%10), int(steps), graphs, careless)
		agree(t, ops, needs, opt)
	})
}
