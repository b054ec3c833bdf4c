package engine

import (
	"context"
	"testing"

	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/engine/program"
)

// Workers with few ranks look ahead for each window, and those with many leave it where it saves little; with an F that is given they never do.
func TestPays(t *testing.T) {
	stats := func(ops [][]program.Op, p outcome.Protocol, ahead int) outcome.Stats {
		res, err := Run(context.Background(), programs(ops, 256), Options{Model: benchModel(), Protocol: p, Workers: 2, Ahead: ahead})
		if err != nil {
			t.Fatal(err)
		}
		return res.Engine
	}
	var apart [][]program.Op // pairs of ranks, each of one worker
	for i := range int32(8) {
		var one []program.Op
		for range 500 {
			if one = append(one, work(10_000_000)); i%2 == 0 {
				one = append(one, send(i+1, 1), recv(i+1))
			} else {
				one = append(one, recv(i-1), send(i-1, 1))
			}
		}
		apart = append(apart, does(one...))
	}
	if got, want := stats(apart, outcome.Whoa, 0), stats(apart, outcome.Whoa, DefaultAhead); got != want || got.Barriers*2 > stats(apart, outcome.Quantum, 0).Barriers {
		t.Errorf("%+v, want %+v", got, want)
	}
	many := stencil(512, 100_000).ranks
	got, always, quantum := stats(many, outcome.Whoa, 0), stats(many, outcome.Whoa, DefaultAhead), stats(many, outcome.Quantum, 0)
	if got.Appointments == 0 || got.Appointments > always.Appointments/2 || got.Barriers > quantum.Barriers {
		t.Errorf("%+v, always ahead %+v, quantum %+v", got, always, quantum)
	}
	if always.Appointments != always.Remote {
		t.Errorf("always ahead: %+v: not all messages are appointments", always)
	}
}
