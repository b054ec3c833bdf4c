package replay

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"spoor/predict/internal/memsys"
	"spoor/traces/trace"
)

// benchmarkTrace is n references a processor in the manner of a blocked kernel:
// runs through a private array that fits the cache, with a few percent of the
// references into a large private one and into one that all share.
func benchmarkTrace(procs, n int) *trace.Memory {
	var bs []*builder
	for p := range procs {
		b := &builder{}
		r := rand.New(rand.NewPCG(uint64(p), 2))
		for i := range n {
			op := trace.Load
			if i%3 == 0 {
				op = trace.Store
			}
			addr := uint64(p+1)<<32 + uint64(i*8%(64<<10))
			switch r.IntN(200) {
			case 0:
				addr = uint64(p+1)<<32 + 1<<24 + r.Uint64N(8<<20)&^7
			case 1:
				addr = r.Uint64N(1<<20) &^ 7
			}
			b.ref(1+uint32(r.IntN(4)), addr, 8, op)
		}
		bs = append(bs, b)
	}
	return source(bs...)
}

// sharingTrace is n references a processor to lines that all processors store to:
// the worst case, in which hits cannot be told in advance.
func sharingTrace(procs, n int) *trace.Memory {
	var bs []*builder
	for p := range procs {
		b := &builder{}
		r := rand.New(rand.NewPCG(uint64(p), 3))
		for range n {
			b.ref(1+uint32(r.IntN(4)), r.Uint64N(64<<10)&^7, 8, []trace.Op{trace.Load, trace.Load, trace.Store}[r.IntN(3)])
		}
		bs = append(bs, b)
	}
	return source(bs...)
}

func paperConfig(procs int) memsys.Config {
	return memsys.Config{Processors: procs, Caches: []memsys.Cache{{Size: 256 << 10, Line: 64, Ways: 2}},
		Memory: memsys.Memory{Latency: 250e3, Occupancy: 250e3, Invalidate: 15e3}}
}

func BenchmarkReplay(b *testing.B) {
	for _, procs := range []int{1, 2, 4, 16} {
		benchmarkReplay(b, fmt.Sprint("blocked/", procs), benchmarkTrace, procs)
	}
	for _, procs := range []int{2, 4, 16} {
		benchmarkReplay(b, fmt.Sprint("sharing/", procs), sharingTrace, procs)
	}
}

func benchmarkReplay(b *testing.B, name string, program func(procs, n int) *trace.Memory, procs int) {
	b.Run(name, func(b *testing.B) {
		const total = 1 << 21
		m := program(procs, total/procs).InBatches(256 << 10)
		clock, err := NewClock(200e6, 1, 1)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			sys, err := memsys.SMP{}.New(paperConfig(procs))
			if err != nil {
				b.Fatal(err)
			}
			if _, err := Run(context.Background(), m, sys, clock, Options{}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(total*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrefs/s")
	})
}
