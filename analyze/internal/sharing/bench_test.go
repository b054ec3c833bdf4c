package sharing

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"spoor/analyze/analysis"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// workload is processors that run again and again through data of their own, of own bytes, and now and then use what others do.
func workload(procs, each int, own uint64) *trace.Memory {
	r := rand.New(rand.NewPCG(1, 1))
	m := &trace.Memory{Head: trace.Header{Procs: procs}, RefsOf: make([]trace.Refs, procs)}
	for p := range m.RefsOf {
		m.RefsOf[p].Proc = trace.Proc(p)
		at := uint64(p+1) << 32
		for i := range each {
			op := trace.Load
			if i%4 == 0 {
				op = trace.Store
			}
			addr := at + uint64(i)*8%own
			switch r.IntN(20) {
			case 0:
				addr = r.Uint64N(1<<18) &^ 7 // shared
			case 1, 2:
				addr = at + r.Uint64N(own)&^7
			}
			m.RefsOf[p].Append(uint32(1+r.IntN(4)), addr, 8, op)
		}
	}
	return m
}

// keep is the interleaved order of a trace.
func keep(b *testing.B, m *trace.Memory) (pieces []analysis.Chunk) {
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
	return pieces
}

// The analysis alone, beside merging the processors alone and a hash table of the lines.
// In the second workload one use in six is the processor's first of its line.
func BenchmarkSharing(b *testing.B) {
	const procs, each = 8, 500_000
	for _, w := range []struct {
		name string
		own  uint64
	}{{"warm", 1 << 18}, {"cold", 1 << 23}} {
		m := workload(procs, each, w.own)
		pieces := keep(b, m)
		run := func(name string, pass func()) {
			b.Run(w.name+"/"+name, func(b *testing.B) {
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
		for _, lines := range [][]unit.Bytes{{64}, {64, 256}, {4096}} {
			run(fmt.Sprint(lines), func() { pass(b, m, pieces, lines) })
		}
	}
}

func pass(b *testing.B, m *trace.Memory, pieces []analysis.Chunk, lines []unit.Bytes) {
	analysis.NumberLines(pieces, m.Head.Procs)
	s := (&Analysis{Lines: lines}).NewShard(m.Head, trace.Interleaved)
	for i := range pieces {
		if err := s.Add(&pieces[i]); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.End(); err != nil {
		b.Fatal(err)
	}
}
