package engine

import (
	"fmt"

	"spoor/traces/unit"
)

// parcel is a mail to a rank of another worker.
type remotePacket struct {
	packet
	cause Cause // it was sent, if there is an Observer
	to    int32
}

// outlet is what a worker sends to others: when they meet, each takes what is for it, and the worker
// goes on with the other side.
type outbox struct {
	sides [2][][]remotePacket // by worker
	side  int
	first unit.Picos // when the first of them comes
	sent  uint64
}

func (o *outbox) open(workers int) {
	for side := range o.sides {
		o.sides[side] = make([][]remotePacket, workers)
	}
	o.first = never
}

// turn begins a side: what was on it has been taken.
func (o *outbox) flip() {
	o.side, o.first = 1-o.side, never
	for w := range o.sides[o.side] {
		o.sides[o.side][w] = o.sides[o.side][w][:0]
	}
}

// ownerOf is the worker of a rank: the inverse of newEngines.
func (e *engine) workerOf(rank int32) int {
	return ((int(rank)+1)*len(e.outbox.sides[0]) - 1) / len(e.ranks)
}

// send puts a mail in for a rank of another worker.
func (e *engine) sendRemote(to int32, m *packet) {
	o, w := &e.outbox, e.workerOf(to)
	o.sides[o.side][w] = append(o.sides[o.side][w], remotePacket{*m, e.causes.now, to})
	o.first = min(o.first, m.at)
	o.sent++
}

// collect takes what others sent before the meeting.
func (e *engine) receiveRemote(from []*engine, side int) {
	for _, other := range from {
		if other == e {
			continue
		}
		for i := range other.outbox.sides[side][e.number] {
			p := &other.outbox.sides[side][e.number][i]
			if p.at < e.settledUntil {
				e.active = p.to
				e.fail(fmt.Errorf("rank %d: a message from rank %d comes at %v, and all until %v is done; this is a bug of the engine: use the sequential one", p.to, p.from, p.at, e.settledUntil))
				return
			}
			e.active, e.causes.now = None, p.cause
			e.enqueueArrival(p.to, &p.packet, 0)
		}
	}
}
