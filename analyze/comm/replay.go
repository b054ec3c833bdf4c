package comm

import (
	"spoor/traces/heap"
	"spoor/traces/trace"
)

// replay processes the events of all processors in an order that respects program order (or Needs),
// messages and collectives. It finds the longest path to the end of each event. The length of this
// path is the event's time on a nominal clock. The event with the lowest time comes first; the
// lower processor number wins a tie.
//
// An event waits for messages, collectives and signals that have not been consumed. Therefore
// memory holds the program's messages in transit and the batches being read, for every processor.
// All events of a processor with Needs are in memory.
type replay struct {
	Costs
	post     trace.MatchQueue[path, *moment] // paths that arrive with messages; moments when receives have theirs
	how      Algorithm
	unit     workUnit
	actors   []*actor
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

// task is an event to be processed, or one that waits.
type task struct {
	actor *actor
	event *trace.Event
	row   int64
	begin path
	waits bool
}

// actor is a processor.
type actor struct {
	proc     trace.Proc
	events   *trace.EventCursor
	graph    *graph            // of events with Needs; else nil
	next     task              // the next event, without graph
	requests map[int32]*moment // open requests
	rounds   map[callKey]int   // collectives called
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

func newReplay(src trace.Source, a *Analysis, unit workUnit, members map[int32][]trace.Proc, m *matrix) *replay {
	r := &replay{Costs: a.Costs, how: a.Collectives, unit: unit, members: members,
		calls: map[callKey]*pendingCollective{}, flags: map[int32]*flag{}, matrix: m}
	for p := range src.Header().Procs {
		r.actors = append(r.actors, &actor{proc: trace.Proc(p), events: trace.NewEventCursor(src, trace.Proc(p)),
			requests: map[int32]*moment{}, rounds: map[callKey]int{}})
	}
	return r
}

// run replays all events. graphs says which processors have events with Needs.
func (r *replay) run(graphs []bool) error {
	defer func() {
		for _, a := range r.actors {
			a.events.Stop()
		}
	}()
	for _, a := range r.actors {
		if graphs[a.proc] {
			if err := r.load(a); err != nil {
				return err
			}
		} else if err := r.advance(a, path{}); err != nil {
			return err
		}
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

// advance reads the next event of an actor without graph.
func (r *replay) advance(a *actor, from path) error {
	e, err := a.events.Next()
	if err != nil || e == nil {
		return err
	}
	a.next = task{actor: a, event: e, row: a.events.Row()}
	r.schedule(&a.next, from)
	return nil
}

// schedule queues a task whose dependences are done.
func (r *replay) schedule(t *task, from path) {
	t.begin = from.worked(r.unit.of(t.event))
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
	for _, a := range r.actors {
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
	e, a := t.event, t.actor
	switch e.Kind {
	case trace.Send, trace.Isend:
		arrives := r.over(t.begin, e.Bytes)
		if m, found := r.post.Send(a.proc, e, arrives); found {
			if err := r.settle(m, arrives); err != nil {
				return err
			}
		}
	case trace.Recv, trace.Irecv:
		return r.receives(t)
	case trace.Wait, trace.Test:
		if m := a.requests[e.Request]; m != nil && (e.Kind == trace.Wait || e.Count > 0) {
			delete(a.requests, e.Request)
			return r.await(t, m)
		}
	case trace.Signal:
		if err := r.signal(e.Peer, t.begin); err != nil {
			return err
		}
	case trace.WaitFlag:
		return r.await(t, r.signals(e.Peer, int(e.Tag)))
	case trace.Barrier, trace.Bcast, trace.Reduce, trace.AllReduce, trace.Scan,
		trace.Gather, trace.AllGather, trace.Scatter, trace.AllToAll:
		return r.arrives(t)
	}
	return r.finish(t, t.begin)
}

func (r *replay) receives(t *task) error {
	m := new(moment)
	if at, came := r.post.Receive(t.actor.proc, t.event, m); came {
		m.known, m.at = true, at
	}
	if t.event.Kind == trace.Recv {
		return r.await(t, m)
	}
	return r.starts(t, m)
}

// starts sets when the request of a task completes.
func (r *replay) starts(t *task, m *moment) error {
	if t.event.Request >= 0 {
		t.actor.requests[t.event.Request] = m
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
