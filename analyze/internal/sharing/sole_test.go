package sharing

import (
	"testing"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// A line is used so often that the counter of each part of its uses is emptied once and again.
func TestLoneCountersAreEmptied(t *testing.T) {
	const full = 1 << (countBits - 1)
	m := &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: make([]trace.Refs, 1)}
	use := func(n int, addr uint64, size uint16, op trace.Op) {
		for range n {
			m.RefsOf[0].Append(1, addr, size, op)
		}
	}
	use(full/5, 64, 60, trace.Load) // words beyond one fill their part first
	use(2*full+3, 72, 4, trace.Load)
	use(1, 128, 4, trace.Store)
	use(full+7, 64, 8, trace.Store)
	use(2, 64, 128, trace.Load)
	s, err := measure(m, &Analysis{Lines: []unit.Bytes{64}, Word: 4})
	if err != nil {
		t.Fatal(err)
	}
	want := usage{loads: full/5 + 2*full + 3 + 4, stores: 1 + full + 7} // those of 128 bytes are two
	want.words = 15*(full/5) + 2*full + 3 + 1 + 2*(full+7) + 2*32
	all := s.sims[0].tallies
	if got := all[len(all)-1][0].usage; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// Words of a count add up whatever their parts are.
func TestLoneCount(t *testing.T) {
	var c soleCount
	want := soleUses{}
	for store := range 2 {
		for more := range uint64(64) {
			c += one(store, more)
			want.by[store]++
			want.more += more
		}
	}
	var got soleUses
	if c.addTo(&got); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
