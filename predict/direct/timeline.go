package direct

import (
	"fmt"
	"time"

	"spoor/predict/engine"
	"spoor/predict/replay"
	"spoor/tracegen/spmd"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// timeline is a rank with the operations that it is ahead of the engine.
type timeline struct {
	*spmd.Coroutine
	*backend
	charges  replay.CostTracker
	executed uint64     // instructions until the last operation
	ops      engine.Ops // not handed over, or being simulated
	now      unit.Picos // when all before them had ended
	post     post
	asked    *spmd.Op // what the rank waits for, paused
	answer   engine.Answer
	idle     int           // answers in a row at the time of the one before
	stamps   []*spmd.Stamp // in the order of their clocks
	err      error         // that ends the run
	sharer   *sharer       // what the rank does to memory, before it comes to its operations; nil: it passes messages alone
	ahead    bool          // of the simulation of ops, if there is a sharer
	over     bool
	resumed  uint64
	answered uint64
}

// The marks of operations whose answer nobody waits for.
const (
	answered int64 = 1 + iota // it was given before they are simulated
	lazy                      // of clocks: it goes to the first of the stamps
)

// mostIdle is how often a rank may ask for something in a row while no time passes.
const mostIdle = 1 << 20

// next has the rank run until it waits for an answer, or is as far ahead as it may be.
func (l *timeline) next() (engine.Ops, error) {
	l.ops.Reset()
	for l.ops.Len() == 0 && !l.over {
		l.resumed++
		l.Resume()
		switch {
		case l.err != nil:
			return engine.Ops{}, l.err
		case l.Err != nil:
			return engine.Ops{}, l.Err
		case l.Ended:
			l.over = true
			l.ops.Add(&engine.Op{Kind: engine.Compute, Work: l.work(), Request: engine.None})
		}
	}
	return l.ops, l.err
}

// work is how long the instructions since the last operation take.
func (l *timeline) work() unit.Picos {
	n := l.Rank.Executed()
	work, err := l.charges.InstructionCost(n - l.executed)
	if err != nil && l.err == nil {
		l.err = err
	}
	l.executed = n
	return work
}

// fail ends the run.
func (l *timeline) fail(err error) {
	if l.sharer != nil {
		l.sharer.fail(err)
	}
	l.err = err
	l.Pause()
	panic(spmd.Stopped{})
}

// add adds an operation to the time-line, and what the buffer of op costs.
func (l *timeline) add(op *spmd.Op, is engine.Op) {
	switch {
	case l.sharer != nil: // what it takes until then is simulated beside it
		l.ahead = true
	case l.ops.Len() >= l.opt.Ahead:
		l.Pause()
		fallthrough
	default:
		is.Work = l.work()
	}
	l.ops.AddOpen(&is)
	if op != nil {
		l.charge(op)
	}
	switch {
	case l.err == nil:
	case l.sharer != nil:
		l.fail(l.err)
	default:
		l.Pause()
	}
}

// charge has the last operation pay for its buffer, as far as it is known what came.
func (l *timeline) charge(op *spmd.Op) {
	if !l.charges.HasBufferCost() {
		return
	}
	e := op.Event(l.Rank)
	extra, err := l.charges.BufferCost(&e)
	if err != nil && l.err == nil {
		l.err = err
	}
	l.ops.Last().Extra = extra
}

// pause lets the engine simulate everything so far.
func (l *timeline) pause() {
	if s := l.sharer; s != nil {
		s.passes, l.ahead = true, false
		l.Rank.Flush() // pauses
	} else {
		l.Pause()
	}
	l.asked = nil
}

// await lets the engine simulate op, which is the last operation, and all before.
func (l *timeline) await(op *spmd.Op) {
	l.asked = op
	l.pause()
}

// ask is the engine's answer to op, which does not wait for anything.
func (l *timeline) ask(op *spmd.Op) *engine.Answer {
	before := l.answer.At
	l.await(op)
	if l.idle++; l.answer.At != before {
		l.idle = 0
	} else if l.idle >= mostIdle {
		l.fail(errIdle(l.idle, op.Kind))
	}
	return &l.answer
}

func errIdle(times int, k trace.Kind) error {
	return fmt.Errorf("asks for something %d times (%v), and no time passes: between, it executes no instructions that are counted", times, k)
}

func (l *timeline) send(op *spmd.Op) {
	m := op.Message
	is := engine.Op{Kind: engine.Send, Peer: m.To, Tag: m.Tag, Group: m.Group, Bytes: int64(m.Bytes()), Request: engine.None}
	if op.Kind == trace.Isend {
		is.Kind, is.Request = engine.Isend, op.Request.ID
	}
	l.add(op, is)
	to := l.lines[m.To]
	to.completed(to.post.sent(m))
}

func (l *timeline) receive(op *spmd.Op) {
	q := op.Request
	mark := l.post.receive(q)
	l.add(op, engine.Op{Kind: engine.Recv, Peer: q.Source, Tag: q.Tag, Group: q.Group, Bytes: mark, Request: engine.None})
	if !q.Completed() {
		l.await(op)
	}
}

// completed has a rank that waits for a request pay for its buffer.
func (l *timeline) completed(q *spmd.Request) {
	op := l.asked
	if q == nil || op == nil {
		return
	}
	if op.Kind == trace.Recv && op.Request == q || op.Kind == trace.Wait && len(op.Requests) == 1 && op.Requests[0] == q {
		l.charge(op)
	}
}

func (l *timeline) wait(op *spmd.Op) {
	op.Index = 0
	if len(op.Requests) > 1 {
		l.waitAny(op)
		return
	}
	q := op.Requests[0]
	is := engine.Op{Kind: engine.Wait, Request: q.ID}
	if q.Completed() {
		l.add(op, is)
		return
	}
	l.add(nil, is)
	if !q.Completed() { // while the rank was as far ahead as it may be
		l.await(op)
	} else {
		l.charge(op)
	}
}

func (l *timeline) waitAny(op *spmd.Op) {
	for i, q := range op.Requests {
		is := engine.Op{Kind: engine.AddToWaitAny, Request: q.ID}
		if i == len(op.Requests)-1 {
			is.Kind = engine.WaitAny
		}
		l.add(nil, is)
	}
	l.await(op)
}

func (l *timeline) test(op *spmd.Op) {
	q := op.Request
	is := engine.Op{Kind: engine.Test, Request: q.ID}
	if op.Done = l.post.isThere(q, l.now); op.Done {
		is.Bytes = answered
		l.answered++
	}
	l.add(op, is)
	if !op.Done {
		l.ask(op)
	}
}

func (l *timeline) probe(op *spmd.Op, kind engine.Kind) {
	q := op.Request
	is := engine.Op{Kind: kind, Peer: q.Source, Tag: q.Tag, Group: q.Group, Request: engine.None}
	if op.Message = l.post.lookFor(q, kind == engine.Probe, l.now); op.Message != nil {
		is.Bytes = answered
		l.answered++
	}
	l.add(op, is)
	switch {
	case op.Message != nil:
		return
	case kind == engine.Probe:
		l.await(op)
	default:
		l.ask(op)
	}
	if a := &l.answer; a.Done {
		op.Message = l.post.lanes[channel{a.From, a.Tag, q.Group}].first()
	}
}

// clock reads the clock. A Stamp gets the answer when it has been simulated.
func (l *timeline) clock(op *spmd.Op) {
	s := op.Stamp
	if s == nil {
		l.add(nil, engine.Op{Kind: engine.Clock, Request: engine.None})
		op.Clock = duration(l.ask(op).At)
		return
	}
	l.stamps = append(l.stamps, s)
	s.Defer(l.pause)
	l.add(nil, engine.Op{Kind: engine.Clock, Request: engine.None, Bytes: lazy})
}

func duration(t unit.Picos) time.Duration { return time.Duration(t / 1000) }
