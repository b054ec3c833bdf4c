package engine

import (
	"spoor/predict/network"
	"spoor/traces/unit"
)

// flight is for how long a mail that comes to r has been on its way, and not late: since the send.
func (r *rank) flight(i int32, m *mail) (fly unit.Picos) {
	e := r.e
	switch {
	case e.linked():
		return e.flights[i]
	case e.LogGOPSim:
		return e.Latency
	case m.from == r.id:
	case m.kind == eager:
		return max(0, e.flying(m.bytes))
	default:
		if fly = max(0, e.flying(0)) * flights[m.kind]; m.kind == data {
			fly += max(0, e.flying(m.bytes))
		}
	}
	switch m.kind {
	case answer:
		fly += e.sending(0) + e.receiving(0)
	case data:
		fly += e.sending(0) + e.sending(m.bytes) + 2*e.receiving(0)
	}
	return fly
}

// flying is for how long a message is on its way when its sender's processor has done with it. That is less
// than nothing if its receiver may have it sooner.
func (e *engine) flying(bytes int64) unit.Picos {
	if e.Sizes != nil {
		return e.reach() - e.sending(bytes) + e.carry(bytes)
	}
	return e.Latency + e.carry(bytes)
}

// flights are how many mails without bytes one after the other there are, with those before it.
var flights = [...]unit.Picos{ask: 1, answer: 2, data: 2, release: 0}

// arriveBehind delivers a mail whose way ends at a time, but not before those that its sender sent before to the same receiver:
// for that it is late.
func (r *rank) arriveBehind(to int32, m mail, at, fly unit.Picos) {
	e, pair := r.e, pairOf(r.id, to)
	m.at = max(at, e.pairs[pair])
	m.late += m.at - at
	e.pairs[pair] = m.at
	why := e.causes.now
	e.boundByOrder(pair, m.at > at)
	e.deliver(to, m, fly)
	e.causes.now = why
}

// overLinks sends a message over Net.
func (e *engine) overLinks(at unit.Picos, from, to int32, bytes int64) network.Delivery {
	m := network.Message{From: e.Node(from), To: e.Node(to), Bytes: unit.Bytes(bytes)}
	d := e.Net.Send(at, m)
	if d.Latency >= maxDuration {
		e.fail(tooLong(from, to, bytes))
	}
	if m.From != m.To {
		e.boundByLinks()
	}
	return d
}
