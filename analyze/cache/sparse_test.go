package cache

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"spoor/analyze/analysis"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// Levels whose sets are made when they are used count the same, whatever the policy, also of a number of sets that is no power of two.
func TestSparseIsNaive(t *testing.T) {
	for seed := range testsize.Cases[uint64](60, 4) {
		r := rand.New(rand.NewPCG(seed, 11))
		m := randomTrace(r, 1+r.IntN(4), 1500).InBatches(1 + r.IntN(300))
		a := &Analysis{Classify: true, Interleaved: true, Seed: seed, dense: 1 + r.Int64N(100)}
		for _, policy := range policies() {
			line := 16 << r.IntN(2)
			first := fmt.Sprintf("L1d=%dB/%d/%dB/private", 2*line<<r.IntN(8), 2, line)
			ways, sets := 1<<r.IntN(6), 1<<r.IntN(7)
			if policy.check == nil && r.IntN(2) == 0 {
				sets, ways = 1+r.IntN(70), 1+r.IntN(20)
			}
			text := fmt.Sprintf("LL=%dB/%d/%dB/%s", ways*sets*2*line, ways, 2*line, policy.Name)
			if policy.make != nil && r.IntN(3) == 0 {
				text += "/inclusive"
			}
			a.Specs = append(a.Specs, parse(t, first+","+text)...)
		}
		a.Specs = append(a.Specs, parse(t, "L1=1KiB/2/64B/fifo,L2=8KiB/4/64B/exclusive")...)
		compare(t, m, a)
	}
}

// Memory is bounded by the lines that are used, whatever caches the processors have.
func TestMemoryOfManyProcessors(t *testing.T) {
	if testing.Short() {
		t.Skip("long: a thousand processors")
	}
	const procs, each = 1000, 20
	a := &Analysis{Specs: parse(t, "L1d=32KiB/8/64B,LL=64MiB/16/64B", "LL=64MiB/64/64B", "LL=64MiB/16/64B/random", "LL=64MiB/16/64B/plru,dtlb=1024/full/4KiB",
		"L2=64MiB/full/64B,LL=64MiB/full/64B/random", "LL=64MiB/full/64B/fifo"), Classify: true, Interleaved: true}
	var refs trace.Refs
	for i := range uint64(each) {
		refs.Append(1, i*64, 8, trace.Load)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var shards []analysis.Shard
	for p := trace.Interleaved; p < procs; p++ {
		s := a.NewShard(trace.Header{Procs: procs}, p)
		piece := &analysis.Chunk{Refs: refs}
		if p == trace.Interleaved {
			piece.RefProcs = make([]trace.Proc, each)
		}
		if err := s.Add(piece); err != nil {
			t.Fatal(err)
		}
		for _, h := range s.(*shard).hierarchies {
			for _, f := range h.feeds {
				f.flush()
			}
		}
		shards = append(shards, s)
	}
	runtime.ReadMemStats(&after)
	perProcessor := (after.TotalAlloc - before.TotalAlloc) / procs
	if perProcessor > 1<<20 { // each of the LL at once would be 10 MiB or more
		t.Errorf("%d bytes for each processor that uses %d lines", perProcessor, each)
	}
	runtime.KeepAlive(shards)
}
