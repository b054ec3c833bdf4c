package engine

import (
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// graph holds the operations of a rank whose program is a graph.
type graph struct {
	ops       []program.Op
	remaining []int32 // needed operations that have not ended
	readyAt   []unit.Picos
	enqueued  []unit.Picos // with LogGOPSim: when the last needed operation began
	program.Dependents
	left int // operations that have not ended
	last unit.Picos
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
	n := len(g.ops)
	g.remaining, g.readyAt, g.enqueued, g.left = make([]int32, n), make([]unit.Picos, n), make([]unit.Picos, n), n
	if err := g.Link(r.program.Graph, g.remaining); err != nil {
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
	for _, i := range g.Of(s.row) {
		g.readyAt[i], g.enqueued[i] = max(g.readyAt[i], t), max(g.enqueued[i], began)
		if g.remaining[i]--; g.remaining[i] == 0 {
			r.spawn(int(i))
		}
	}
	if g.left == 0 {
		r.occupy(g.last, 0, observe.Overhead, 0, 0)
	}
}
