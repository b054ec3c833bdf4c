package reuse

import (
	"math/rand/v2"
	"testing"
)

// counts against plain sums over the blocks, at numbers of blocks that need every level
// of the tree that a machine's memory allows.
func TestCountsAreSums(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, blocks := range []uint32{2, 5, 17, 300, 1 << 12, 70_000} {
		var c counts
		var at closed
		c.reset(int(blocks))
		live := make([]uint32, blocks)
		for open := range blocks {
			if open == blocks-1 || r.IntN(int(blocks)) < 100 {
				checkSums(t, r, &c, &at, live, open)
			}
			live[open] = r.Uint32N(blockSlots + 1)
			c.close(0, topLevel, open, live[open], &at)
		}
	}
}

func checkSums(t *testing.T, r *rand.Rand, c *counts, at *closed, live []uint32, open uint32) {
	t.Helper()
	for range min(open, 10) {
		b := r.Uint32N(open)
		if live[b] == 0 {
			continue
		}
		want := uint32(0)
		for _, n := range live[b+1 : open] {
			want += n
		}
		if got := c.above(b, open, at); got != want {
			t.Fatalf("%d blocks, %d open: %d live slots above block %d, want %d", len(live), open, got, b, want)
		}
		if got := c.remove(b, open, at); got != want {
			t.Fatalf("%d blocks, %d open: %d live slots above block %d, want %d", len(live), open, got, b, want)
		}
		live[b]--
	}
}
