package calendarqueue

import (
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/traces/unit"
)

// TestQueueIsNaive: ranks come window by window, near and far ones, as they come from a map of windows.
func TestQueueIsNaive(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		width := unit.Picos(16 + rng.IntN(1000))
		q, plain := New(width), map[int64][]int32{}
		for rank := range int32(200) {
			at := unit.Picos(rng.Int64N(int64(width) * []int64{50, 3000, 100000}[rng.IntN(3)]))
			plain[q.Window(at)] = append(plain[q.Window(at)], rank)
			q.Add(rank, at, q.Window(at))
		}
		for len(plain) > 0 {
			want := NoFurther
			for w := range plain {
				want = min(want, w)
			}
			if first := q.First(func(int32, int64) bool { return true }); first != want || q.Advance(want) {
				t.Fatalf("seed %d: first window %d, want %d, or an advance to before it", seed, first, want)
			}
			if !q.Advance(want+1) || q.Now != want {
				t.Fatalf("seed %d: window %d, want %d", seed, q.Now, want)
			}
			got := slices.Sorted(slices.Values(q.List()))
			if !slices.Equal(got, plain[want]) {
				t.Fatalf("seed %d, window %d: ranks %v, want %v", seed, want, got, plain[want])
			}
			q.Clear()
			delete(plain, want)
		}
		if q.Advance(NoFurther) {
			t.Errorf("seed %d: a window after the last", seed)
		}
	}
}
