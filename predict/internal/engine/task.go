package engine

import (
	"fmt"

	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// phase is the progress of a task within its operation.
type phase uint8

const (
	working    phase = 1 + iota // it has Work to do
	starting                    // it comes to the operation itself
	collecting                  // what it waited for is there
	probed                      // the message of its Probe is there
	stepping                    // it does the steps of a collective
	selecting                   // it selects a request of its WaitAny
	resuming                    // the co-simulator resumed it
	blocked
	suspended // until the co-simulator resumes it
	fetching  // until the program, which a worker runs, has given operations
	ended
)

// task is a sequence of operations of a rank: its whole program, one operation of a graph, or one nonblocking
// collective.
type task struct {
	t          unit.Picos // when it goes on
	row        int64      // of its operation
	op         *program.Op
	pending    int32 // the pending operation that it waits for or that it opened
	phase      phase
	number     int32
	completes  int32            // the pending operation that ends with this nonblocking collective
	collective *collectiveState // the progress of a collective
	stamp      *enqueueStamp    // with LogGOPSim, or nil
	portWait   unit.Picos       // of the probed message
	flight     unit.Picos
	cause      observe.Cause // with an Observer: why the probed message came, or why the last pending operation ended
	endedAt    unit.Picos    // when that operation ended, if the task waited for it
	room       *program.Op   // for op, if it is an operation of a graph
}

// resource is what a task must have to go on.
type resource uint8

const (
	nothing   resource = iota
	processor          // a free processor
	port               // a free processor and send port, with LogGOPSim
	postOrder          // with LogGOPSim: its place in the order of posted receives; needs no processor
	resources          // the number of resources
)

// resourceFor returns the resource that a task needs next.
func (r *rank) resourceFor(s *task) resource {
	sends := processor
	if r.e.LogGOPSim {
		sends = port
	}
	switch s.phase {
	case working:
		return processor
	case collecting:
		if !r.e.LogGOPSim {
			return processor
		}
	case starting:
		switch {
		case s.op.Kind == program.Send || s.op.Kind == program.Isend:
			return sends
		case r.e.LogGOPSim && (s.op.Kind == program.Recv || s.op.Kind == program.Irecv):
			return postOrder
		}
	case stepping:
		if s.collective.isSending() {
			return sends
		}
	}
	return nothing
}

// step lets a task do its next action at a time.
func (r *rank) step(s *task, now unit.Picos) {
	r.e.setCause(program.None, now)
	r.e.causes.row = noRow
	switch s.phase {
	case working:
		s.t = r.occupy(now, s.op.Work, observe.Computing, 0, 0)
		if s.phase = starting; r.e.Interrupts {
			r.computed = r.cpu
		}
		s.stamp.began(now)
		s.stamp.enqueueNext(s.t)
	case starting:
		r.e.ops++
		if r.e.obs != nil && r.observedRow(s) != noRow {
			r.e.causes.row = r.observedRow(s)
			r.e.obs.Began(r.id, r.e.causes.row, now)
		}
		r.startOp(s, now)
	case collecting:
		r.collect(s, now)
	case probed:
		r.e.setCause(s.cause.By, s.cause.Since)
		r.finish(s, r.occupy(now, 0, observe.Overhead, s.portWait, s.flight))
	case stepping:
		r.stepRound(s, now)
	case selecting:
		r.waitAny(s, now)
	case resuming:
		r.finishSuspended(s, now)
	}
}

// startOp begins the operation of a task.
func (r *rank) startOp(s *task, now unit.Picos) {
	op := s.op
	switch op.Kind {
	case program.Compute:
		r.finish(s, now)
	case program.Send, program.Isend:
		r.startSend(s, now)
	case program.Recv, program.Irecv:
		s.stamp.postedReceive()
		n := r.postReceive(op.Peer, op.Tag, op.Group, op.Bytes, now)
		if op.Kind == program.Recv {
			r.blockOn(s, n, now)
			return
		}
		r.openRequest(op.Request, n)
		r.finish(s, now)
	case program.Wait:
		r.startWait(s, now)
	case program.Probe:
		r.startProbe(s, now)
	case program.Collective:
		r.startCollective(s, now)
	case program.Test, program.Iprobe, program.Clock, program.AddToWaitAny, program.WaitAny:
		r.startQuery(s, now)
	case program.Suspended:
		r.startSuspended(s, now)
	default:
		r.e.fail(fmt.Errorf("rank %d: operation %d has the unknown kind %d", r.id, s.row, op.Kind))
	}
}

func (r *rank) startSend(s *task, now unit.Picos) {
	op := s.op
	if op.Peer < 0 || int(op.Peer) >= len(r.e.ranks) {
		r.e.fail(fmt.Errorf("rank %d: operation %d sends to rank %d, but there are only %d ranks", r.id, s.row, op.Peer, len(r.e.ranks)))
		return
	}
	if op.Kind == program.Send {
		now = r.waitForPort(now, op.Extra, op.Peer)
	}
	t, n := r.send(now, op.Peer, op.Tag, op.Group, op.Bytes, op.Extra, op.Kind == program.Send)
	if s.stamp.began(now); op.Kind == program.Send {
		s.stamp.enqueueNext(t)
	}
	switch {
	case op.Kind == program.Isend:
		r.openRequest(op.Request, n)
		r.finish(s, t)
	case n == completed:
		r.finish(s, t)
	default:
		r.blockOn(s, n, t)
	}
}

// waitForPort blocks the processor until a message can leave at the end of its overhead. It returns when that
// overhead begins.
func (r *rank) waitForPort(now, extra unit.Picos, to int32) unit.Picos {
	free := r.outFree - extra
	if free <= now || to == r.id || r.graph != nil || r.e.LogGOPSim {
		return now
	}
	r.e.setCausePort(r.id)
	return r.occupy(free, 0, observe.Overhead, free-now, 0)
}

// openRequest opens a request for a pending operation.
func (r *rank) openRequest(id, n int32) {
	old := n
	if id >= 0 {
		if old = r.requests.Open(id, n); old == 0 {
			return
		}
		r.e.reused++
	}
	if old > 0 { // no operation will wait for it
		p := &r.e.pendingOps.Items[old]
		if p.abandoned = true; p.done != unfinished {
			r.e.pendingOps.Drop(old)
		}
	}
}

func (r *rank) startWait(s *task, now unit.Picos) {
	id := s.op.Request
	s.stamp.enqueueNext(now)
	if id < 0 {
		r.finish(s, now)
		return
	}
	n := r.requests.Close(id)
	switch {
	case n == 0 && s.op.IgnoreClosed:
		r.finish(s, now)
		return
	case n == 0:
		r.e.fail(fmt.Errorf("rank %d: operation %d waits for request %d, which is not open", r.id, s.row, id))
		return
	}
	if n == completed {
		r.finish(s, now)
		return
	}
	r.blockOn(s, n, now)
}

// blockOn lets a task go on when a pending operation has ended.
func (r *rank) blockOn(s *task, n int32, now unit.Picos) {
	p := &r.e.pendingOps.Items[n]
	s.pending = n
	if p.done == unfinished {
		s.t, s.phase = now, blocked
		p.waiter = r.number(s)
		return
	}
	s.t, s.phase = max(now, p.done), collecting
}

// collect ends the wait of a task: the processor takes up the message.
func (r *rank) collect(s *task, now unit.Picos) {
	p := &r.e.pendingOps.Items[s.pending]
	long := unit.Picos(0)
	if p.kind == program.Irecv && !r.e.LogGOPSim {
		if long = r.e.ReceiveOverheadFrom(p.from, r.id, p.bytes); s.op.Kind != program.Collective {
			long += s.op.Extra
		}
		if p.copied {
			long += r.e.CopyTime(p.bytes)
		}
	}
	t := max(now, p.done)
	if s.stamp != nil {
		s.stamp.began(r.tookUpAt(p))
		s.stamp.enqueueNext(t)
	}
	if r.e.obs != nil {
		if r.e.causes.now = r.e.causes.pendingOps[s.pending]; p.done == t {
			s.cause, s.endedAt = r.e.causes.now, t
		}
	}
	if long > 0 || t > r.cpu {
		t = r.occupy(t, long, observe.Overhead, p.portWait, p.flight)
	}
	r.e.pendingOps.Drop(s.pending)
	s.pending = 0
	if s.op.Kind == program.Collective && s.collective != nil {
		s.t, s.phase = t, stepping
		r.advanceRound(s)
		return
	}
	r.finish(s, t)
}

func (r *rank) startProbe(s *task, now unit.Picos) {
	p := pendingOp{from: s.op.Peer, tag: s.op.Tag, group: s.op.Group}
	if i := r.firstSelected(&p); i != 0 {
		m := &r.e.packets.Items[i]
		s.t, s.phase, s.portWait, s.flight = max(now, m.at), probed, m.portWait, r.flightTime(i, m)
		r.e.setCausePacket(i)
		s.cause = r.e.causes.now
		r.reportProbe(s, m)
		return
	}
	s.t, s.phase = now, blocked
	r.probers = append(r.probers, r.number(s))
}
