package numa

import (
	"fmt"
	"testing"

	"spoor/calibrate/machine"
	"spoor/traces/trace"
)

// TestHomes: regions first, in the order of addresses; the rest by page.
func TestHomes(t *testing.T) {
	head := trace.Header{Procs: 4, Regions: []trace.Region{
		{Name: "cyclic", Owner: trace.Everyone, Base: 1 << 16, Bytes: 256, Home: trace.Home{Kind: trace.CyclicHome, Bytes: 64}},
		{Name: "blocks", Owner: trace.Everyone, Base: 4096 + 32, Bytes: 400, Home: trace.Home{Kind: trace.BlockHome}},
		{Name: "mine", Owner: 3, Base: 1 << 20, Bytes: 8},
		{Name: "anywhere", Owner: trace.Everyone, Base: 1 << 21, Bytes: 1 << 14},
		{Name: "nothing", Owner: 1, Base: 1 << 22},
		{Name: "last", Owner: 1, Base: 1<<64 - 64, Bytes: 64},
	}}
	for _, c := range []struct {
		addr    uint64
		toucher int
		perNode int
		policy  machine.Placement
		want    int
	}{
		{4096, 2, 1, machine.FirstTouch, 0}, // begins before the array
		{4096 + 64, 2, 1, machine.FirstTouch, 0},
		{4096 + 128, 2, 1, machine.FirstTouch, 0}, // offset 96 of parts of 100
		{4096 + 192, 2, 1, machine.FirstTouch, 1},
		{4096 + 384, 2, 1, machine.FirstTouch, 3},
		{4096 + 384, 2, 2, machine.FirstTouch, 1}, // two processors a node
		{1<<16 + 128, 0, 1, machine.FirstTouch, 2},
		{1<<16 + 256, 3, 1, machine.FirstTouch, 3}, // behind the array: who touches first
		{1 << 20, 0, 1, machine.FirstTouch, 3},
		{1 << 21, 2, 1, machine.FirstTouch, 2},
		{1 << 21, 2, 1, machine.Interleaved, 0},
		{1<<21 + 4096, 2, 1, machine.Interleaved, 1},
		{1 << 22, 2, 1, machine.FirstTouch, 2},
		{1<<64 - 64, 2, 1, machine.FirstTouch, 1},
	} {
		t.Run(fmt.Sprintf("%v %v", c.addr, c.want), func(t *testing.T) {
			h := NewHomes(trace.NewHomeMap(head), NewLayout(4, c.perNode, nil), Placement{c.policy, 4096}, 64)
			if got := h.Of(c.addr/64, c.toucher); got != c.want {
				t.Errorf("%#x touched by node %d of %d, %s: home %d, want %d", c.addr, c.toucher, c.perNode, c.policy, got, c.want)
			}
			if got := h.Of(c.addr/64, 1); got != c.want {
				t.Errorf("%#x: home moved to %d", c.addr, got)
			}
		})
	}
}
