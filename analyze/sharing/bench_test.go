package sharing

import (
	"math/rand/v2"
	"testing"

	"spoor/analyze/analysis"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// workload is processors that run through data of their own and now and then use what others do.
func workload(procs, each int) *trace.Memory {
	r := rand.New(rand.NewPCG(1, 1))
	m := &trace.Memory{Head: trace.Header{Procs: procs}, RefsOf: make([]trace.Refs, procs)}
	for p := range m.RefsOf {
		m.RefsOf[p].Proc = trace.Proc(p)
		at := uint64(p+1) << 24
		for i := range each {
			op := trace.Load
			if i%4 == 0 {
				op = trace.Store
			}
			addr := at + uint64(i)*8%(1<<20)
			switch r.IntN(20) {
			case 0:
				addr = 1<<36 + r.Uint64N(1<<18)&^7 // shared
			case 1, 2:
				addr = at + r.Uint64N(1<<22)&^7
			}
			m.RefsOf[p].Append(uint32(1+r.IntN(4)), addr, 8, op)
		}
	}
	return m
}

// The analysis alone beside merging the processors alone, and beside a hash table of the lines.
func BenchmarkSharing(b *testing.B) {
	const procs, each = 8, 500_000
	m := workload(procs, each)
	var pieces []analysis.Piece // the interleaved order, kept
	for p, err := range analysis.Interleave(m) {
		if err != nil {
			b.Fatal(err)
		}
		q := analysis.Piece{Proc: p.Proc, Of: append([]trace.Proc(nil), p.Of...)}
		for i, addr := range p.Refs.Addr {
			q.Refs.Append(p.Refs.Instr[i], addr, p.Refs.Size[i], p.Refs.Op[i])
		}
		pieces = append(pieces, q)
	}
	run := func(name string, pass func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				pass()
			}
			b.ReportMetric(float64(b.N)*procs*each/b.Elapsed().Seconds()/1e6, "Mrefs/s")
		})
	}
	run("interleave", func() {
		for range analysis.Interleave(m) {
		}
	})
	run("map", func() {
		lines := map[uint64]uint64{}
		for i := range pieces {
			for _, addr := range pieces[i].Refs.Addr {
				lines[addr>>6]++
			}
		}
	})
	for name, lines := range map[string][]unit.Bytes{"64B": {64}, "64B,256B": {64, 256}, "4KiB": {4096}} {
		run(name, func() {
			s := (&Analysis{Lines: lines}).NewShard(m.Head, trace.Interleaved)
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
}
