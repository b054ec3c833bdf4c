// Heaps runs events of a simulation in the order of their times.
package main

import (
	"container/heap"
	"container/list"
	"math/rand/v2"
	"os"

	"spoor/tracegen/spmd"
)

type event struct {
	at float64
	id int
}

type queue []event

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].at < q[j].at }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(event)) }
func (q *queue) Pop() any {
	n := len(*q) - 1
	x := (*q)[n]
	*q = (*q)[:n]
	return x
}

func main() {
	spmd.Main(func(r *spmd.Rank) error {
		if len(os.Args) > 1 {
			return nil // a run to compare with
		}
		g := rand.New(rand.NewPCG(1, 2))
		q := queue(spmd.Private(r, "queue", make([]event, 0, 4096)))
		for id := range 2000 {
			heap.Push(&q, event{g.ExpFloat64(), id})
		}
		done := list.New()
		for range 20000 {
			e := heap.Pop(&q).(event)
			done.PushBack(e.id)
			if done.Len() > 100 {
				done.Remove(done.Front())
			}
			heap.Push(&q, event{e.at + g.ExpFloat64(), e.id})
		}
		return nil
	})
}
