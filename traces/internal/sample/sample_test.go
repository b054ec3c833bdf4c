package sample

import (
	"math/rand/v2"
	"testing"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// Windows lie apart, one in each stretch, and batches without one are not wanted.
func TestWindowsAreFoundByBatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 300 {
		w := newWindows(1+rng.Int64N(50), rng.Float64()*0.9+0.01, rng.Uint64(), trace.Proc(rng.IntN(3)))
		b := store.Batch{Row: rng.Uint64N(1000), Rows: 1 + rng.Uint64N(60)}
		want := false
		for row := b.Row; row < b.Row+b.Rows; row++ {
			want = want || w.ref(row, 0)
		}
		if w.batch(b) != want {
			t.Fatalf("%+v: batch %+v is wanted: %t, should be %t", w, b, !want, want)
		}
	}
}
