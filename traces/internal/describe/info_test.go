package describe

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The median lies where messages say, and their counts are those of all sizes.
func TestMessageSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var sizes []int64
		var all messages
		for range 1 + rng.IntN(3) {
			var one messages
			for range rng.IntN(9) {
				n := rng.Int64() >> rng.IntN(64)
				one.add(n)
				sizes = append(sizes, n)
			}
			all.merge(&one)
		}
		all.finish()
		if all.Count != uint64(len(sizes)) {
			t.Fatalf("%d messages, want %d", all.Count, len(sizes))
		}
		for _, s := range all.Sizes {
			n := uint64(0)
			for _, size := range sizes {
				if size >= s.From && size <= s.To {
					n++
				}
			}
			if n != s.Count || n == 0 || s.To > max(2*s.From-1, 0) {
				t.Fatalf("%d of %v, want %d", s.Count, s.sizeSpan, n)
			}
		}
		if slices.Sort(sizes); len(sizes) > 0 {
			middle := sizes[(len(sizes)-1)/2]
			if all.Smallest != sizes[0] || all.Largest != sizes[len(sizes)-1] || middle < all.Median.From || middle > all.Median.To {
				t.Fatalf("%+v of %v", all, sizes)
			}
		}
	}
}

// Bytes of a hostile or synthetic trace may not fit: a sum must not turn negative.
func TestTotalsDoNotWrap(t *testing.T) {
	var one, all messages
	one.add(math.MaxInt64)
	all.merge(&one)
	all.merge(&one)
	all.merge(&one)
	if got := all.Bytes.String(); all.Bytes != math.MaxInt64 || got != "at least 9223372036854775807" {
		t.Errorf("3 messages of 2^63-1 bytes are %d, in words %q", int64(all.Bytes), got)
	}
}

// People are shown the digests of a few files, not one for each rank.
func TestManyInputs(t *testing.T) {
	for _, n := range []int{0, mostInputs, mostInputs + 1} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			var i Info
			i.Source.Inputs = slices.Repeat([]string{"00"}, n)
			what := i.Table().Columns[0].Data.([]string)
			shown := 0
			for _, w := range what {
				if w == "input sha256" {
					shown++
				}
			}
			if many := n > mostInputs; many != slices.Contains(what, "inputs") || many != (shown == 0) && n > 0 {
				t.Errorf("of %d inputs: %q", n, what)
			}
		})
	}
}
