package timeline

import (
	"fmt"
	"strings"

	"spoor/traces/heap"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// nominalTimeline lays out a trace without times on a nominal clock, so that causes
// precede effects. It is not a prediction. The durations are:
//
//   - instructions and work: their cost in the settings;
//   - a send: its bytes divided by the bandwidth; the message arrives one latency later;
//   - a receive and a wait: until the message has arrived;
//   - a collective: until all members have joined, plus one latency for each doubling of their number;
//   - a lock or a flag: until it is free or set.
//
// The processor with the lowest clock goes first; ties are ordered by number. Events
// with Needs start when these are done, and may wait at the same time.
func nominalTimeline(src trace.Source, c prices, sink timelineSink) ([]string, error) {
	n := nominal{messageMatcher: messageMatcher{sink: sink}, prices: c, unit: src.Header().WorkUnit,
		collectives: map[collectiveKey]*collectiveState{}, locks: map[int32]*nominalLock{}, flags: map[int32]*nominalFlag{}}
	defer func() {
		for _, s := range n.all {
			s.cursor.Stop()
		}
	}()
	if err := n.start(src); err != nil {
		return nil, err
	}
	for n.queue.Len() > 0 {
		s := n.all[n.queue.Pop()]
		if err := n.step(s); err != nil {
			return nil, err
		}
	}
	if err := n.stuck(); err != nil {
		return nil, err
	}
	for _, s := range n.all {
		if err := n.leftOver(s); err != nil {
			return nil, err
		}
	}
	return n.messageMatcher.unmatchedNotes(), nil
}

// start puts all processors before their first event.
func (n *nominal) start(src trace.Source) error {
	members, graphs, err := survey(src)
	if err != nil {
		return err
	}
	n.members = members
	for p := range src.Header().Procs {
		s := &nominalProc{proc: trace.Proc(p), cursor: trace.NewEventCursor(src, trace.Proc(p)), requests: map[int32]*pending{}, rounds: map[collectiveKey]int{}}
		n.all = append(n.all, s)
		if graphs[p] {
			if err := s.load(); err != nil {
				return err
			}
		}
		if err := n.proceed(s); err != nil {
			return err
		}
	}
	return nil
}

// survey finds the number of members of each group, and the processors with graphs.
func survey(src trace.Source) (members map[int32]int, graphs []bool, err error) {
	members = map[int32]int{trace.None: src.Header().Procs}
	graphs = make([]bool, src.Header().Procs)
	for p := range graphs {
		mine := map[int32]bool{}
		for b, err := range src.Events(trace.Proc(p)) {
			if err != nil {
				return nil, nil, err
			}
			for i := range b.Rows {
				e := &b.Rows[i]
				graphs[p] = graphs[p] || e.Needs != nil
				if IsCollective(e.Kind) && e.Group != trace.None && !mine[e.Group] {
					mine[e.Group] = true
					members[e.Group]++
				}
			}
		}
	}
	return members, graphs, nil
}

func IsCollective(k trace.Kind) bool {
	return k == trace.Barrier || k >= trace.Bcast && k <= trace.AllToAll
}

type nominal struct {
	messageMatcher
	prices
	unit        trace.WorkUnit
	all         []*nominalProc
	queue       heap.Indexed[int64, trace.Proc, uint8, struct{}] // processors by clock
	members     map[int32]int
	collectives map[collectiveKey]*collectiveState
	locks       map[int32]*nominalLock
	flags       map[int32]*nominalFlag
}

// step performs the next task of s.
func (n *nominal) step(s *nominalProc) error {
	before := s.now
	if s.now = s.clock(); s.now >= Longest {
		return fmt.Errorf("processor %d: the nominal times exceed 53 days; choose lower ones with --set", s.proc)
	}
	t := &s.task
	if s.graph != nil {
		if t = s.graph.take(s); t.kept {
			if err := n.sink.Span(s.proc, t.event, max(t.begin, before), s.now); err != nil {
				return err
			}
			s.graph.finish(t.row, s.now)
			return n.proceed(s)
		}
	} else if !s.bursted {
		return n.burst(s) // other processors may come before the event
	}
	t.begin = s.now
	if s.graph == nil {
		s.waits = t
	}
	if err := n.perform(s, t); err != nil {
		return err
	}
	if s.graph != nil {
		return n.proceed(s)
	}
	return nil
}

// burst counts the instructions before the next event.
func (n *nominal) burst(s *nominalProc) error {
	s.bursted = true
	e := trace.NewEvent(trace.Compute)
	e.Instr = s.task.event.Instr
	begin := s.now
	s.now = afterPicos(begin, float64(e.Instr)*n.instr)
	n.enqueue(s)
	if s.now == begin {
		return nil
	}
	return n.sink.Span(s.proc, &e, begin, s.now)
}

// finish ends a task at time end, and lets its dependents begin.
func (n *nominal) finish(t *task, end int64) error {
	s := t.nominalProc
	if t.kept { // its processor continues with it later
		s.graph.ready.Push(readyTask{Key: end, Tie: int32(t.row), Value: t})
		n.enqueue(s)
		return nil
	}
	if t.event.Kind != trace.Compute || end > t.begin {
		if err := n.sink.Span(s.proc, t.event, t.begin, end); err != nil {
			return err
		}
	}
	if s.graph == nil {
		s.now, s.waits = end, nil
		return n.proceed(s)
	}
	s.graph.finish(t.row, end)
	return nil
}

// busy ends a task that keeps its processor busy.
func (n *nominal) busy(t *task, picos float64) error {
	end := afterPicos(t.begin, picos)
	t.nominalProc.now = end
	return n.finish(t, end)
}

// perform performs a task, or leaves it waiting.
func (n *nominal) perform(s *nominalProc, t *task) error {
	e := t.event
	switch {
	case e.Kind == trace.Compute:
		return n.busy(t, float64(e.Work)*map[trace.WorkUnit]float64{trace.WorkInstr: n.instr, trace.WorkFlop: n.flop, trace.WorkPicos: 1}[n.unit])
	case e.Kind == trace.Send || e.Kind == trace.Isend:
		return n.sends(s, t)
	case e.Kind == trace.Recv || e.Kind == trace.Irecv:
		return n.receives(s, t)
	case e.Kind == trace.Wait || e.Kind == trace.Test && e.Count > 0:
		return n.waits(s, t)
	case IsCollective(e.Kind):
		return n.joinCollective(s, t)
	case e.Kind == trace.Lock, e.Kind == trace.Unlock:
		return n.lock(t)
	case e.Kind == trace.Signal, e.Kind == trace.WaitFlag:
		return n.flag(t)
	}
	return n.finish(t, t.begin)
}

func (n *nominal) sends(s *nominalProc, t *task) error {
	e := t.event
	sent := afterPicos(t.begin, float64(e.Bytes)*n.byte)
	m := &sentMessage{Delivery: Delivery{From: s.proc, To: trace.Proc(e.Peer), Tag: e.Tag, group: e.Group, Bytes: e.Bytes, Sent: t.begin, SentEnd: sent},
		arrives: afterPicos(sent, n.latency)}
	if e.Kind == trace.Isend {
		m.SentEnd = t.begin
		if e.Request != trace.None {
			s.requests[e.Request] = &pending{end: sent}
		}
	}
	if found := n.send(e, m); found != nil {
		if err := n.arrived(found); err != nil {
			return err
		}
	}
	return n.busy(t, float64(m.SentEnd-t.begin))
}

func (n *nominal) receives(s *nominalProc, t *task) error {
	e := t.event
	blocks := e.Kind == trace.Recv // e is valid until its task is finished
	place := &postedRecv{posted: t.begin, received: -1}
	if blocks {
		place.task = t.keep()
	} else if e.Request != trace.None {
		s.requests[e.Request] = &pending{postedRecv: place}
	}
	if n.receive(s.proc, e, place); place.sentMessage != nil {
		if err := n.arrived(place); err != nil {
			return err
		}
	}
	if blocks {
		return nil
	}
	return n.finish(t, t.begin)
}

// keep returns t, which waits. The processor of a graph continues.
func (t *task) keep() *task {
	t.kept = t.nominalProc.graph != nil
	return t
}

// arrived continues the task that waits for a receive, after its message arrived.
func (n *nominal) arrived(s *postedRecv) error {
	t := s.task
	if t == nil {
		return nil
	}
	s.task = nil
	s.received = max(t.begin, s.sentMessage.arrives)
	if err := n.deliver(s); err != nil {
		return err
	}
	return n.finish(t, s.received)
}

func (n *nominal) waits(s *nominalProc, t *task) error {
	p := s.requests[t.event.Request]
	if p == nil {
		return n.finish(t, t.begin)
	}
	delete(s.requests, t.event.Request)
	switch {
	case p.postedRecv != nil:
		if p.postedRecv.task = t.keep(); p.postedRecv.sentMessage != nil {
			return n.arrived(p.postedRecv)
		}
		return nil
	case p.collective != nil && !p.collective.over:
		p.wait = t.keep()
		return nil
	case p.collective != nil:
		p.end = p.collective.end
	}
	return n.finish(t, max(t.begin, p.end))
}

// leftOver delivers messages without a wait.
func (n *nominal) leftOver(s *nominalProc) error {
	slots := map[int32]*postedRecv{}
	for id, p := range s.requests {
		if p.postedRecv != nil {
			slots[id] = p.postedRecv
		}
	}
	return n.abandoned(slots)
}

// stuck returns an error if a processor still waits although none can continue.
func (n *nominal) stuck() error {
	const most = 8
	var waiting []string
	for _, s := range n.all {
		switch {
		case len(waiting) == most:
		case s.waits != nil:
			waiting = append(waiting, fmt.Sprintf("processor %d at event %d (%s)", s.proc, s.waits.row, s.waits.event.Kind))
		case s.graph != nil && s.graph.left > 0:
			waiting = append(waiting, fmt.Sprintf("processor %d with %s left", s.proc, input.Plural(s.graph.left, "event")))
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	return fmt.Errorf("deadlock on the nominal timeline: %s; the trace is incomplete, its messages or collectives do not match, or its ranks wait for each other", strings.Join(waiting, ", "))
}
