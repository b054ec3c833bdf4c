package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"spoor/tracegen/kernel"
	"spoor/tracegen/spmd"
	"spoor/tracegen/tape"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// way is how a benchmark runs a kernel.
type way struct {
	name string
	form []kernel.Kernel
	run  func(b *testing.B, inst kernel.Instance) cost
}

// cost is what a run took, and what it wrote.
type cost struct {
	time        time.Duration
	refs, bytes uint64
}

// ways: natively; counting instructions; writing references to a tape that
// nobody reads; recording to memory that nobody keeps; recording to files.
var ways = []way{
	{"native", kernel.All, natively},
	{"count", kernel.Counted, natively},
	{"tape", kernel.Recorded, taped},
	{"record", kernel.Recorded, func(b *testing.B, inst kernel.Instance) cost { return recording(b, inst, &tally{}) }},
	{"disk", kernel.Recorded, toDisk},
}

func natively(b *testing.B, inst kernel.Instance) cost {
	start := time.Now()
	if err := spmd.Native(context.Background(), 1, inst.Program); err != nil {
		b.Fatal(err)
	}
	return cost{time: time.Since(start)}
}

func taped(b *testing.B, inst kernel.Instance) cost {
	tape.Switch(tape.NewTape(1<<14, nil, nil))
	defer tape.Switch(nil)
	return natively(b, inst)
}

// tally is a sink that counts.
type tally struct{ refs uint64 }

func (t *tally) Refs(b *trace.Refs) error   { t.refs += uint64(b.Len()); return nil }
func (*tally) Events(b *trace.Events) error { return nil }

func recording(b *testing.B, inst kernel.Instance, sink spmd.Sink) (c cost) {
	start := time.Now()
	rec, err := spmd.Record(context.Background(), spmd.Options{Procs: 1}, inst.Program, sink)
	if err != nil {
		b.Fatal(err)
	}
	return cost{time: time.Since(start), refs: rec.Totals[0].Refs}
}

func toDisk(b *testing.B, inst kernel.Instance) cost {
	prefix := filepath.Join(b.TempDir(), "x")
	w, err := store.Create(prefix, trace.Header{Procs: 1, WorkUnit: trace.WorkInstr})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Abort()
	start := time.Now()
	c := recording(b, inst, w)
	if err := w.Close(trace.Header{Procs: 1, WorkUnit: trace.WorkInstr}); err != nil {
		b.Fatal(err)
	}
	c.time = time.Since(start)
	info, err := os.Stat(prefix + store.RefsSuffix)
	if err != nil {
		b.Fatal(err)
	}
	c.bytes = uint64(info.Size())
	return c
}

// BenchmarkKernel runs every kernel on one processor at its default size in all
// ways, and reports what each costs beside the native run. The times are the
// shortest of b.N rounds, in which the ways take turns.
func BenchmarkKernel(b *testing.B) {
	var logs [numWays]float64
	kernels := 0
	for _, k := range kernel.All {
		b.Run(k.Name, func(b *testing.B) {
			best := rounds(b, k)
			report(b, best)
			for i := range best {
				logs[i] += math.Log(float64(best[i].time) / float64(best[0].time))
			}
			kernels++
		})
	}
	if kernels > 0 {
		b.Log(mean(logs[:], kernels))
	}
}

// numWays is len(ways), as a constant.
const numWays = 5

func rounds(b *testing.B, k kernel.Kernel) (best [numWays]cost) {
	values, err := k.Values(nil)
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		for i, w := range ways {
			form, err := kernel.Find(w.form, k.Name)
			if err != nil {
				b.Fatal(err)
			}
			inst, err := form.New(values, 1, 1)
			if err != nil {
				b.Fatal(err)
			}
			if c := w.run(b, inst); best[i].time == 0 || c.time < best[i].time {
				best[i] = c
			}
		}
	}
	return best
}

func report(b *testing.B, best [numWays]cost) {
	native, refs := best[0].time, float64(best[3].refs)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(native.Seconds()*1e3, "native-ms")
	for i, w := range ways[1:] {
		b.ReportMetric(float64(best[i+1].time)/float64(native), w.name+"-x")
	}
	b.ReportMetric(refs, "refs")
	b.ReportMetric(refs/best[4].time.Seconds()/1e6, "disk-Mrefs/s")
	b.ReportMetric(float64(best[4].bytes)/refs, "B/ref")
	for i, name := range []string{"tape", "record", "disk"} {
		b.ReportMetric(float64(best[i+2].time-native)/refs, name+"-ns/ref")
	}
}

func mean(logs []float64, n int) string {
	text := "geometric means over native:"
	for i, w := range ways[1:] {
		text += fmt.Sprintf(" %s %.2fx", w.name, math.Exp(logs[i+1]/float64(n)))
	}
	return text
}
