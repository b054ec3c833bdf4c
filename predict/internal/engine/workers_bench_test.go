package engine

import (
	"context"
	"runtime"
	"testing"
	"time"

	"spoor/predict/internal/engine/outcome"
)

// way is a way to run a workload.
type way struct {
	name string
	run  func()
}

// byTurns runs all ways, one after the other, again and again. It is the least time of each: of a host
// that others use too, it is the one that says something.
func byTurns(b *testing.B, now func() time.Duration, ways []way) map[string]float64 {
	least := map[string]float64{}
	for b.Loop() {
		for _, w := range ways {
			runtime.GC()
			from := now()
			w.run()
			if took := (now() - from).Seconds(); least[w.name] == 0 || took < least[w.name] {
				least[w.name] = took
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	return least
}

// simulate runs a workload.
func (w *workload) simulate(b *testing.B, opt Options) *outcome.Result {
	res, err := Run(context.Background(), w.programs(), opt)
	if err != nil {
		b.Fatal(err)
	}
	if res.Messages != uint64(w.messages) {
		b.Fatalf("%d messages, want %d", res.Messages, w.messages)
	}
	return res
}

// BenchmarkWorkers is the elapsed time of workers on two processors, which must be free: it says nothing about
// how many there were. -benchtime 20x is enough to find them free now and then.
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
		w.programs()
		b.Run(c.name, func(b *testing.B) {
			start := time.Now()
			var stats [2]outcome.Stats
			with := func(p outcome.Protocol, workers, ahead int) func() {
				return func() {
					e := w.simulate(b, Options{Model: benchModel(), Protocol: p, Workers: workers, Ahead: ahead}).Engine
					if workers == 2 && p == outcome.Quantum {
						stats[0] = e
					} else if workers == 2 && ahead == 0 {
						stats[1] = e
					}
				}
			}
			least := byTurns(b, func() time.Duration { return time.Since(start) }, []way{
				{"sequential", with(outcome.Sequential, 1, 0)}, {"quantum", with(outcome.Quantum, 2, 0)}, {"whoa", with(outcome.Whoa, 2, 0)}, {"whoa-1", with(outcome.Whoa, 1, 0)},
				{"ahead", with(outcome.Whoa, 2, DefaultAhead)}})
			b.ReportMetric(float64(w.messages)/least["sequential"]/1e6, "sequential-Mmsg/s")
			b.ReportMetric(least["sequential"]/least["quantum"], "quantum-2-speedup")
			b.ReportMetric(least["sequential"]/least["whoa"], "whoa-2-speedup")
			b.ReportMetric(least["sequential"]/least["ahead"], "whoa-2-always-ahead-speedup")
			b.ReportMetric(least["whoa-1"]/least["whoa"], "whoa-2-over-1")
			b.ReportMetric(float64(stats[0].Barriers), "quantum-meetings")
			b.ReportMetric(float64(stats[1].Barriers), "whoa-meetings")
			b.ReportMetric(float64(stats[1].Windows), "whoa-windows")
		})
	}
}

// BenchmarkBeside is what processors do in a second, beside the references.
func BenchmarkBeside(b *testing.B) {
	for _, c := range patterns {
		w := c.make()
		w.programs()
		b.Run(c.name, func(b *testing.B) {
			with := refCost{L: 2000, o: 500, g: 500, G: 1}
			byChannel, paired := w.reference(), w.reference()
			channels, pairs := refChannels(byChannel), refPair(paired)
			sim := benchModel()
			sim.LogGOPSim = true
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			w.simulate(b, Options{Model: benchModel()})
			runtime.ReadMemStats(&after)
			least := byTurns(b, processorTime, []way{
				{"loggp", func() { w.simulate(b, Options{Model: benchModel()}) }},
				{"loggopsim", func() { w.simulate(b, Options{Model: sim}) }},
				{"exact", func() { refExact(byChannel, channels, with) }},
				{"windows", func() { refWindows(byChannel, channels, with) }},
				{"matched", func() { refMatched(paired, pairs, with) }},
			})
			for name, took := range least {
				b.ReportMetric(float64(w.messages)/took/1e6, name+"-Mmsg/cpu-s")
			}
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(w.messages), "B/msg")
		})
	}
}
