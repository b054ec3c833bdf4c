package memsys

import (
	"testing"

	"spoor/traces/unit"
)

// TestOverlapWorked follows touches by hand: memory takes 100 ps and holds the bus for 60, two misses
// may be under way, and the processor has room for 50 ps of instructions behind one.
func TestOverlapWorked(t *testing.T) {
	s := Overlapping(mustSMP(t, two), Overlap{Outstanding: 2, Window: 50}, 2)
	for i, a := range []struct {
		now  unit.Picos
		line uint64
		want Cost
	}{
		{0, 0, Cost{}},                          // until 100
		{10, 0, Cost{}},                         // under way too
		{40, 1, Cost{}},                         // waits for the bus from 40 to 60: until 160
		{55, 0, Cost{Latency: 50, Again: true}}, // there was room until 50
		{105, 0, Cost{Latency: 59, Contention: 11, Again: true}}, // room behind 40 until 90: 70 more, a sixth of which is contention
		{175, 0, Cost{}},
	} {
		got := s.Access(a.now, 0, a.line, false)
		if got != a.want {
			t.Errorf("touch %d costs %+v, want %+v", i, got, a.want)
		}
	}
	if got := s.Settle(175, 0); got != (Cost{}) {
		t.Errorf("settling costs %+v", got)
	}
}

// TestOverlapFull: of three misses at once the third waits for the first to end, and settling waits
// for all.
func TestOverlapFull(t *testing.T) {
	c := two
	c.Memory.Occupancy = 0
	s := Overlapping(mustSMP(t, c), Overlap{Outstanding: 2, Window: 1000}, 2)
	for i, want := range []Cost{{}, {}, {Latency: 80}} {
		if got := s.Access(unit.Picos(10*i), 0, uint64(i), false); got != want {
			t.Errorf("miss %d costs %+v, want %+v", i, got, want)
		}
	}
	if got := s.Settle(100, 0); got != cost(100, 0) { // the third began at 100
		t.Errorf("settling costs %+v", got)
	}
	if got := s.Settle(200, 0); got != (Cost{}) {
		t.Errorf("settling again costs %+v", got)
	}
}
