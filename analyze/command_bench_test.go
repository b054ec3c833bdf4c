package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"

	"spoor/traces/stage"
	"spoor/traces/trace"
)

// BenchmarkCommand runs the whole command, from the file to the tables, on one core and on two.
func BenchmarkCommand(b *testing.B) {
	const n = 20_000_000
	r := rand.New(rand.NewPCG(1, 1))
	for _, s := range []struct {
		name string
		next func() uint64
	}{{"uniform", func() uint64 { return r.Uint64N(1 << 20) }}, {"zipf4M", func() uint64 { return zipf(r, 1<<22) }}} {
		m := &trace.Memory{Head: trace.Header{Program: s.name, Format: "test", Procs: 1, WorkUnit: trace.WorkInstr, Tool: "test"}, RefsOf: make([]trace.Refs, 1)}
		for range n {
			m.RefsOf[0].Append(1, s.next()*64, 8, trace.Load)
		}
		prefix := written(b, m)

		for _, run := range []string{"reuse", "reuse,locality"} {
			for _, cores := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/%s/cores=%d", s.name, run, cores), func(b *testing.B) {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
					for b.Loop() {
						if status, _, errs := analyze("--quiet", "--run", run, "-o", filepath.Join(b.TempDir(), "d"), prefix); status != stage.Done {
							b.Fatal(errs)
						}
					}
					b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds()/1e6, "Mrefs/s")
				})
			}
		}
	}
}
