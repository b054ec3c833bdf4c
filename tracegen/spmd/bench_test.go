package spmd

import (
	"context"
	"testing"

	"spoor/traces/trace"
)

type nullSink struct{}

func (nullSink) Refs(*trace.Refs) error     { return nil }
func (nullSink) Events(*trace.Events) error { return nil }

const benchLen = 1 << 12

// daxpy is the inner loop of LU: two loads, one store.
func daxpy(r *Rank, y, x Array[float64], alpha float64) {
	for i := range y.Len() {
		r.Work(LoopControl + 2)
		y.Set(i, y.At(i)-alpha*x.At(i))
	}
}

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

func BenchmarkDaxpyNative(b *testing.B) {
	benchDaxpy(b, func(p Program) error { return Native(context.Background(), 1, p) })
}

func BenchmarkDaxpyRecorded(b *testing.B) {
	benchDaxpy(b, func(p Program) error {
		_, err := Record(context.Background(), Options{Procs: 1}, p, nullSink{})
		return err
	})
}

func benchDaxpy(b *testing.B, run func(Program) error) {
	x, y := make([]float64, benchLen), make([]float64, benchLen)
	err := run(func(r *Rank) error {
		x, y := SharedArray(r, "x", x), SharedArray(r, "y", y)
		for b.Loop() {
			daxpy(r, y, x, 0.5)
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	perRef(b)
}

func perRef(b *testing.B) {
	refs := 3 * benchLen * float64(b.N)
	b.ReportMetric(b.Elapsed().Seconds()*1e9/refs, "ns/ref")
	b.ReportMetric(refs/b.Elapsed().Seconds()/1e6, "Mrefs/s")
}
