package replay

import (
	"math"
	"strings"
	"testing"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// nodesOf are the machine of the message tests with nodes of several processors. Its memory takes 50 ns and 640 ps for
// a byte.
var nodesOf = []string{`latency = "50 cycles"`, "latency = \"50 cycles\"\noccupancy = \"40960 ps\"", `target = "cow"`, `target = "clump"`, "processors = 1\nnodes = 16", "processors = 4\nnodes = 4"}

// A message within a node takes at least its bytes over the bandwidth of the memory, on every network.
func TestMessageWithinANode(t *testing.T) {
	pair := messageTrace(rows(an(trace.Send, with(1), of(1e6))), rows(an(trace.Recv, with(0), of(1e6))))
	links := "bandwidth = \"1 GB/s\"\nlatency = \"1 us\"\no = \"10 ns\"\nsharing = \"max-min\"\n"
	for _, network := range []string{"", "model = \"fattree\"\n" + links, "model = \"bus\"\n" + links, "model = \"switch\"\n" + strings.Replace(links, "max-min", "exclusive", 1)} {
		t.Run(network, func(t *testing.T) {
			res, err := replayMessages(pair, messageMachine(t, network, nodesOf...), Options{})
			if err != nil {
				t.Fatal(err)
			}
			// 10 ns, the bytes, the latency of the memory, 10 ns
			if got, want := res.Time, unit.Picos(10_000+640e6+50_000+10_000); got != want {
				t.Errorf("%v, want %v", got, want)
			}
			if len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0].Error(), "from [memory]") {
				t.Errorf("warnings %v", res.Warnings)
			}
		})
	}
}

// A placement decides which messages stay within a node. By hand, for 1000 bytes.
func TestPlacedRanks(t *testing.T) {
	src := messageTrace(rows(an(trace.Send, with(1), of(1000))), rows(an(trace.Recv, with(0), of(1000))))
	for _, c := range []struct {
		name   string
		placed []int
		wantNS float64
	}{
		{"one node", []int{2, 2}, 10 + 640 + 50 + 10},     // o, the bytes, the latency of the memory, o
		{"two nodes", []int{3, 0}, 10 + 100 + 2*999 + 10}, // o + L + 999 G + o
	} {
		t.Run(c.name, func(t *testing.T) {
			m := *messageMachine(t, "", nodesOf...)
			m.Placed = c.placed
			res, err := replayMessages(src, &m, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := float64(res.Time) / 1000; math.Abs(got-c.wantNS) > 1e-9 {
				t.Errorf("%v ns, want %v", got, c.wantNS)
			}
		})
	}
}

// Ranks of a node share its port: four senders of a node take four times as long as four nodes with one sender each.
func TestRanksShareThePortOfTheirNode(t *testing.T) {
	var all [8][]trace.Event
	for p := range int32(4) {
		all[p] = rows(an(trace.Send, with(p+4), of(1001)))
		all[p+4] = rows(an(trace.Recv, with(p), of(1001)))
	}
	src := messageTrace(all[:]...)
	for _, c := range []struct {
		name   string
		nodes  []string
		wantNS float64
	}{
		// o + L + 1000 G + o
		{"one rank a node", nil, 10 + 100 + 2000 + 10},
		// three messages of g + 1000 G before the last one
		{"four ranks a node", nodesOf, 3*2020 + 10 + 100 + 2000 + 10},
	} {
		res, err := replayMessages(src, messageMachine(t, "", c.nodes...), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(res.Time) / 1000; math.Abs(got-c.wantNS) > 1e-9 {
			t.Errorf("%s: %v ns, want %v", c.name, got, c.wantNS)
		}
		if len(res.Warnings) > 0 {
			t.Errorf("%s: warnings %v", c.name, res.Warnings)
		}
	}
}

// Semantics that give each rank a port of its own say so.
func TestOwnPortsAreNoted(t *testing.T) {
	pair := messageTrace(rows(an(trace.Send, with(1), of(8))), rows(an(trace.Recv, with(0), of(8))))
	res, err := replayMessages(pair, messageMachine(t, "", nodesOf...), Options{Semantics: LogGOPSim})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0].Error(), "a port of its own") {
		t.Errorf("warnings %v", res.Warnings)
	}
}
