package spmd

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"spoor/traces/trace"
)

// manyRanks is the greatest number of ranks, or fewer under -short.
func manyRanks() int {
	if testing.Short() {
		return MaxProcs / 8
	}
	return MaxProcs
}

// aroundRing passes a number around twice.
func aroundRing(r *Rank) error {
	n, me := r.Procs(), r.ID()
	x := []int{0}
	for round := range 2 {
		if me > 0 || round > 0 {
			Recv(r, (me+n-1)%n, 0, x)
		}
		x[0]++
		Send(r, (me+1)%n, 0, x)
	}
	if me == 0 {
		if Recv(r, n-1, 0, x); x[0] != 2*n {
			return fmt.Errorf("%d after two rounds of %d", x[0], n)
		}
	}
	return nil
}

// allToOne has rank 0 receive from all others: as they come, and by their numbers
// from the last.
func allToOne(r *Rank) error {
	x := []int{r.ID()}
	if r.ID() > 0 {
		Send(r, 0, 0, x)
		Send(r, 0, 1, x)
		return nil
	}
	seen := make([]bool, r.Procs())
	for range r.Procs() - 1 {
		s := Recv(r, Any, 0, x)
		if seen[s.Source] || x[0] != s.Source {
			return fmt.Errorf("rank %d twice, or %d from it", s.Source, x[0])
		}
		seen[s.Source] = true
	}
	for from := r.Procs() - 1; from > 0; from-- {
		if Recv(r, from, 1, x); x[0] != from {
			return fmt.Errorf("%d from rank %d", x[0], from)
		}
	}
	return nil
}

func TestManyRanks(t *testing.T) {
	procs := manyRanks()
	both(t, procs, aroundRing)
	both(t, procs, allToOne)
	k := checkWhole(t, procs, aroundRing)
	for p := range procs {
		want := []trace.Kind{trace.Recv, trace.Send, trace.Recv, trace.Send, trace.Compute}
		if p == 0 {
			want = []trace.Kind{trace.Send, trace.Recv, trace.Send, trace.Recv, trace.Compute}
		}
		for i, e := range k.EventsOf[p].Rows {
			if e.Kind != want[i] {
				t.Fatalf("rank %d, event %d: %s, want %s", p, i, e.Kind, want[i])
			}
		}
	}
	checkWhole(t, procs, allToOne)
}

func BenchmarkManyRanks(b *testing.B) {
	for _, p := range []struct {
		name    string
		program Program
	}{{"ring", aroundRing}, {"allToOne", allToOne}} {
		for _, backend := range backends {
			b.Run(p.name+"/"+backend.name, func(b *testing.B) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for b.Loop() {
					if err := backend.run(context.Background(), MaxProcs, p.program); err != nil {
						b.Fatal(err)
					}
				}
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/MaxProcs, "B/rank")
			})
		}
	}
}
