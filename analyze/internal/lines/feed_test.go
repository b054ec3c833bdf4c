package lines

import (
	"fmt"
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

// Lines by their places are handed on when lines of references are.
func TestFeedOfUses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for _, data := range []float64{0.1, 0.9, 1} {
		t.Run(fmt.Sprint(data), func(t *testing.T) {
			n, feed, other := NewNumbering(6, 1), NewFeed(6, trace.DataOps), NewFeed(6, trace.DataOps)
			of := map[uint64]uint64{}
			var got, want collector
			for part := range 2000 {
				var refs trace.Refs
				for range 64 {
					op := trace.Ifetch
					if r.Float64() < data {
						op = trace.Load
					}
					refs.Append(1, r.Uint64N(1<<14), uint16(1+r.Uint64N(2)*r.Uint64N(200)), op)
				}
				var uses Uses
				if err := n.Number(&refs, trace.DataOps, nil, &uses); err != nil {
					t.Fatal(err)
				}
				for i, line := range uses.Lines {
					of[uint64(uses.Places[i])] = line
				}
				for use, from := 0, 0; from < 64; from += 16 {
					var err error
					if use, err = feed.AddUses(&uses, use, from+16, &got); err != nil {
						t.Fatal(err)
					}
					cut := refs.Slice(from, from+16)
					if err := other.Add(&cut, &want); err != nil {
						t.Fatal(err)
					}
					if len(got) != len(want) {
						t.Fatalf("%v data, part %d, behind %d references: %d lines are handed on, not %d", data, part, from+16, len(got), len(want))
					}
				}
			}
			for i := range got {
				if got[i] = of[got[i]]; got[i] != want[i] {
					t.Fatalf("%v data: use %d is of line %d, not %d", data, i, got[i], want[i])
				}
			}
		})
	}
}

// A feed hands on the lines of data references in order, wherever these are cut and whatever crosses lines.
func TestFeedIsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, shift := range []uint{0, 2, 6, 12, 63} {
		t.Run(fmt.Sprint(shift), func(t *testing.T) {
			for _, most := range []uint64{1, 16, 3 << min(shift, 12)} {
				feed := NewFeed(shift, trace.DataOps)
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
		})
	}
}
