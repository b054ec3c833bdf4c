package spmd

import (
	"testing"

	"spoor/traces/trace"
)

type nullSink struct{}

func (nullSink) Refs(*trace.Refs) error     { return nil }
func (nullSink) Events(*trace.Events) error { return nil }

const benchLen = 1 << 12

// plainDaxpy is the inner loop of LU: two loads, one store.
func plainDaxpy(y, x []float64, alpha float64) {
	for i := range y {
		y[i] -= alpha * x[i]
	}
}

func BenchmarkDaxpyPlain(b *testing.B) {
	x, y := make([]float64, benchLen), make([]float64, benchLen)
	for b.Loop() {
		plainDaxpy(y, x, 0.5)
	}
	perRef(b)
}

func perRef(b *testing.B) {
	refs := 3 * benchLen * float64(b.N)
	b.ReportMetric(b.Elapsed().Seconds()*1e9/refs, "ns/ref")
	b.ReportMetric(refs/b.Elapsed().Seconds()/1e6, "Mrefs/s")
}
