package memsys

import (
	"testing"

	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// TestSharedCache follows accesses by hand: private caches of two lines, a shared one of four that answers
// in 10 ps, memory of 100 ps that holds the bus for 60, upgrades of 20.
func TestSharedCache(t *testing.T) {
	type access struct {
		now   unit.Picos
		p     trace.Proc
		line  uint64
		store bool
		want  touch.Cost
	}
	c := two
	c.Shared = &Cache{Size: 256, Line: 64, Ways: 2, Latency: 10}
	s := mustSMP(t, c)
	for i, a := range []access{
		{0, 0, 0, false, cost(110, 0)},    // from memory, bus from 10 to 70
		{200, 1, 0, false, cost(10, 0)},   // the shared cache has it
		{300, 0, 0, true, cost(20, 0)},    // takes it from processor 1
		{400, 1, 0, false, cost(10, 0)},   // processor 0 has it modified
		{500, 0, 1, false, cost(110, 0)},  // bus from 510 to 570
		{500, 1, 3, false, cost(110, 60)}, // waits for the bus
		{1000, 0, 2, true, cost(110, 0)},  // pushes 0 out of the private cache, clean by now
		{1200, 0, 4, false, cost(110, 0)}, // pushes 2, stale, into the shared cache, which writes back 0 for 4
		{1400, 1, 2, false, cost(10, 0)},  // is there
		{1600, 0, 6, false, cost(110, 0)}, // pushes 4 out of the shared cache, clean
		{1701, 1, 8, false, cost(110, 0)}, // and 2, which is written back: bus from 1711 to 1831
		{1800, 0, 10, false, cost(110, 21)},
	} {
		if got := s.Access(a.now, a.p, a.line, a.store); got != a.want {
			t.Errorf("access %d costs %+v, want %+v", i, got, a.want)
		}
	}
	if got := s.Counts(0).SharedHits + s.Counts(1).SharedHits; got != 3 {
		t.Errorf("%d misses found in the shared cache, want 3", got)
	}
}
