package direct

import (
	"context"
	"testing"

	"spoor/predict/internal/replay"
)

// References a second, beside those of a replay of the recording from memory.
func BenchmarkMemory(b *testing.B) {
	const procs = 4
	for _, name := range []string{"cholesky", "lu"} {
		k := kernelNamed(b, name)
		recording := recordingOf(b, small(b, k, procs).Program, procs)
		for _, target := range []string{"du2000-smp-256k", "spasm-mesh"} {
			m := targetOf(b, target)
			refs := 0
			count := func(r *replay.Result) {
				for i := range r.Procs {
					refs += int(r.Procs[i].Refs)
				}
			}
			report := func(b *testing.B) {
				b.ReportMetric(float64(refs)/b.Elapsed().Seconds(), "refs/s")
				refs = 0
			}
			b.Run(name+"/"+target+"/direct", func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					inst := small(b, k, procs)
					b.StartTimer()
					res, err := Simulate(context.Background(), inst.Program, m, Options{Options: scope(replay.References), Procs: procs})
					if err != nil {
						b.Fatal(err)
					}
					count(res.Result)
				}
				report(b)
			})
			b.Run(name+"/"+target+"/replay", func(b *testing.B) {
				for b.Loop() {
					count(replayedOn(b, recording, m))
				}
				report(b)
			})
		}
	}
}
