package filter

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/cache"
	"spoor/traces/trace"
)

// workload is a processor that runs through arrays, fetches in between, and jumps about now and then.
func workload(n int) *trace.Memory {
	r := rand.New(rand.NewPCG(1, 1))
	m := &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: make([]trace.Refs, 1)}
	refs := &m.RefsOf[0]
	for i := range uint64(n / 4) {
		refs.Append(1, 1<<40+i*4%(1<<12), 4, trace.Ifetch)
		refs.Append(0, i*8%(1<<20), 8, trace.Load)
		refs.Append(1, 1<<40+(i*4+8)%(1<<12), 4, trace.Ifetch)
		if op := trace.Load + trace.Op(i&1); i%20 == 0 {
			refs.Append(0, r.Uint64N(1<<24)&^7, 8, op)
		} else {
			refs.Append(0, 1<<30+i*8%(1<<13), 8, op)
		}
	}
	return m
}

// Filtering into files, beside counting hits and misses alone, and a hash table of the lines.
func BenchmarkFilter(b *testing.B) {
	const n = 4_000_000
	m := workload(n).InBatches(1 << 16)
	spec := parse(b, "L1i=32KiB/8/64B,L1d=32KiB/8/64B")
	pass := func(name string, pass func() error) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := pass(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds()/1e6, "Mrefs/s")
		})
	}
	pass("filter", func() error {
		_, err := Write(context.Background(), m, filepath.Join(b.TempDir(), "x"), Options{Spec: spec, WriteBacks: true})
		return err
	})
	pass("cache", func() error {
		_, err := analysis.Run(context.Background(), m, analysis.Options{}, &cache.Analysis{Specs: []cache.Spec{spec}})
		return err
	})
	pass("map", func() error {
		lines := map[uint64]uint64{}
		for _, addr := range m.RefsOf[0].Addr {
			lines[addr>>6]++
		}
		return nil
	})
}
