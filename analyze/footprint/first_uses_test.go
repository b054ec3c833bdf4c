package footprint

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"spoor/analyze/analysis"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// spacesOf is what is measured of a trace before it becomes tables. The first window has that stamp.
func spacesOf(t *testing.T, m trace.Source, w Window, blocks []Blocks, stamp uint32) []*space {
	t.Helper()
	s := (&Analysis{Window: w, Blocks: blocks}).NewShard(m.Header(), trace.Interleaved).(*shard)
	for _, space := range s.spaces {
		space.stamp = stamp
	}
	for p, err := range analysis.Interleave(m) {
		if err == nil {
			err = s.Add(p)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.End(); err != nil {
		t.Fatal(err)
	}
	return s.spaces
}

// Each size of blocks has the same footprints whatever other sizes are measured with it, even if it gets its
// uses from one of them. It has the same footprints wherever stamps wrap around.
func TestSizesTogether(t *testing.T) {
	for seed := range testsize.Cases[uint64](150, 30) {
		r := rand.New(rand.NewPCG(seed, 9))
		m := randomTrace(r, 1+r.IntN(2), r.IntN(4), 200).InBatches(1 + r.IntN(50))
		w := randomWindow(r)
		all := []Blocks{{"", 2, nil}, {"cache", 4, shapes}, {"", 64, nil}, {"", 128, shapes}, {"tlb", 32 << r.IntN(3), shapes[:2]}}
		for i, together := range spacesOf(t, m, w, all, math.MaxUint32-uint32(r.IntN(9))) {
			alone := spacesOf(t, m, w, all[i:i+1], firstStamp)[0]
			for p := range together.processors {
				if got, want := together.processors[p], alone.processors[p]; got.counts != want.counts || !sameFills(got.fills, want.fills) {
					t.Fatalf("seed %d, blocks of %v, processor %d: got %+v, want %+v", seed, together.Size, p, got.counts, want.counts)
				}
			}
			if together.all != alone.all || !reflect.DeepEqual(together.sampledWindows, alone.sampledWindows) {
				t.Fatalf("seed %d, blocks of %v: got %+v, want %+v", seed, together.Size, together.all, alone.all)
			}
		}
	}
}

func sameFills(a, b []fill) bool {
	for i := range a {
		if a[i].sum != b[i].sum {
			return false
		}
	}
	return len(a) == len(b)
}

// Sizes get their uses from the first that is small enough, and not from one that comes after them.
func TestNest(t *testing.T) {
	a := &Analysis{Window: Window{References, 1}, Blocks: []Blocks{{"", 64, nil}, {"", 512, nil}, {"", 1024, nil}, {"", 1 << 16, nil}, {"tlb", 4096, nil}}}
	spaces := a.NewShard(trace.Header{Procs: 1}, trace.Interleaved).(*shard).spaces
	for i, want := range []int{-1, -1, 0, 0, 0} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			if c := spaces[i].coarser; (c == nil) != (want < 0) || c != nil && c.fine != spaces[want] {
				t.Errorf("blocks of %v come from %+v", spaces[i].Size, c)
			}
		})
	}
}
