package comm

import (
	"spoor/traces/heap"
	"spoor/traces/smallmap"
	"spoor/traces/trace"
)

// replay processes the events of all processors in an order that respects program order (or Needs),
// messages and collectives. It finds the longest path to the end of each event. The length of this
// path is the event's time on a nominal clock. The event with the lowest time comes first; the
// lower processor number wins a tie.
//
// An event waits for messages, collectives and signals that have not been consumed. Therefore
// memory holds the program's messages in transit, and a tape or a reader of every processor.
// All events of a processor with Needs are in memory.
type replay struct {
	Costs
	post     trace.MatchQueue[path, *moment] // paths that arrive with messages; moments when receives have theirs
	how      Algorithm
	unit     workUnit
	actors   []actor
	ended    int                                          // when nothing else can continue, this many first actors have ended
	queue    heap.Heap[uint64, trace.Proc, uint64, *task] // by begin, processor and row
	members  map[int32][]trace.Proc                       // of groups, ascending
	calls    map[callKey]*pendingCollective
	flags    map[int32]*flag
	matrix   *matrix // receives the messages of collectives
	longest  path
	ends     trace.Proc // processor where the longest path ends, the lowest of several
	released uint64     // events that would have waited for ever
}

// workUnit determines what an event adds to the path of its processor.
type workUnit struct{ instr, work bool }

// of returns the work before an event, and its own work if it is a Compute.
func (u workUnit) of(e *trace.Event) (n uint64) {
	if u.instr {
		n = uint64(e.Instr)
	}
	if u.work && e.Kind == trace.Compute {
		n += uint64(e.Work)
	}
	return n
}

// task is a step to be processed, or one that waits.
type task struct {
	actor *actor
	step  *step
	row   int64
	begin path
	waits bool
}

// actor is a processor.
type actor struct {
	proc     trace.Proc
	tape     tape               // the steps that follow, if it has neither events nor a graph
	events   *trace.EventCursor // or nil
	graph    *graph             // of events with Needs; else nil
	step     step               // the next one, without graph
	next     task               // of it
	requests smallmap.Map[int32, *moment]
	rounds   smallmap.Map[callKey, int] // collectives called
}

// moment is a time, possibly still unknown, for which tasks may wait.
type moment struct {
	known bool
	at    path
	task  *task // the waiting task
	row   int64
}

// flag holds the signals of a flag: by number of signals, the longest path to them.
type flag struct {
	reached []path
	waiting map[int][]*moment
}

func newReplay(a *Analysis, unit workUnit, members map[int32][]trace.Proc, m *matrix) *replay {
	return &replay{Costs: a.Costs, how: a.Collectives, unit: unit, members: members,
		calls: map[callKey]*pendingCollective{}, flags: map[int32]*flag{}, matrix: m}
}

// run replays all events of the processors.
func (r *replay) run(src trace.Source, shards []*shard) error {
	defer r.stop()
	if err := r.open(src, shards); err != nil {
		return err
	}
	for more := true; more; {
		for len(r.queue) > 0 {
			if err := r.perform(r.queue.Pop().Value); err != nil {
				return err
			}
		}
		var err error
		if more, err = r.release(); err != nil {
			return err
		}
	}
	return r.longest.check()
}

// advance schedules the next step of an actor without graph, if there is one.
func (r *replay) advance(a *actor, from path) error {
	more, err := a.read(r.unit)
	if err != nil || !more {
		return err
	}
	a.next = task{actor: a, step: &a.step, row: a.next.row + 1}
	r.schedule(&a.next, from)
	return nil
}

// schedule queues a task whose dependences are done.
func (r *replay) schedule(t *task, from path) {
	t.begin = from.worked(t.step.work)
	r.queue.Push(heap.Item[uint64, trace.Proc, uint64, *task]{Key: t.begin.length, Tie: t.actor.proc, Turn: uint64(t.row), Value: t})
}

// finish ends a task and schedules tasks that depend on it.
func (r *replay) finish(t *task, end path) error {
	if p := t.actor.proc; later(r.longest, end) != r.longest || end == r.longest && p < r.ends {
		r.longest, r.ends = end, p
	}
	if g := t.actor.graph; g != nil {
		r.done(g, t.row, end)
		return nil
	}
	return r.advance(t.actor, end)
}

// await ends a task no earlier than a moment.
func (r *replay) await(t *task, m *moment) error {
	if m.known {
		return r.finish(t, later(t.begin, m.at))
	}
	m.task, m.row, t.waits = t, t.row, true
	return nil
}

// settle sets the time of a moment. Its task may have been released before.
func (r *replay) settle(m *moment, at path) error {
	m.known, m.at = true, at
	if t := m.task; t != nil && t.waits && t.row == m.row {
		t.waits = false
		return r.finish(t, later(t.begin, at))
	}
	return nil
}

// release lets the first processor that waits for ever continue; in a graph, all waiting tasks. It
// returns false if no task waits.
func (r *replay) release() (bool, error) {
	for ; r.ended < len(r.actors); r.ended++ {
		a := &r.actors[r.ended]
		waiting := []*task{&a.next}
		if a.graph != nil {
			waiting = a.graph.waiting()
		}
		before := r.released
		for _, t := range waiting {
			if t.waits {
				t.waits = false
				r.released++
				if err := r.finish(t, t.begin); err != nil {
					return false, err
				}
			}
		}
		if r.released > before {
			return true, nil
		}
	}
	return false, nil
}

// perform processes a task, or lets it wait.
func (r *replay) perform(t *task) error {
	s, a := t.step, t.actor
	switch s.kind {
	case trace.Send, trace.Isend:
		arrives := r.over(t.begin, s.bytes)
		if m, found := r.post.Send(a.proc, s.envelope(), arrives); found {
			if err := r.settle(m, arrives); err != nil {
				return err
			}
		}
	case trace.Recv, trace.Irecv:
		return r.receives(t)
	case trace.Wait, trace.Test:
		if s.kind == trace.Wait || s.succeeded {
			if m, open := a.requests.Take(s.request); open {
				return r.await(t, m)
			}
		}
	case trace.Signal:
		if err := r.signal(s.peer, t.begin); err != nil {
			return err
		}
	case trace.WaitFlag:
		return r.await(t, r.signals(s.peer, int(s.tag)))
	case trace.Barrier, trace.Bcast, trace.Reduce, trace.AllReduce, trace.Scan,
		trace.Gather, trace.AllGather, trace.Scatter, trace.AllToAll:
		return r.arrives(t)
	}
	return r.finish(t, t.begin)
}

func (r *replay) receives(t *task) error {
	m := new(moment)
	if at, came := r.post.Receive(t.actor.proc, t.step.envelope(), m); came {
		m.known, m.at = true, at
	}
	if t.step.kind == trace.Recv {
		return r.await(t, m)
	}
	return r.starts(t, m)
}

// starts sets when the request of a task completes.
func (r *replay) starts(t *task, m *moment) error {
	if t.step.request >= 0 {
		*t.actor.requests.Of(t.step.request) = m
	}
	return r.finish(t, t.begin)
}

func (r *replay) flag(id int32) *flag {
	f := r.flags[id]
	if f == nil {
		f = &flag{waiting: map[int][]*moment{}}
		r.flags[id] = f
	}
	return f
}

// signal adds a signal. Its path counts for all tasks that wait for that many signals.
func (r *replay) signal(id int32, at path) error {
	f := r.flag(id)
	if n := len(f.reached); n > 0 {
		at = later(f.reached[n-1], at)
	}
	f.reached = append(f.reached, at)
	n := len(f.reached)
	for _, m := range f.waiting[n] {
		if err := r.settle(m, at); err != nil {
			return err
		}
	}
	delete(f.waiting, n)
	return nil
}

// signals returns when a flag has been signalled n times.
func (r *replay) signals(id int32, n int) *moment {
	f, m := r.flag(id), new(moment)
	switch {
	case n < 1:
		m.known = true
	case n <= len(f.reached):
		m.known, m.at = true, f.reached[n-1]
	default:
		f.waiting[n] = append(f.waiting[n], m)
	}
	return m
}
