package engine

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"
)

// BenchmarkWorkers takes elapsed time by turns, and reports the least: of a host that others use
// too it is the one that says something.
func BenchmarkWorkers(b *testing.B) {
	for _, c := range []struct {
		name string
		make func() *workload
	}{
		{"stencil-1024", func() *workload { return stencil(1024, 1e6) }},
		{"random-1024", func() *workload { return scattered(1024, 1e6) }},
		{"stencil-4096", func() *workload { return stencil(4096, 1e6) }},
	} {
		w := c.make()
		least := map[string]time.Duration{}
		var meetings, windows [2]uint64
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				for _, one := range []struct {
					name string
					opt  Options
				}{{"sequential", Options{}}, {"quantum-2", Options{Protocol: Quantum, Workers: 2}}, {"whoa-1", Options{Protocol: Whoa, Workers: 1}}, {"whoa-2", Options{Protocol: Whoa, Workers: 2}}} {
					one.opt.Model = benchModel()
					all := programs(w.ranks, 256)
					runtime.GC()
					from := time.Now()
					res, err := Run(context.Background(), all, one.opt)
					if err != nil {
						b.Fatal(err)
					}
					took := time.Since(from)
					if old, is := least[one.name]; !is || took < old {
						least[one.name] = took
					}
					if one.opt.Workers == 2 {
						i := 0
						if one.opt.Protocol == Whoa {
							i = 1
						}
						meetings[i], windows[i] = res.Engine.Meetings, res.Engine.Windows
					}
				}
			}
			seq := least["sequential"].Seconds()
			b.ReportMetric(float64(w.messages)/seq/1e6, "Mmsg/s")
			for _, name := range []string{"quantum-2", "whoa-1", "whoa-2"} {
				b.ReportMetric(seq/least[name].Seconds(), "speedup-"+name)
			}
			b.ReportMetric(0, "ns/op")
			b.Log(fmt.Sprint(meetings, windows))
		})
	}
}
