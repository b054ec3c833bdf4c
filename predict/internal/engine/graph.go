package engine

import (
	"fmt"
	"slices"

	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// graph holds the operations of a rank whose program is a graph.
type graph struct {
	ops        []program.Op
	remaining  []int32 // needed operations that have not ended
	readyAt    []unit.Picos
	enqueued   []unit.Picos // with LogGOPSim: when the last needed operation began
	dependents []int32      // operations that need operation i: from start[i] to start[i+1]
	start      []int64
	left       int // operations that have not ended
	last       unit.Picos
}

// load reads all operations of a graph and begins those that need no other.
func (r *rank) load() error {
	g := &graph{}
	for {
		ops, err := r.program.Next()
		if err != nil {
			return err
		}
		if ops.Len() == 0 {
			break
		}
		for i := range ops.Len() {
			g.ops = append(g.ops, ops.At(i))
		}
	}
	if err := g.link(r.program.Graph); err != nil {
		return err
	}
	r.graph, r.tasks = g, &taskQueue{enqueues: r.e.LogGOPSim}
	r.main.phase = ended
	for i := range g.ops {
		if g.remaining[i] == 0 {
			g.enqueued[i] = beforeAll
			r.spawn(i)
		}
	}
	return nil
}

// link computes dependents from the needs.
func (g *graph) link(of *program.Graph) error {
	n := len(g.ops)
	if len(of.Starts) != n+1 {
		return fmt.Errorf("the graph has %d operations but dependencies for %d", n, len(of.Starts)-1)
	}
	g.remaining, g.readyAt, g.enqueued, g.left = make([]int32, n), make([]unit.Picos, n), make([]unit.Picos, n), n
	g.start, g.dependents = make([]int64, n+1), make([]int32, len(of.Rows))
	for i := range n {
		g.remaining[i] = int32(of.Starts[i+1] - of.Starts[i])
		for _, need := range of.Rows[of.Starts[i]:of.Starts[i+1]] {
			if need < 0 || int(need) >= n {
				return fmt.Errorf("operation %d depends on operation %d, but there are only %d operations", i, need, n)
			}
			g.start[need+1]++
		}
	}
	for i := range n {
		g.start[i+1] += g.start[i]
	}
	at := slices.Clone(g.start)
	for i := range n {
		for _, need := range of.Rows[of.Starts[i]:of.Starts[i+1]] {
			g.dependents[at[need]] = int32(i)
			at[need]++
		}
	}
	return nil
}

// spawn begins an operation of the graph.
func (r *rank) spawn(i int) {
	g := r.graph
	s := r.tasks.add(int64(i), &g.ops[i], g.readyAt[i])
	if s.stamp != nil {
		*s.stamp = enqueueStamp{g.enqueued[i], max(0, g.enqueued[i]), g.readyAt[i]}
	}
	r.beginOp(s)
	r.tasks.put(r, s)
}

// endGraphOp ends the operation of a task, and begins the operations that needed only this one.
func (r *rank) endGraphOp(s *task, t unit.Picos) {
	g := r.graph
	began := unit.Picos(0)
	if s.stamp != nil {
		began = s.stamp.lastBegun
	}
	g.left--
	g.last = max(g.last, t)
	for _, i := range g.dependents[g.start[s.row]:g.start[s.row+1]] {
		g.readyAt[i], g.enqueued[i] = max(g.readyAt[i], t), max(g.enqueued[i], began)
		if g.remaining[i]--; g.remaining[i] == 0 {
			r.spawn(int(i))
		}
	}
	if g.left == 0 {
		r.occupy(g.last, 0, observe.Overhead, 0, 0)
	}
}
