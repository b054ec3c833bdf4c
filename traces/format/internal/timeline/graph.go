package timeline

import (
	"fmt"
	"slices"

	"spoor/traces/heap"
	"spoor/traces/trace"
)

// eventGraph holds the events of a processor with their needs.
type eventGraph struct {
	rows  []trace.Event
	needs []int32                               // number of needs that are not done
	after [][]int32                             // events that need each event
	from  []int64                               // when all needs were done
	ready heap.Heap[int64, int32, uint8, *task] // by time and row; a nil task begins
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
			g.ready.Push(readyTask{Tie: int32(i)})
		}
	}
	s.graph = g
	return nil
}

// take returns the next task that needs nothing more, or that no longer waits.
func (g *eventGraph) take(s *nominalProc) *task {
	next := g.ready.Pop()
	if next.Value != nil {
		return next.Value
	}
	return &task{nominalProc: s, event: &g.rows[next.Tie], row: int64(next.Tie)}
}

// finish makes those events ready that needed only row.
func (g *eventGraph) finish(row, end int64) {
	g.left--
	for _, i := range g.after[row] {
		g.from[i] = max(g.from[i], end)
		if g.needs[i]--; g.needs[i] == 0 {
			g.ready.Push(readyTask{Key: g.from[i], Tie: i})
		}
	}
}

// readyTask is a task that can begin, or one that waited and can continue.
type readyTask = heap.Item[int64, int32, uint8, *task]
