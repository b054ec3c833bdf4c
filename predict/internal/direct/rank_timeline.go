package direct

import (
	"cmp"
	"fmt"
	"time"

	"spoor/predict/internal/engine/program"
	"spoor/predict/internal/replay"
	"spoor/tracegen/spmd"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// rankTimeline is a rank with the operations that are ahead of the engine [dickens1996, time-line].
type rankTimeline struct {
	*spmd.Coroutine
	*backend
	costs        replay.CostTracker
	usesMessages bool        // the program sends a message
	usesBarriers bool        // the program has a barrier in shared memory
	executed     uint64      // instructions up to the last operation
	ops          program.Ops // not handed over, or being simulated
	now          unit.Picos  // when all operations before them had ended
	matcher      matcher
	blockedOn    *spmd.Op // operation for which the rank is paused
	answer       program.Answer
	idleQueries  int           // consecutive queries without progress of time
	stamps       []*spmd.Stamp // in the order of their clocks
	err          error         // ends the run
	memory       *memoryRank   // work of the rank on shared memory before its operations; nil: message passing only
	unsimulated  bool          // ops is not simulated yet, if memory is set
	ended        bool          // it has returned or failed ...
	failure      error         // ... with this error
	endKnown     bool          // the engine knows that it has ended
	full         bool          // it is paused because it is Options.Ahead operations ahead ...
	awaited      *spmd.Request // ... or until this receive has a message
	worker       int
	sent         []*spmd.Message // not delivered yet, with several workers
	resumed      uint64
	answered     uint64
}

// The marks of operations whose answer the rank does not wait for.
const (
	alreadyAnswered int64 = 1 + iota // answered before the simulation
	lazyClock                        // a clock: the answer goes to the first of the stamps
)

// maxIdleQueries is how often a rank may make queries in a row without progress of time.
const maxIdleQueries = 1 << 20

// next resumes the rank until it waits for an answer, or is Options.Ahead operations ahead. A rank that fails does so
// when the operations before have been simulated, so that the time of the failure does not depend on how far it ran ahead.
func (l *rankTimeline) next() (program.Ops, error) {
	l.ops.Reset()
	l.endKnown = l.ended
	for l.ops.Len() == 0 && !l.ended {
		l.resumed++
		l.Resume()
		l.failure = cmp.Or(l.err, l.Err)
		if l.ended = l.failure != nil || l.Ended; l.ended && l.failure == nil {
			l.ops.Add(&program.Op{Kind: program.Compute, Work: l.work(), Request: program.None})
			l.failure = l.err
		}
	}
	if l.ops.Len() == 0 {
		return program.Ops{}, l.failure
	}
	return l.ops, nil
}

// ready reports whether the rank can go on before its operations have been simulated: it was too far ahead, or the
// message that it waits for is there. What the program does next does not depend on time then.
func (l *rankTimeline) ready() bool {
	if l.ended {
		return !l.endKnown
	}
	return l.full || l.awaited != nil && l.awaited.Completed()
}

// work returns the time of the instructions since the last operation.
func (l *rankTimeline) work() unit.Picos {
	n := l.Rank.Executed()
	work, err := l.costs.InstructionCost(n - l.executed)
	if err != nil && l.err == nil {
		l.err = err
	}
	l.executed = n
	return work
}

// fail ends the run.
func (l *rankTimeline) fail(err error) {
	if l.memory != nil {
		l.memory.fail(err)
	}
	l.err = err
	l.Pause()
	panic(spmd.Stopped{})
}

// add adds an operation to the time-line, with the cost of op's buffer.
func (l *rankTimeline) add(op *spmd.Op, is program.Op) {
	switch {
	case l.memory != nil: // the memory simulation accounts for the time until then
		l.unsimulated = true
	case l.ops.Len() >= l.opt.Ahead:
		l.full = true
		l.Pause()
		l.full = false
		fallthrough
	default:
		is.Work = l.work()
	}
	l.ops.AddOpen(&is)
	if op != nil {
		l.chargeBuffer(op)
	}
	switch {
	case l.err == nil:
	case l.memory != nil:
		l.fail(l.err)
	default:
		l.Pause()
	}
}

// chargeBuffer adds the cost of the buffer to the last operation, for the bytes that are known.
func (l *rankTimeline) chargeBuffer(op *spmd.Op) {
	if !l.costs.HasBufferCost() {
		return
	}
	e := op.Event(l.Rank)
	extra, err := l.costs.BufferCost(&e)
	if err != nil && l.err == nil {
		l.err = err
	}
	l.ops.Last().Extra = extra
}

// pause lets the engine simulate all operations so far.
func (l *rankTimeline) pause() {
	if s := l.memory; s != nil {
		s.atMessage, l.unsimulated = true, false
		l.Rank.Flush() // this pauses the rank
	} else {
		l.Pause()
	}
	l.blockedOn, l.awaited = nil, nil
}

// simulateTo lets the engine simulate op, which is the last operation, and all before it.
func (l *rankTimeline) simulateTo(op *spmd.Op) {
	l.blockedOn = op
	switch {
	case op.Kind == trace.Recv:
		l.awaited = op.Request
	case op.Kind == trace.Wait && len(op.Requests) == 1:
		l.awaited = op.Requests[0]
	}
	l.pause()
}

// query returns the engine's answer to op, which does not wait for anything.
func (l *rankTimeline) query(op *spmd.Op) *program.Answer {
	before := l.answer.At
	l.simulateTo(op)
	if l.idleQueries++; l.answer.At != before {
		l.idleQueries = 0
	} else if l.idleQueries >= maxIdleQueries {
		l.fail(errIdle(l.idleQueries, op.Kind))
	}
	return &l.answer
}

func errIdle(times int, k trace.Kind) error {
	return fmt.Errorf("repeats %v %d times while no simulated time passes: it executes no counted instructions in between", k, times)
}

func (l *rankTimeline) send(op *spmd.Op) {
	m := op.Message
	is := program.Op{Kind: program.Send, Peer: m.To, Tag: m.Tag, Group: m.Group, Bytes: int64(m.Bytes()), Request: program.None}
	if op.Kind == trace.Isend {
		is.Kind, is.Request = program.Isend, op.Request.ID
	}
	l.add(op, is)
	if l.mail != nil {
		l.sent = append(l.sent, m.Keep())
		return
	}
	to := l.timelines[m.To]
	to.noteCompleted(to.matcher.deliver(m, false))
}

func (l *rankTimeline) receive(op *spmd.Op) {
	q := op.Request
	mark := l.matcher.post(q)
	l.add(op, program.Op{Kind: program.Recv, Peer: q.Source, Tag: q.Tag, Group: q.Group, Bytes: mark, Request: program.None})
	if !q.Completed() {
		l.simulateTo(op)
	}
}

// noteCompleted charges the buffer of a completed request for which the rank waits.
func (l *rankTimeline) noteCompleted(q *spmd.Request) {
	op := l.blockedOn
	if q == nil || op == nil {
		return
	}
	if op.Kind == trace.Recv && op.Request == q || op.Kind == trace.Wait && len(op.Requests) == 1 && op.Requests[0] == q {
		l.chargeBuffer(op)
	}
}

func (l *rankTimeline) wait(op *spmd.Op) {
	op.Index = 0
	if len(op.Requests) > 1 {
		l.waitAny(op)
		return
	}
	q := op.Requests[0]
	is := program.Op{Kind: program.Wait, Request: q.ID}
	if q.Completed() {
		l.add(op, is)
		return
	}
	l.add(nil, is)
	if !q.Completed() { // it may have completed while the rank was paused in add
		l.simulateTo(op)
	} else {
		l.chargeBuffer(op)
	}
}

func (l *rankTimeline) waitAny(op *spmd.Op) {
	for i, q := range op.Requests {
		is := program.Op{Kind: program.AddToWaitAny, Request: q.ID}
		if i == len(op.Requests)-1 {
			is.Kind = program.WaitAny
		}
		l.add(nil, is)
	}
	l.simulateTo(op)
}

func (l *rankTimeline) test(op *spmd.Op) {
	q := op.Request
	is := program.Op{Kind: program.Test, Request: q.ID}
	if op.Done = l.matcher.hasArrived(q, l.now); op.Done {
		is.Bytes = alreadyAnswered
		l.answered++
	}
	l.add(op, is)
	if !op.Done {
		l.query(op)
	}
}

func (l *rankTimeline) probe(op *spmd.Op, kind program.Kind) {
	q := op.Request
	is := program.Op{Kind: kind, Peer: q.Source, Tag: q.Tag, Group: q.Group, Request: program.None}
	if op.Message = l.matcher.probe(q, kind == program.Probe, l.now); op.Message != nil {
		is.Bytes = alreadyAnswered
		l.answered++
	}
	l.add(op, is)
	switch {
	case op.Message != nil:
		return
	case kind == program.Probe:
		l.simulateTo(op)
	default:
		l.query(op)
	}
	if a := &l.answer; a.Done {
		op.Message = l.matcher.queues[channel{a.From, a.Tag, q.Group}].first()
	}
}

// clock reads the clock. A Stamp gets the answer when it has been simulated.
func (l *rankTimeline) clock(op *spmd.Op) {
	s := op.Stamp
	if s == nil {
		l.add(nil, program.Op{Kind: program.Clock, Request: program.None})
		op.Clock = duration(l.query(op).At)
		return
	}
	l.stamps = append(l.stamps, s)
	s.Defer(l.pause)
	l.add(nil, program.Op{Kind: program.Clock, Request: program.None, Bytes: lazyClock})
}

func duration(t unit.Picos) time.Duration { return time.Duration(t / 1000) }
