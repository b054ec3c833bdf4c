package lines

import (
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/traces/trace"
)

// collector keeps the lines that it is given.
type collector []uint64

func (c *collector) Touch(lines []uint64) error {
	*c = append(*c, lines...)
	return nil
}

// A feed hands on the lines of data references in order, wherever these are cut and whatever crosses lines.
func TestFeedIsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, shift := range []uint{0, 2, 6, 12, 63} {
		for _, most := range []uint64{1, 16, 3 << min(shift, 12)} {
			feed := NewFeed(shift)
			var got collector
			var want []uint64
			for _, n := range []int{0, 1, feedLines - 1, feedLines, 3*feedLines + 5} {
				var refs trace.Refs
				for range n {
					addr, size, op := r.Uint64()>>r.UintN(64)>>1, uint16(1+r.Uint64N(most)), trace.Ops[r.IntN(len(trace.Ops))]
					refs.Append(1, addr, size, op)
					for line := addr >> shift; op.Data() && line <= (addr+uint64(size)-1)>>shift; line++ {
						want = append(want, line)
					}
				}
				if err := feed.Add(&refs, &got); err != nil {
					t.Fatal(err)
				}
			}
			if err := feed.Flush(&got); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("lines of 2^%d bytes, references up to %d: %d lines are not the %d of the definition", shift, most, len(got), len(want))
			}
		}
	}
}
