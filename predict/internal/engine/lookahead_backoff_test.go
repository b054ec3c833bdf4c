package engine

import (
	"context"
	"testing"
)

// Workers with few ranks look ahead for each window, and those with many leave it where it saves little; with an F that is given they never do.
func TestPays(t *testing.T) {
	stats := func(ops [][]Op, p Protocol, ahead int) Stats {
		res, err := Run(context.Background(), programs(ops, 256), Options{Model: benchModel(), Protocol: p, Workers: 2, Ahead: ahead})
		if err != nil {
			t.Fatal(err)
		}
		return res.Engine
	}
	var apart [][]Op // pairs of ranks, each of one worker
	for i := range int32(8) {
		var one []Op
		for range 500 {
			if one = append(one, work(10_000_000)); i%2 == 0 {
				one = append(one, send(i+1, 1), recv(i+1))
			} else {
				one = append(one, recv(i-1), send(i-1, 1))
			}
		}
		apart = append(apart, does(one...))
	}
	if got, want := stats(apart, Whoa, 0), stats(apart, Whoa, DefaultAhead); got != want || got.Barriers*2 > stats(apart, Quantum, 0).Barriers {
		t.Errorf("%+v, want %+v", got, want)
	}
	many := stencil(512, 100_000).ranks
	got, always, quantum := stats(many, Whoa, 0), stats(many, Whoa, DefaultAhead), stats(many, Quantum, 0)
	if got.Appointments == 0 || got.Appointments > always.Appointments/2 || got.Barriers > quantum.Barriers {
		t.Errorf("%+v, always ahead %+v, quantum %+v", got, always, quantum)
	}
	if always.Appointments != always.Remote {
		t.Errorf("always ahead: %+v: not all messages are appointments", always)
	}
}
