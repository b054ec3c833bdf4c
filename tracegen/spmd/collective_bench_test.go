package spmd

import (
	"context"
	"fmt"
	"testing"

	"spoor/traces/trace"
)

// BenchmarkCollectives runs each algorithm natively, on 8 ranks, with 8 bytes and with 64
// KiB of data (of a block, where there are blocks).
func BenchmarkCollectives(b *testing.B) {
	const procs = 8
	plus := func(x, y float64) float64 { return x + y }
	for _, a := range Algorithms {
		for _, n := range []int{1, 8 << 10} {
			if a.Collective == trace.Barrier && n > 1 {
				continue
			}
			b.Run(fmt.Sprintf("%s/%s/%dB", a.Collective, a.Name, 8*n), func(b *testing.B) {
				err := Native(context.Background(), procs, func(r *Rank) error {
					c := r.World().With(a.Name)
					one, all, other := make([]float64, n), make([]float64, n*procs), make([]float64, n*procs)
					for range b.N {
						switch a.Collective {
						case trace.Barrier:
							Sync(c)
						case trace.Bcast:
							Bcast(c, 0, one)
						case trace.Reduce:
							Reduce(c, 0, one, plus)
						case trace.AllReduce:
							AllReduce(c, one, plus)
						case trace.Scan:
							Scan(c, one, plus)
						case trace.Gather:
							Gather(c, 0, one, all)
						case trace.AllGather:
							AllGather(c, one, all)
						case trace.Scatter:
							Scatter(c, 0, all, one)
						case trace.AllToAll:
							AllToAll(c, all, other)
						}
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// BenchmarkQueue is a put and a take, by 4 ranks.
func BenchmarkQueue(b *testing.B) {
	err := Native(context.Background(), 4, func(r *Rank) error {
		q := NewQueue[int](r, "q", 4)
		for range b.N / 4 {
			q.Put(r, 1)
			q.Take(r)
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
