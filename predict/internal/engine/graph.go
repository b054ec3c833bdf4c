package engine

import (
	"slices"

	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// graph holds the operations of a rank whose program is a graph.
type graph struct {
	ops    program.Ops
	states []graphOp
	program.Dependents
	left int // operations that have not ended
	last unit.Picos
}

// graphOp is the state of an operation that has not begun.
type graphOp struct {
	readyAt   unit.Picos
	enqueued  unit.Picos // with LogGOPSim: when the last needed operation began
	remaining int32      // needed operations that have not ended
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
		if g.ops.Len() == 0 {
			g.ops.All, g.ops.Wide = slices.Grow(g.ops.All, ops.Len()), slices.Grow(g.ops.Wide, len(ops.Wide))
		}
		g.ops.Append(&ops)
	}
	g.left = g.ops.Len()
	g.states = make([]graphOp, g.left)
	if err := g.Link(r.program.Graph, g.left, func(op, needs int) { g.states[op].remaining = int32(needs) }); err != nil {
		return err
	}
	r.graph, r.tasks = g, &taskQueue{enqueues: r.e.LogGOPSim}
	r.main.phase = ended
	for i := range g.states {
		if g.states[i].remaining == 0 {
			g.states[i].enqueued = beforeAll
			r.spawn(i)
		}
	}
	return nil
}

// spawn begins an operation of the graph.
func (r *rank) spawn(i int) {
	g := r.graph
	state := &g.states[i]
	s := r.tasks.add(int64(i), nil, state.readyAt)
	s.op = s.room
	*s.op = g.ops.At(i)
	if s.stamp != nil {
		*s.stamp = enqueueStamp{state.enqueued, max(0, state.enqueued), state.readyAt}
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
		state := &g.states[i]
		state.readyAt, state.enqueued = max(state.readyAt, t), max(state.enqueued, began)
		if state.remaining--; state.remaining == 0 {
			r.spawn(int(i))
		}
	}
	if g.left == 0 {
		r.occupy(g.last, 0, observe.Overhead, 0, 0)
	}
}
