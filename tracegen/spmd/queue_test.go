package spmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"spoor/traces/trace"
)

// TestEveryTaskIsTakenOnce: task n puts tasks 2n and 2n+1 up to a limit; every number
// is taken by exactly one rank, in every round, whoever does the work.
func TestEveryTaskIsTakenOnce(t *testing.T) {
	const limit, rounds = 500, 3
	for _, b := range backends {
		for _, procs := range []int{1, 2, 3, 4, 7, 16, 33} {
			taken := make([]atomic.Int32, limit)
			err := b.run(context.Background(), procs, func(r *Rank) error {
				q := NewQueue(r, "tree", limit, 1)
				for round := range rounds {
					if round > 0 && r.ID() == round%procs {
						q.Put(r, 1)
					}
					r.Barrier() // all find the new task
					for n, ok := q.Take(r); ok; n, ok = q.Take(r) {
						work(r, uint32(n))
						taken[n].Add(1)
						for _, next := range []int{2 * n, 2*n + 1} {
							if next < limit {
								q.Put(r, next)
							}
						}
					}
					r.Barrier() // all have got their false
				}
				return nil
			})
			if err != nil {
				t.Fatalf("%s, %d ranks: %v", b.name, procs, err)
			}
			for n := 1; n < limit; n++ {
				if got := taken[n].Load(); got != rounds {
					t.Fatalf("%s, %d ranks: task %d was taken %d times in %d rounds", b.name, procs, n, got, rounds)
				}
			}
		}
	}
}

// TestTasksAreTakenInTheOrderOfPuts: one rank puts, the others take; while recording
// one rank runs at a time, so that a log shows the order.
func TestTasksAreTakenInTheOrderOfPuts(t *testing.T) {
	const n = 300
	for _, procs := range []int{2, 3, 8} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			var log []int
			recorded(t, procs, func(r *Rank) error {
				q := NewQueue(r, "q", n, -2, -1)
				if r.ID() == 0 {
					for i := range n {
						work(r, uint32(i*37%101))
						q.Put(r, i)
					}
				}
				for task, ok := q.Take(r); ok; task, ok = q.Take(r) {
					log = append(log, task)
					work(r, 40)
				}
				return nil
			})
			if len(log) != n+2 || !slices.IsSorted(log) {
				t.Errorf("%d ranks took %d tasks: %v", procs, len(log), log)
			}
		})
	}
}

// TestTasksGoToWhoeverIsFree: with the work of tasks counted, clocks decide: the rank
// that has the long task gets no other before the rest are done.
func TestTasksGoToWhoeverIsFree(t *testing.T) {
	taken := make([][]uint32, 2)
	recorded(t, 2, func(r *Rank) error {
		q := NewQueue[uint32](r, "work", 5, 1000, 100, 100, 100, 100)
		for task, ok := q.Take(r); ok; task, ok = q.Take(r) {
			work(r, task)
			taken[r.ID()] = append(taken[r.ID()], task)
		}
		return nil
	})
	if want := [][]uint32{{1000}, {100, 100, 100, 100}}; !slices.EqualFunc(taken, want, slices.Equal) {
		t.Errorf("taken %v, want %v", taken, want)
	}
}

// TestQueuesAreRecordedAsWhatTheyAre: locks, signals and waits of reserved numbers,
// and references to named memory; the same in every recording.
func TestQueuesAreRecordedAsWhatTheyAre(t *testing.T) {
	program := func(r *Rank) error {
		a, b := NewQueue[int](r, "a", 4), NewQueue(r, "b", 64, 1, 2, 3)
		for task, ok := b.Take(r); ok; task, ok = b.Take(r) {
			if task < 20 {
				b.Put(r, task+3)
			}
		}
		if r.ID() == 0 {
			a.Put(r, 1)
		}
		for _, ok := a.Take(r); ok; _, ok = a.Take(r) {
		}
		return nil
	}
	const procs = 5
	k, rec := recorded(t, procs, program)
	checkTrace(t, k)
	counts := map[trace.Kind]int{}
	for p := range procs {
		for _, e := range k.EventsOf[p].Rows {
			counts[e.Kind]++
			if e.Kind != trace.Compute && e.Peer != QueueObjects && e.Peer != QueueObjects+1 {
				t.Errorf("%s of object %d", e.Kind, e.Peer)
			}
		}
		for i, addr := range k.RefsOf[p].Addr {
			if !slices.ContainsFunc(rec.Regions, func(g Region) bool { return g.Base <= addr && addr < g.Base+g.Bytes }) {
				t.Fatalf("rank %d: reference %d at %#x is in no array", p, i, addr)
			}
		}
	}
	if counts[trace.Lock] != counts[trace.Unlock] || counts[trace.Signal] != counts[trace.WaitFlag] || counts[trace.WaitFlag] < 2*(procs-1) {
		t.Errorf("events %v", counts)
	}
	again, _ := recorded(t, procs, program)
	for p := range procs {
		if !slices.EqualFunc(k.EventsOf[p].Rows, again.EventsOf[p].Rows, func(a, b trace.Event) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) ||
			!slices.Equal(k.RefsOf[p].Addr, again.RefsOf[p].Addr) || !slices.Equal(k.RefsOf[p].Instr, again.RefsOf[p].Instr) {
			t.Errorf("rank %d is recorded differently", p)
		}
	}
}

func TestWrongUseOfQueuesSaysWhatIsWrong(t *testing.T) {
	cases := []struct {
		want    string
		program func(r *Rank)
	}{
		{`queue "q" has room for 1 tasks, but has 2 initial tasks`, func(r *Rank) { NewQueue(r, "q", 1, 1, 2) }},
		{`queue "q" was made before with other tasks or another capacity`, func(r *Rank) { NewQueue[int](r, "q", 1+r.ID()) }},
		{`queue "q" was made before with other tasks or another capacity`, func(r *Rank) {
			NewQueue[int](r, "q", 1)
			NewQueue[uint](r, "q", 1)
		}},
		{"it has room for 2 tasks", func(r *Rank) {
			q := NewQueue[int](r, "q", 2)
			for range 3 {
				q.Put(r, 0)
			}
		}},
		{"deadlock", func(r *Rank) { // rank 0 leaves while the others wait
			q := NewQueue[int](r, "q", 2)
			if r.ID() != 0 {
				q.Take(r)
			}
		}},
	}
	for _, b := range backends {
		for _, c := range cases {
			err := b.run(context.Background(), 3, func(r *Rank) error {
				c.program(r)
				return nil
			})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", b.name, err, c.want)
			}
		}
	}
}
