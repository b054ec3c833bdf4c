package reusetime

import (
	"math/rand/v2"
	"testing"

	"spoor/analyze/internal/lines"
	"spoor/analyze/reuse"
)

// workloads are streams of 10 million uses: without locality, with much, and with every line on a page of
// its own in the table of lines, its worst case.
var workloads = []struct {
	name string
	line func(i int, r *rand.Rand) uint64
}{
	{"uniform1M", func(_ int, r *rand.Rand) uint64 { return r.Uint64N(1 << 20) }},
	{"skewed", func(i int, r *rand.Rand) uint64 {
		if i%4 > 0 {
			return uint64(i>>6) & (1<<16 - 1) // sweeps
		}
		x := r.Float64()
		return uint64(1 << 18 * x * x * x * x)
	}},
	{"sparse1M", func(_ int, r *rand.Rand) uint64 { return r.Uint64N(1<<20) << 20 }},
}

// hashOnly looks every line up and nothing else.
type hashOnly struct {
	table *lines.Table
	place [lines.Batch]uint32
}

func (h *hashOnly) Touch(used []uint64) error {
	for len(used) > 0 {
		n := min(len(used), lines.Batch)
		if err := h.table.MakeRoom(); err != nil {
			return err
		}
		h.table.Find(used[:n], h.place[:])
		used = used[n:]
	}
	return nil
}

// BenchmarkTimes is the counter beside the look-up alone and exact stack distances.
func BenchmarkTimes(b *testing.B) {
	for _, w := range workloads {
		r := rand.New(rand.NewPCG(1, 2))
		stream := make([]uint64, 10_000_000)
		for i := range stream {
			stream[i] = w.line(i, r)
		}
		for _, c := range []struct {
			name string
			make func() lines.Toucher
		}{
			{"times", func() lines.Toucher { return newNumbered(new(Times)) }},
			{"hash-only", func() lines.Toucher { return &hashOnly{table: lines.NewTable()} }},
			{"stack-distances", func() lines.Toucher { return reuse.NewStack() }},
		} {
			b.Run(w.name+"/"+c.name, func(b *testing.B) {
				for b.Loop() {
					if err := c.make().Touch(stream); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N)*float64(len(stream))/b.Elapsed().Seconds()/1e6, "Mrefs/s")
			})
		}
	}
}
