package network

import (
	"math/rand/v2"
	"testing"

	"spoor/analyze/comm"
)

// TestGapHistoryIsThatOfTheTrafficSoFar compares with comm.Gaps of all messages so far.
func TestGapHistoryIsThatOfTheTrafficSoFar(t *testing.T) {
	for _, topology := range []string{"full", "hypercube", "mesh"} {
		t.Run(topology, func(t *testing.T) {
			const nodes, latency = 8, 1_600_000
			net, err := Config{Nodes: nodes}.topology(topology)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(7, 8))
			h := newGapHistory(net, latency)
			var flows []comm.Flow
			for range 300 {
				m := Message{From: rng.IntN(nodes), To: rng.IntN(1 + rng.IntN(nodes)), Bytes: 8}
				if m.From == m.To {
					continue
				}
				flows = append(flows, comm.Flow{From: m.From, To: m.To, Messages: 1, Bytes: 8})
				sends, gets := comm.Gaps(net, flows)
				out, in := h.add(m)
				if want := picos(latency * sends[m.From]); out != want {
					t.Fatalf("message %d: gap of the sender %d, want %d", len(flows), out, want)
				}
				if want := picos(latency * gets[m.To]); in != want {
					t.Fatalf("message %d: gap of the receiver %d, want %d", len(flows), in, want)
				}
			}
		})
	}
}

// TestHistoryDoesNotDependOnLaterMessages: the first message leaves the port after L.
func TestHistoryDoesNotDependOnLaterMessages(t *testing.T) {
	n, err := LogP{}.New(Config{Nodes: 4, L: 1000, GapFrom: "history", Topology: "mesh", SameKind: true})
	if err != nil {
		t.Fatal(err)
	}
	first := n.Send(0, Message{From: 0, To: 1, Bytes: 8})
	second := n.Send(0, Message{From: 0, To: 1, Bytes: 8})
	third := n.Send(0, Message{From: 0, To: 2, Bytes: 8})
	if first.Arrive != 1000 || second.Arrive != 2000 || third.Arrive != 3000 {
		t.Errorf("arrivals %d, %d, %d", first.Arrive, second.Arrive, third.Arrive)
	}
	// Three messages, two of them on the busiest link: the gap is now 2/3 L.
	if fourth := n.Send(0, Message{From: 0, To: 3, Bytes: 8}); fourth.Arrive != 3667 {
		t.Errorf("arrival %d", fourth.Arrive)
	}
}
