package engine

import "spoor/traces/unit"

// agenda is when LogGOPSim scheduled what a strand does: of two things that need the processor when it is free, that which was scheduled first
// is first. An operation schedules what follows when it begins: computation and sends when they have the processor, a receive when its message has, or when
// it is posted if that was before. What is nonblocking is scheduled together, up to the next wait, and that schedules what follows when the
// last of it has begun. In other semantics there is none.
type agenda struct {
	since unit.Picos // when the present operation was scheduled
	last  unit.Picos // when the last operation began of those that were scheduled with it
	begun unit.Picos // when the first of them could begin
}

// atFirst is before all that is scheduled at any time.
const atFirst unit.Picos = -1

// did is that an operation began at a time.
func (a *agenda) did(at unit.Picos) {
	if a != nil {
		a.last = max(a.last, at)
	}
}

// posted is that a receive was.
func (a *agenda) posted() {
	if a != nil {
		a.last = max(a.last, a.begun)
	}
}

// follow is that what follows those that began is scheduled, and can begin at a time.
func (a *agenda) follow(begin unit.Picos) {
	if a != nil {
		a.since, a.begun = a.last, begin
	}
}

// taken is when a pending operation that has ended began: when the processor took up the message.
func (r *rank) taken(p *pending) unit.Picos {
	if p.what != Irecv {
		return p.done
	}
	return p.done - r.e.Receive - r.e.carry(p.bytes)
}

// mailIsFirst is whether a rank of LogGOPSim takes up a mail before it goes on, when it could do either at a time.
func (r *rank) mailIsFirst(now unit.Picos) bool {
	e := r.e
	if now == never || len(r.releases) > 0 && r.releases[0].at == now {
		return true
	}
	since := atFirst
	if r.more != nil {
		since = r.more.scheduled(r, now)
	} else if s := &r.main; r.need(s) != nothing {
		since = s.agenda.since
	}
	sent := r.arrivals[0].at - e.Latency - e.Send
	return sent < since || sent == since && r.arrivals[0].from < r.id
}
