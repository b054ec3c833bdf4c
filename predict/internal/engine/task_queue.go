package engine

import (
	"spoor/predict/internal/engine/program"
	"spoor/traces/heap"
	"spoor/traces/unit"
)

// taskQueue holds the tasks of a rank besides its program, or instead of it: the ready operations of a graph, and
// nonblocking collectives. Tasks that need the same resource are in one heap. It is ordered by the time at which they
// could go on, ties by enqueue time and row.
type taskQueue struct {
	all  []*task // by number
	free []int32
	// The numbers of tasks by resource. The key is the time from which a task can go on. The tie is when it was enqueued
	// with LogGOPSim, else the key. The turn is its row.
	ready [resources]heap.Heap[unit.Picos, unit.Picos, uint64, int32]

	enqueues bool // with LogGOPSim: ordered by enqueue time
}

// earlier reports whether a goes first if both could go on.
func earlier(a, b heap.Item[unit.Picos, unit.Picos, uint64, int32]) bool {
	a.Key = b.Key
	return a.Before(&b)
}

// mainNumber is the number of the program's task. Those of other tasks follow it.
const mainNumber int32 = 1

// number returns the number by which packets and pending operations refer to a task.
func (r *rank) number(s *task) int32 {
	if s == &r.main {
		return mainNumber
	}
	return s.number
}

func (r *rank) taskNumbered(number int32) *task {
	if number == mainNumber {
		return &r.main
	}
	return r.tasks.all[number-mainNumber-1]
}

// newTask is a task with room for what it points to.
type newTask struct {
	task
	op    program.Op
	stamp enqueueStamp
}

// add adds a task.
func (m *taskQueue) add(row int64, op *program.Op, t unit.Picos) *task {
	var s *task
	if n := len(m.free); n > 0 {
		s = m.all[m.free[n-1]-mainNumber-1]
		m.free = m.free[:n-1]
	} else {
		n := &newTask{}
		if s = &n.task; m.enqueues {
			s.stamp = &n.stamp
		}
		s.room = &n.op
		m.all = append(m.all, s)
		s.number = int32(len(m.all)) + mainNumber
	}
	*s = task{number: s.number, row: row, op: op, t: t, collective: s.collective, stamp: s.stamp, room: s.room}
	return s
}

// leastTasks is the room for tasks of one resource.
const leastTasks = 4

// put queues a task for the resource that it needs.
func (m *taskQueue) put(r *rank, s *task) {
	n := r.resourceFor(s)
	k := heap.Item[unit.Picos, unit.Picos, uint64, int32]{Key: s.t, Tie: s.t, Turn: uint64(s.row), Value: r.number(s)}
	switch {
	case s.stamp == nil:
	case n == nothing:
		k.Tie = beforeAll
	case n == postOrder:
		k.Tie = s.stamp.enqueued
	default: // the processor is not free before s.t
		k.Key, k.Tie = s.stamp.enqueued, s.stamp.enqueued
	}
	if m.ready[n] == nil {
		m.ready[n] = make(heap.Heap[unit.Picos, unit.Picos, uint64, int32], 0, leastTasks)
	}
	m.ready[n].Push(k)
}

// nextTime returns when the next task goes on.
func (m *taskQueue) nextTime(r *rank) unit.Picos {
	at := never
	for n := range m.ready {
		if w := m.ready[n]; len(w) > 0 {
			at = min(at, r.availableAt(w[0].Key, resource(n)))
		}
	}
	return at
}

// nextEnqueued returns, with LogGOPSim, when the task that goes on next was enqueued. It returns beforeAll if that
// task needs no resource.
func (m *taskQueue) nextEnqueued(r *rank, now unit.Picos) unit.Picos {
	since := never
	for n := range m.ready {
		if w := m.ready[n]; len(w) > 0 && r.availableAt(w[0].Key, resource(n)) <= now {
			since = min(since, w[0].Tie)
		}
	}
	return since
}

// runTask lets the next task act at a time. A task without a resource goes first, then the task that was ready or
// enqueued first.
func (r *rank) runTask(now unit.Picos) {
	m := r.tasks
	found := -1
	for n := range m.ready {
		w := m.ready[n]
		if len(w) == 0 || r.availableAt(w[0].Key, resource(n)) > now {
			continue
		}
		if found < 0 || found != int(nothing) && earlier(w[0], m.ready[found][0]) {
			found = n
		}
	}
	s := r.taskNumbered(m.ready[found].Pop().Value)
	r.step(s, now)
	m.requeue(r, s)
}

// requeue queues a task after its action.
func (m *taskQueue) requeue(r *rank, s *task) {
	switch {
	case s.phase < blocked:
		m.put(r, s)
	case s.phase == ended && s != &r.main:
		m.free = append(m.free, s.number)
	}
}

// endTask ends an operation of a graph, or a nonblocking collective.
func (r *rank) endTask(s *task, t unit.Picos) {
	s.phase = ended
	if nextAction := s.completes; nextAction != 0 {
		r.complete(nextAction, t, 0, 0)
		return
	}
	r.endGraphOp(s, t)
}
