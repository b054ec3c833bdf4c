package kernel

import (
	"context"
	"testing"

	"spoor/tracegen/kernel/internal/kerneltest"
	"spoor/tracegen/spmd"
	"spoor/traces/trace"
)

type null struct{ refs int }

func (n *null) Refs(b *trace.Refs) error { n.refs += b.Len(); return nil }
func (*null) Events(*trace.Events) error { return nil }

// BenchmarkRecord runs every kernel on one processor at its default size, recorded to nothing.
func BenchmarkRecord(b *testing.B) {
	for _, k := range All {
		b.Run(k.Name, func(b *testing.B) {
			sink := &null{}
			for range b.N {
				b.StopTimer()
				inst := kerneltest.Instance(b, k, nil, 1)
				b.StartTimer()
				if _, err := spmd.Record(context.Background(), spmd.Options{Procs: 1}, inst.Program, sink); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(sink.refs)/b.Elapsed().Seconds()/1e6, "Mrefs/s")
		})
	}
}

// BenchmarkNative runs every kernel on one processor at its default size.
func BenchmarkNative(b *testing.B) {
	for _, k := range All {
		b.Run(k.Name, func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				inst := kerneltest.Instance(b, k, nil, 1)
				b.StartTimer()
				if err := spmd.Native(context.Background(), 1, inst.Program); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
