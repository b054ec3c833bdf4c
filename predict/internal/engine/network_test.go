package engine

import (
	"context"
	"fmt"
	"testing"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/program"
	"spoor/predict/internal/network"
	"spoor/traces/unit"
)

// L, g and G mean the same here and in package network: messages of several lengths, of which each
// leaves when the port is free after the one before.
func TestLogGPOfNetwork(t *testing.T) {
	var sends []program.Op
	programs := func() (all []program.Program) {
		return programs(append(ranks(sends), does(recv(0)), does(recv(0)), does(recv(0)), does(recv(0))), 0)
	}
	for i, bytes := range []int64{10, 1, 0, 300} {
		sends = append(sends, isend(int32(i+1), bytes, int32(i)))
	}
	net, err := network.LogGP{}.New(network.Config{Nodes: 5, L: l, Gap: g, GapPerByte: unit.Seconds(perByte * 1e-12)})
	if err != nil {
		t.Fatal(err)
	}
	linked := cost.Model{Send: o, Receive: o, EagerLimit: -1, Net: net, Node: func(rank int32) int { return int(rank) }}
	var ends []string
	for _, m := range []cost.Model{loggp(), linked} {
		res, err := Run(context.Background(), programs(), Options{Model: m})
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, r := range res.Ranks {
			text += fmt.Sprint(int64(r.Time), " ")
		}
		ends = append(ends, text)
	}
	// They leave at 5, 31, 39 and 47, and take 20 + 18, 20, 20 and 20 + 598, and 5.
	if want := "20 48 56 64 670 "; ends[0] != want || ends[1] != want {
		t.Errorf("the engine %q, the network %q, want %q", ends[0], ends[1], want)
	}
}

// PLogP means the same here and in package network, too: L + g(s) from begin to end, and the next message g(s) after the begin.
func TestPLogPOfNetwork(t *testing.T) {
	var sends []program.Op
	for i, bytes := range []int64{10, 1, 0, 300} {
		sends = append(sends, isend(int32(i+1), bytes, int32(i)))
	}
	for name, m := range map[string]cost.Model{"plogp": plogp(), "crooked": crooked()} {
		m.EagerLimit = -1
		linked := m
		linked.Net, linked.Node = network.PaidPorts(5, m.Sizes), func(rank int32) int { return int(rank) }
		var ends []string
		for _, m := range []cost.Model{m, linked} {
			res, err := Run(context.Background(), programs(append(ranks(sends), does(recv(0)), does(recv(0)), does(recv(0)), does(recv(0))), 0), Options{Model: m})
			if err != nil {
				t.Fatal(err)
			}
			text := ""
			for _, r := range res.Ranks {
				text += fmt.Sprint(int64(r.Time), " ", picos(r.Parts[:]), " ")
			}
			ends = append(ends, text)
		}
		if ends[0] != ends[1] {
			t.Errorf("%s: the engine %q, the network %q", name, ends[0], ends[1])
		}
	}
}
