package engine

import (
	"fmt"

	"spoor/traces/unit"
)

// phase is how far a strand is with its operation.
type phase uint8

const (
	working    phase = 1 + iota // it has Work to do
	starting                    // it comes to the operation itself
	collecting                  // what it waited for is there
	probed                      // the message that it looked for is there
	stepping                    // it does the steps of a collective
	choosing                    // one of those that it waits for may be there
	returned                    // it was away
	blocked
	away // until it comes back
	ended
)

// strand is a sequence of operations of a rank: all of its program, one operation of a graph, or
// one nonblocking collective.
type strand struct {
	t      unit.Picos // when it goes on
	row    int64      // of its operation
	op     *Op
	on     int32 // the pending operation that it waits for, or that it opened
	phase  phase
	number int32
	own    int32      // what ends with it, if it is a nonblocking one
	round  *round     // of a collective
	agenda *agenda    // LogGOPSim's, or nil
	late   unit.Picos // of the message that was probed
	fly    unit.Picos
	why    Cause      // of its coming, if there is an Observer; or of the end of what was waited for last
	met    unit.Picos // when that was, if it was not before the strand waited
}

// need is what a strand must have to go on.
type need uint8

const (
	nothing   need = iota
	processor      // to be free
	port           // and the port of messages that leave: LogGOPSim
	turns          // its turn, to post a receive, which takes no processor: LogGOPSim
	needs          // how many there are
)

// need says which.
func (r *rank) need(s *strand) need {
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
		case s.op.Kind == Send || s.op.Kind == Isend:
			return sends
		case r.e.LogGOPSim && (s.op.Kind == Recv || s.op.Kind == Irecv):
			return turns
		}
	case stepping:
		if s.round.sends() {
			return sends
		}
	}
	return nothing
}

// step has a strand do the next thing at a time.
func (r *rank) step(s *strand, now unit.Picos) {
	r.e.because(None, now)
	r.e.causes.row = nowhere
	switch s.phase {
	case working:
		s.t = r.use(now, s.op.Work, Computing, 0, 0)
		s.phase = starting
		s.agenda.did(now)
		s.agenda.follow(s.t)
	case starting:
		r.e.ops++
		if r.e.obs != nil && s.op.Kind != Among {
			r.e.obs.Began(r.id, s.row, now)
			r.e.causes.row = s.row
		}
		r.start(s, now)
	case collecting:
		r.collect(s, now)
	case probed:
		r.e.because(s.why.By, s.why.Since)
		r.finish(s, r.use(now, 0, Overhead, s.late, s.fly))
	case stepping:
		r.stepRound(s, now)
	case choosing:
		r.choose(s, now)
	case returned:
		r.comeBack(s, now)
	}
}

// start begins the operation of a strand.
func (r *rank) start(s *strand, now unit.Picos) {
	op := s.op
	switch op.Kind {
	case Compute:
		r.finish(s, now)
	case Send, Isend:
		r.startSend(s, now)
	case Recv, Irecv:
		s.agenda.posted()
		n := r.offer(op.Peer, op.Tag, op.Group, op.Bytes, now)
		if op.Kind == Recv {
			r.await(s, n, now)
			return
		}
		r.request(op.Request, n)
		r.finish(s, now)
	case Wait:
		r.startWait(s, now)
	case Probe:
		r.startProbe(s, now)
	case Collective:
		r.startCollective(s, now)
	case Test, Iprobe, Clock, Among, WaitAny:
		r.startLive(s, now)
	case Away:
		r.startAway(s, now)
	default:
		r.e.fail(fmt.Errorf("rank %d: operation %d is of kind %d, which there is not", r.id, s.row, op.Kind))
	}
}

func (r *rank) startSend(s *strand, now unit.Picos) {
	op := s.op
	if op.Peer < 0 || int(op.Peer) >= len(r.e.ranks) {
		r.e.fail(fmt.Errorf("rank %d: operation %d sends to rank %d of %d", r.id, s.row, op.Peer, len(r.e.ranks)))
		return
	}
	if op.Kind == Send {
		now = r.stall(now, op.Extra, op.Peer)
	}
	t, n := r.send(now, op.Peer, op.Tag, op.Group, op.Bytes, op.Extra)
	if s.agenda.did(now); op.Kind == Send {
		s.agenda.follow(t)
	}
	switch {
	case op.Kind == Isend:
		r.request(op.Request, n)
		r.finish(s, t)
	case n == over:
		r.finish(s, t)
	default:
		r.await(s, n, t)
	}
}

// stall has the processor wait until what it sends can leave when the processor has done with it.
func (r *rank) stall(now, extra unit.Picos, to int32) unit.Picos {
	free := r.out - extra
	if free <= now || to == r.id || r.graph != nil || r.e.LogGOPSim {
		return now
	}
	r.e.becauseOfPort(r.id)
	return r.use(free, 0, Overhead, free-now, 0)
}

// request opens a request for a pending operation.
func (r *rank) request(id, n int32) {
	old := n
	if id >= 0 {
		if old = r.requests.open(id, n); old == 0 {
			return
		}
		r.e.reused++
	}
	if old > 0 { // nobody will ask for it
		p := &r.e.pendings.items[old]
		if p.left = true; p.done != undone {
			r.e.pendings.drop(old)
		}
	}
}

func (r *rank) startWait(s *strand, now unit.Picos) {
	id := s.op.Request
	s.agenda.follow(now)
	if id < 0 {
		r.finish(s, now)
		return
	}
	n := r.requests.close(id)
	switch {
	case n == 0 && s.op.Lenient:
		r.finish(s, now)
		return
	case n == 0:
		r.e.fail(fmt.Errorf("rank %d: operation %d waits for request %d, which is not open", r.id, s.row, id))
		return
	}
	if n == over {
		r.finish(s, now)
		return
	}
	r.await(s, n, now)
}

// await lets a strand go on when a pending operation has ended.
func (r *rank) await(s *strand, n int32, now unit.Picos) {
	p := &r.e.pendings.items[n]
	s.on = n
	if p.done == undone {
		s.t, s.phase = now, blocked
		p.waiter = r.number(s)
		return
	}
	s.t, s.phase = max(now, p.done), collecting
}

// collect ends what a strand waited for: the processor takes up the message.
func (r *rank) collect(s *strand, now unit.Picos) {
	p := &r.e.pendings.items[s.on]
	long := unit.Picos(0)
	if p.what == Irecv && !r.e.LogGOPSim {
		if long = r.e.receiving(p.bytes); s.op.Kind != Collective {
			long += s.op.Extra
		}
	}
	t := max(now, p.done)
	if s.agenda != nil {
		s.agenda.did(r.taken(p))
		s.agenda.follow(t)
	}
	if r.e.obs != nil {
		if r.e.causes.now = r.e.causes.pendings[s.on]; p.done == t {
			s.why, s.met = r.e.causes.now, t
		}
	}
	if long > 0 || t > r.cpu {
		t = r.use(t, long, Overhead, p.late, p.fly)
	}
	r.e.pendings.drop(s.on)
	s.on = 0
	if s.op.Kind == Collective && s.round != nil {
		s.t, s.phase = t, stepping
		r.nextOfRound(s)
		return
	}
	r.finish(s, t)
}

func (r *rank) startProbe(s *strand, now unit.Picos) {
	p := pending{from: s.op.Peer, tag: s.op.Tag, group: s.op.Group}
	if i := r.first(&p); i != 0 {
		m := &r.e.mails.items[i]
		s.t, s.phase, s.late, s.fly = max(now, m.at), probed, m.late, r.flight(i, m)
		r.e.becauseOf(i)
		s.why = r.e.causes.now
		r.found(s, m)
		return
	}
	s.t, s.phase = now, blocked
	r.probers = append(r.probers, r.number(s))
}
