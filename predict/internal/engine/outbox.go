package engine

import (
	"fmt"

	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// remotePacket is a packet to a rank of another worker.
type remotePacket struct {
	packet
	cause observe.Cause // of its sending, if there is an Observer
	to    int32
}

// outbox holds what a worker sends to others. After a barrier, each worker takes its part, and the sender fills the
// other side.
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

// flip begins the other side, whose packets have been taken.
func (o *outbox) flip() {
	o.side, o.first = 1-o.side, never
	for w := range o.sides[o.side] {
		o.sides[o.side][w] = o.sides[o.side][w][:0]
	}
}

// workerOf returns the worker of a rank. It is the inverse of the division in newEngines.
func (e *engine) workerOf(rank int32) int {
	return ((int(rank)+1)*e.simulators - 1) / len(e.ranks)
}

// sendRemote puts a packet to a rank of another worker into the outbox.
func (e *engine) sendRemote(to int32, m *packet) {
	o, w := &e.outbox, e.workerOf(to)
	o.sides[o.side][w] = append(o.sides[o.side][w], remotePacket{*m, e.causes.now, to})
	o.first = min(o.first, m.at)
	o.sent++
}

// receiveRemote takes what others sent before the barrier.
func (e *engine) receiveRemote(from []*engine, side int) {
	for _, other := range from {
		if other == e {
			continue
		}
		for i := range other.outbox.sides[side][e.number] {
			p := &other.outbox.sides[side][e.number][i]
			if p.at < e.settledUntil {
				e.active = p.to
				e.fail(fmt.Errorf("rank %d: a message from rank %d arrives at %v, but the rank is simulated up to %v; this is a bug: use the sequential engine", p.to, p.from, p.at, e.settledUntil))
				return
			}
			e.active, e.causes.now = program.None, p.cause
			e.enqueueArrival(p.to, &p.packet, 0)
		}
	}
}
