package coherent

import (
	"math/rand/v2"
	"testing"

	"spoor/analyze/analysis"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// workload is processors that go through blocks of their own again and again, in words, and in phases through a
// part of what others stored in the phase before, as in a transpose; a few references go anywhere in the whole.
func workload(procs, phases, each int) *trace.Memory {
	r := rand.New(rand.NewPCG(1, 1))
	m := &trace.Memory{Head: trace.Header{Procs: procs}, RefsOf: make([]trace.Refs, procs)}
	const part = 1 << 18 // bytes of each processor
	for p := range m.RefsOf {
		refs := &m.RefsOf[p]
		refs.Proc = trace.Proc(p)
		for phase := range phases {
			from := uint64((p+phase)%procs) * part
			for i := range uint64(each) {
				switch {
				case r.IntN(50) == 0:
					refs.Append(2, r.Uint64N(uint64(procs)*part)&^7, 8, trace.Load)
				case i%8 == 0:
					refs.Append(2, from+i*8%part, 8, trace.Load)
				case i%8 == 1:
					refs.Append(2, uint64(p)*part+i*64%part, 8, trace.Store)
				default:
					refs.Append(2, 1<<40+uint64(p)<<20+i*8%(1<<14), 8, trace.Load)
				}
			}
		}
	}
	return m
}

// The analysis alone, beside merging the processors alone and a hash table of the uses of each processor.
func BenchmarkCoherent(b *testing.B) {
	const procs, phases, each = 16, 8, 30_000
	m := workload(procs, phases, each)
	var pieces []analysis.Chunk
	for p, err := range analysis.Interleave(m) {
		if err != nil {
			b.Fatal(err)
		}
		q := analysis.Chunk{Proc: p.Proc, RefProcs: append([]trace.Proc(nil), p.RefProcs...)}
		for i, addr := range p.Refs.Addr {
			q.Refs.Append(p.Refs.Instr[i], addr, p.Refs.Size[i], p.Refs.Op[i])
		}
		pieces = append(pieces, q)
	}
	pass := func(name string, pass func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				pass()
			}
			b.ReportMetric(float64(b.N)*procs*phases*each/b.Elapsed().Seconds()/1e6, "Mrefs/s")
		})
	}
	pass("interleave", func() {
		for range analysis.Interleave(m) {
		}
	})
	pass("map", func() {
		lines := make([]map[uint64]uint64, procs)
		for p := range lines {
			lines[p] = map[uint64]uint64{}
		}
		for i := range pieces {
			for j, addr := range pieces[i].Refs.Addr {
				lines[pieces[i].RefProcs[j]][addr>>6]++
			}
		}
	})
	pass("coherent", func() {
		analysis.NumberLines(pieces, m.Head.Procs)
		s := (&Analysis{Lines: []unit.Bytes{64}}).NewShard(m.Head, trace.Interleaved)
		for i := range pieces {
			if err := s.Add(&pieces[i]); err != nil {
				b.Fatal(err)
			}
		}
		if err := s.End(); err != nil {
			b.Fatal(err)
		}
	})
}
