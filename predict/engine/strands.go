package engine

import "spoor/traces/unit"

// strands are what a rank does besides its program, or instead of it: the operations of a graph
// that can go on, and nonblocking collectives. Who needs the same waits in one heap, ordered by
// when it could go on, ties by when it was scheduled and row.
type taskQueue struct {
	all   []*task // by number
	free  []int32
	ready [resources]readyHeap // by need

	enqueues bool // LogGOPSim's, by when they were scheduled
}

// ticket is a strand that can go on from a time on.
type readyEntry struct {
	t        unit.Picos
	enqueued unit.Picos // when it was scheduled, in LogGOPSim; else t
	row      int64
	id       int32
}

func (a readyEntry) before(b readyEntry) bool {
	if a.t != b.t {
		return a.t < b.t
	}
	return a.earlier(b)
}

// earlier is whether of two that could go on at a time the first does.
func (a readyEntry) earlier(b readyEntry) bool {
	if a.enqueued != b.enqueued {
		return a.enqueued < b.enqueued
	}
	return a.row < b.row
}

// waiting is a heap of tickets.
type readyHeap []readyEntry

func (w *readyHeap) push(n readyEntry) {
	*w = append(*w, n)
	q := *w
	i := len(q) - 1
	for i > 0 && n.before(q[(i-1)/2]) {
		q[i] = q[(i-1)/2]
		i = (i - 1) / 2
	}
	q[i] = n
}

func (w *readyHeap) pop() readyEntry {
	q := *w
	first, last := q[0], q[len(q)-1]
	q = q[:len(q)-1]
	*w = q
	for i := 0; len(q) > 0; {
		child := 2*i + 1
		if child+1 < len(q) && q[child+1].before(q[child]) {
			child++
		}
		if child >= len(q) || !q[child].before(last) {
			q[i] = last
			break
		}
		q[i] = q[child]
		i = child
	}
	return first
}

// mainNumber is the strand of the program; others follow it.
const mainNumber int32 = 1

// number is how mails and pending operations call a strand.
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

// add is a new strand.
func (m *taskQueue) add(row int64, op *Op, t unit.Picos) *task {
	var s *task
	if n := len(m.free); n > 0 {
		s = m.all[m.free[n-1]-mainNumber-1]
		m.free = m.free[:n-1]
	} else {
		if s = (&task{}); m.enqueues {
			s.stamp = &enqueueStamp{}
		}
		m.all = append(m.all, s)
		s.number = int32(len(m.all)) + mainNumber
	}
	*s = task{number: s.number, row: row, op: op, t: t, collective: s.collective, stamp: s.stamp}
	return s
}

// put lets a strand wait for what it needs to go on.
func (m *taskQueue) put(r *rank, s *task) {
	n := r.resourceFor(s)
	k := readyEntry{s.t, s.t, s.row, r.number(s)}
	switch {
	case s.stamp == nil:
	case n == nothing:
		k.enqueued = beforeAll
	case n == postOrder:
		k.enqueued = s.stamp.enqueued
	default: // the processor is not free before s.t
		k.t, k.enqueued = s.stamp.enqueued, s.stamp.enqueued
	}
	m.ready[n].push(k)
}

// time is when the next strand goes on.
func (m *taskQueue) nextTime(r *rank) unit.Picos {
	at := never
	for n := range m.ready {
		if w := m.ready[n]; len(w) > 0 {
			at = min(at, r.availableAt(w[0].t, resource(n)))
		}
	}
	return at
}

// scheduled is when the strand was scheduled that LogGOPSim has do something next, at a time; or if it needs nothing for that, before all time.
func (m *taskQueue) nextEnqueued(r *rank, now unit.Picos) unit.Picos {
	since := never
	for n := range m.ready {
		if w := m.ready[n]; len(w) > 0 && r.availableAt(w[0].t, resource(n)) <= now {
			since = min(since, w[0].enqueued)
		}
	}
	return since
}

// turn has the next strand do something at a time: of several, the one that needs nothing, then
// the one that could have gone on first, or was scheduled first.
func (r *rank) runTask(now unit.Picos) {
	m := r.tasks
	found := -1
	for n := range m.ready {
		w := m.ready[n]
		if len(w) == 0 || r.availableAt(w[0].t, resource(n)) > now {
			continue
		}
		if found < 0 || found != int(nothing) && w[0].earlier(m.ready[found][0]) {
			found = n
		}
	}
	s := r.taskNumbered(m.ready[found].pop().id)
	r.step(s, now)
	m.requeue(r, s)
}

// after lets a strand that did something wait for its next turn.
func (m *taskQueue) requeue(r *rank, s *task) {
	switch {
	case s.phase < blocked:
		m.put(r, s)
	case s.phase == ended && s != &r.main:
		m.free = append(m.free, s.number)
	}
}

// end ends an operation of a graph, or a nonblocking collective.
func (r *rank) endTask(s *task, t unit.Picos) {
	s.phase = ended
	if own := s.completes; own != 0 {
		r.complete(own, t, 0, 0)
		return
	}
	r.endGraphOp(s, t)
}
