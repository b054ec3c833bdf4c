package timeline

import (
	"container/heap"
	"fmt"
	"slices"

	"spoor/traces/trace"
)

// eventGraph holds the events of a processor with their needs.
type eventGraph struct {
	rows  []trace.Event
	needs []int32   // number of needs that are not done
	after [][]int32 // events that need each event
	from  []int64   // when all needs were done
	ready readyQueue
	left  int
}

// load reads all events of a processor.
func (s *nominalProc) load() error {
	g := &eventGraph{}
	for {
		e, err := s.cursor.Next()
		if err != nil {
			return err
		}
		if e == nil {
			break
		}
		own := *e
		own.Needs = slices.Clone(e.Needs)
		if e.Needs != nil && own.Needs == nil {
			own.Needs = []int64{}
		}
		g.rows = append(g.rows, own)
	}
	g.left = len(g.rows)
	g.needs, g.after, g.from = make([]int32, g.left), make([][]int32, g.left), make([]int64, g.left)
	for i := range g.rows {
		needs := g.rows[i].Needs
		if needs == nil && i > 0 {
			needs = []int64{int64(i - 1)}
		}
		for _, need := range needs {
			if need < 0 || need >= int64(len(g.rows)) {
				return fmt.Errorf("processor %d: event %d needs event %d, but it has only %d events", s.proc, i, need, len(g.rows))
			}
			g.needs[i]++
			g.after[need] = append(g.after[need], int32(i))
		}
		if g.needs[i] == 0 {
			heap.Push(&g.ready, readyTask{row: int32(i)})
		}
	}
	s.graph = g
	return nil
}

// take returns the next task that needs nothing more, or that no longer waits.
func (g *eventGraph) take(s *nominalProc) *task {
	next := heap.Pop(&g.ready).(readyTask)
	if next.waited != nil {
		return next.waited
	}
	return &task{nominalProc: s, event: &g.rows[next.row], row: int64(next.row)}
}

// finish makes those events ready that needed only row.
func (g *eventGraph) finish(row, end int64) {
	g.left--
	for _, i := range g.after[row] {
		g.from[i] = max(g.from[i], end)
		if g.needs[i]--; g.needs[i] == 0 {
			heap.Push(&g.ready, readyTask{time: g.from[i], row: i})
		}
	}
}

type readyTask struct {
	time   int64
	row    int32
	waited *task // nil for a task that begins
}

// readyQueue has the earliest first.
type readyQueue []readyTask

func (q readyQueue) Len() int { return len(q) }
func (q readyQueue) Less(i, j int) bool {
	return q[i].time < q[j].time || q[i].time == q[j].time && q[i].row < q[j].row
}
func (q readyQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *readyQueue) Push(x any)   { *q = append(*q, x.(readyTask)) }
func (q *readyQueue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}
