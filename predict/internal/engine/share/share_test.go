package share

import (
	"sync"
	"sync/atomic"
	"testing"
)

// TestDo: each task is done once, in all rounds of all workers, while others help.
func TestDo(t *testing.T) {
	const workers, rounds, tasks = 4, 300, 7
	roused := atomic.Int64{}
	p := New(workers, func() { roused.Add(1) })
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for round := range rounds {
				done := [tasks]atomic.Int64{}
				p.Do(w, round%(tasks+1), func(_, task int) { done[task].Add(1) })
				for task := range tasks {
					want := int64(0)
					if task < round%(tasks+1) {
						want = 1
					}
					if got := done[task].Load(); got != want {
						t.Errorf("worker %d, round %d: task %d was done %d times, want %d", w, round, task, got, want)
					}
				}
				p.Help(w)
			}
		})
	}
	all.Wait()
	if roused.Load() == 0 {
		t.Error("nobody was roused")
	}
}

// TestHelp: a worker without tasks does those of another.
func TestHelp(t *testing.T) {
	p := New(2, func() {})
	by := make(chan int, 2)
	var helper sync.WaitGroup
	helper.Go(func() {
		for !p.Help(1) {
		}
	})
	p.Do(0, 2, func(worker, _ int) {
		by <- worker
		if worker == 0 {
			helper.Wait() // the other task is for the helper
		}
	})
	if a, b := <-by, <-by; a == b {
		t.Errorf("worker %d did both tasks", a)
	}
	if p.Help(1) {
		t.Error("there is a third task")
	}
}
