package reuse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"

	"spoor/analyze/internal/lines"
	"spoor/traces/trace"
)

// loads makes references to lines of 64 bytes.
func loads(lines []uint64) *trace.Refs {
	refs := &trace.Refs{Addr: make([]uint64, len(lines)), Size: make([]uint16, len(lines)), Op: make([]trace.Op, len(lines)), Instr: make([]uint32, len(lines))}
	for i, l := range lines {
		refs.Addr[i], refs.Size[i], refs.Op[i] = l<<6, 8, trace.Load
	}
	return refs
}

// benchmarked are the streams: the log of lackey that SPOOR_BENCH_LACKEY names is one of them.
func benchmarked(b *testing.B) map[string]func() *trace.Refs {
	all := map[string]func() *trace.Refs{
		"uniform1M": func() *trace.Refs { return loads(uniform(50_000_000, 1<<20)) },
		"zipf4M":    func() *trace.Refs { return loads(zipf(50_000_000, 1<<22)) },
		"matmul256": func() *trace.Refs { return loads(matmul(256)) },
	}
	if path := os.Getenv("SPOOR_BENCH_LACKEY"); path != "" {
		all["lackey"] = func() *trace.Refs { return &recorded(b, path).RefsOf[0] }
	}
	return all
}

// feedAll gives references to a toucher as an analysis does.
func feedAll(b *testing.B, refs *trace.Refs, to lines.Toucher) {
	feed := lines.NewFeed(6, trace.DataOps)
	const piece = 1 << 16
	for from := 0; from < refs.Len(); from += piece {
		part := refs.Slice(from, min(from+piece, refs.Len()))
		if err := feed.Add(&part, to); err != nil {
			b.Fatal(err)
		}
	}
	if err := feed.Flush(to); err != nil {
		b.Fatal(err)
	}
}

// tableAlone finds lines in the table, and does nothing else.
type tableAlone struct {
	*lines.Table
	place [batch]uint32
}

func (t *tableAlone) Touch(lines []uint64) error {
	for len(lines) > 0 {
		n := min(batch, len(lines))
		if err := t.MakeRoom(); err != nil {
			return err
		}
		t.Find(lines[:n], t.place[:])
		lines = lines[n:]
	}
	return nil
}

// spread uses so many lines, each that far from the one before, once in order and twice at random.
func spread(n, every uint64) (lines []uint64) {
	r := rand.New(rand.NewPCG(1, 8))
	for i := range 3 * n {
		line := i
		if i >= n {
			line = r.Uint64N(n)
		}
		lines = append(lines, line*every)
	}
	return lines
}

// mapAlone counts uses in Go's map.
type mapAlone map[uint64]uint64

func (m mapAlone) Touch(lines []uint64) error {
	for _, l := range lines {
		m[l]++
	}
	return nil
}

// BenchmarkSample is exact and sampled distances, beside hashing alone: a table and Go's map of all lines.
// The error of the miss ratio is over all powers of two up to the number of lines.
func BenchmarkSample(b *testing.B) {
	for name, makeRefs := range benchmarked(b) {
		b.Run(name, func(b *testing.B) {
			refs := makeRefs()
			run := func(what string, makeToucher func(i int) lines.Toucher, done func(b *testing.B, t lines.Toucher)) {
				b.Run(what, func(b *testing.B) {
					b.ReportAllocs()
					for i := range b.N {
						t := makeToucher(i)
						feedAll(b, refs, t)
						done(b, t)
					}
					b.ReportMetric(float64(b.N)*float64(refs.Len())/b.Elapsed().Seconds()/1e6, "Mrefs/s")
				})
			}
			nothing := func(*testing.B, lines.Toucher) {}
			run("map", func(int) lines.Toucher { return mapAlone{} }, nothing)
			run("table", func(int) lines.Toucher { return &tableAlone{Table: lines.NewTable()} }, nothing)
			exact := new(Distances)
			run("exact", func(int) lines.Toucher { return NewStack() }, func(_ *testing.B, t lines.Toucher) { exact.setExact(t.(*Stack)) })
			for _, s := range []Sampling{{Rate: 0.01, Least: enoughLines}, {Rate: 0.01}, {Rate: 0.1}} {
				var worst, sum float64
				run(fmt.Sprintf("rate=%v/least=%d", s.Rate, s.Least), func(i int) lines.Toucher {
					s.Seed = uint64(i)
					return newSampler(s)
				},
					func(b *testing.B, t lines.Toucher) {
						d := new(Distances)
						if err := t.(*sampler).end(d); err != nil {
							b.Fatal(err)
						}
						if exact.Cold > 0 {
							b.StopTimer() // what follows judges the curve, and is no part of it
							defer b.StartTimer()
							mean, most := d.errors(exact)
							worst, sum = max(worst, most), sum+mean
							b.ReportMetric(worst, "max-error")
							b.ReportMetric(sum/float64(b.N), "mean-error")
						}
					})
			}
		})
	}
}

// errors are those of miss ratios, over powers of two up to the number of lines.
func (d *Distances) errors(exact *Distances) (mean, most float64) {
	var sizes []int64
	for n := int64(1); n < 2*int64(exact.Cold); n *= 2 {
		sizes = append(sizes, n)
	}
	got, want := d.Misses(sizes), exact.Misses(sizes)
	for i := range sizes {
		e := math.Abs(float64(got[i])-float64(want[i])) / float64(exact.Total())
		mean += e / float64(len(sizes))
		most = max(most, e)
	}
	return mean, most
}

// BenchmarkMemory is what exact distances keep of a line besides the hash table, whose neighbours share pages: of streams, and of lines of which
// every so many is used, in order and then at random.
func BenchmarkMemory(b *testing.B) {
	all := benchmarked(b)
	for _, every := range []uint64{6, 64} {
		all[fmt.Sprintf("every%d", every)] = func() *trace.Refs { return loads(spread(1<<20, every)) }
	}
	for name, makeRefs := range all {
		b.Run(name, func(b *testing.B) {
			refs := makeRefs()
			heap := func(t lines.Toucher) float64 {
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				feedAll(b, refs, t)
				runtime.GC()
				runtime.ReadMemStats(&after)
				return float64(after.HeapAlloc) - float64(before.HeapAlloc)
			}
			for b.Loop() {
				table, stack := &tableAlone{Table: lines.NewTable()}, NewStack()
				hashed, all := heap(table), heap(stack)
				_, n := stack.Distances()
				b.ReportMetric((all-hashed)/float64(n), "bytes/line")
				b.ReportMetric(hashed/float64(n), "table-bytes/line")
				runtime.KeepAlive(table)
			}
		})
	}
}
