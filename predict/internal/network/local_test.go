package network

import (
	"fmt"
	"testing"

	"spoor/calibrate/machine"
	"spoor/traces/unit"
)

// A memory of 100 ns that takes 6.4 ns for a line of 64 bytes has a bandwidth of 10 GB/s.
func TestLocalByHand(t *testing.T) {
	node := &machine.Machine{Processor: machine.Processor{Clock: 1e9}, Caches: []machine.Cache{{Line: 32}, {Line: 64}}, System: machine.System{Nodes: 2, Processors: 2},
		Memory: machine.Memory{Latency: machine.InSeconds(100e-9), Occupancy: machine.InSeconds(6.4e-9)}}
	l, err := NewLocal(node, 2, 4)
	if err != nil {
		t.Fatal(err)
	}
	const ns = 1000
	for i, c := range []struct {
		at                    unit.Picos
		node                  int
		bytes                 unit.Bytes
		free, arrive, latency unit.Picos
	}{
		{0, 0, 1000, 100 * ns, 200 * ns, 200 * ns},
		{50 * ns, 0, 1000, 200 * ns, 300 * ns, 200 * ns}, // waits for the first
		{50 * ns, 1, 1000, 150 * ns, 250 * ns, 200 * ns}, // another node
		{60 * ns, 0, 0, 60 * ns, 160 * ns, 100 * ns},     // a request without bytes waits for nothing
		{500 * ns, 0, 1e9, 100_000_500 * ns, 100_000_600 * ns, 100_000_100 * ns},
	} {
		t.Run(fmt.Sprint(c.free), func(t *testing.T) {
			if got, want := l.Send(c.at, int32(2*c.node), int32(2*c.node+1), c.bytes), (Delivery{Free: c.free, Arrive: c.arrive, Latency: c.latency}); got != want {
				t.Errorf("message %d: got %v, want %v", i, got, want)
			}
		})
	}
	if l.Messages() != 5 {
		t.Errorf("%d messages, want 5", l.Messages())
	}
	node.Memory.Occupancy = machine.Latency{}
	if _, err := NewLocal(node, 2, 4); err == nil {
		t.Error("a memory without a bandwidth: no error")
	}
}

// With ports of both, bytes to one receiver queue: the second of two messages of 100 ns comes 100 ns after the first.
func TestLogGPBothPorts(t *testing.T) {
	for _, c := range []struct {
		both   bool
		second unit.Picos
	}{{false, 210_000}, {true, 310_000}} {
		n, err := LogGP{}.New(Config{Nodes: 3, L: 110_000, GapPerByte: 1e-9, BothPorts: c.both})
		if err != nil {
			t.Fatal(err)
		}
		if d := n.Send(0, Message{From: 0, To: 2, Bytes: 101}); d.Arrive != 210_000 {
			t.Errorf("both %v: the first message arrives at %v", c.both, d.Arrive)
		}
		if d := n.Send(0, Message{From: 1, To: 2, Bytes: 101}); d.Arrive != c.second {
			t.Errorf("both %v: the second message arrives at %v, want %v", c.both, d.Arrive, c.second)
		}
	}
}
