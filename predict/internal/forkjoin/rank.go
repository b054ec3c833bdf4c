package forkjoin

import (
	"spoor/predict/internal/engine/cost"
	"spoor/traces/heap"
	"spoor/traces/unit"
)

// message is a message on its way: the number of its receive, and how long it waited for ports.
type message struct {
	portWait unit.Picos
	receive  uint32
}

// arrival is a message in flight, ordered by the time of its first byte, ties by sender and order of sending.
type arrival = heap.Item[unit.Picos, int32, uint32, message]

// rank is the state of a rank.
type rank struct {
	cpu, outFree, inFree unit.Picos // until when its processor and its ports are taken
	ready                unit.Picos // when its stage began

	at, end, stop uint32 // the send or computation that comes next, the end of its stage, the end of the program
	waiting       int32  // receives of the stage that have not ended
	sent          uint32 // messages so far

	next   unit.Picos // before which it sends nothing
	window int64      // of next, in the calendar

	arrivals heap.Heap[unit.Picos, int32, uint32, message]
	// Messages of later stages: by receive, with the time at which all of the message is there, and portWait.
	early heap.Heap[uint32, unit.Picos, uint8, unit.Picos]
	// With LogGPS, messages for the processor: by time and receive, with portWait.
	arrived heap.Heap[unit.Picos, uint32, uint8, unit.Picos]
	logGOP  // with LogGOPSim

	virtualIn, overlap, contention, latency unit.Picos // see outcome.Rank
}

// leastArrivals is the room for arrivals of most ranks.
const leastArrivals = 4

// never is later than all events.
const never = unit.Picos(1<<63 - 1)

// ended is the number of messages that a rank waits for after its program.
const ended = -1

// begin goes to the next stage that does not end at once. The stage before it ended when the processor became free.
func (s *simulation) begin(r *rank, id int32) {
	for r.at == r.end && r.waiting == 0 {
		if r.end == r.stop {
			r.waiting = ended
			return
		}
		if r.end > s.starts[id] {
			r.enqueued = r.began
		}
		r.at, r.ready, r.began = r.end, r.cpu, max(0, r.enqueued)
		s.scan(r)
		for len(r.early) > 0 && r.early[0].Key < r.end {
			s.takeEarly(r)
		}
	}
}

// scan looks for the end of a stage and for its first send or computation. A computation of no time ends at once.
func (s *simulation) scan(r *rank) {
	first := ^uint32(0)
	for i := r.at; ; i++ {
		op := &s.ops[i]
		switch {
		case op.kind == recv:
			r.waiting++
		case op.kind == send || s.durations[op.link] > 0:
			first = min(first, i)
		default:
			s.done++
		}
		if op.last {
			r.end = i + 1
			break
		}
	}
	r.at = min(first, r.end)
}

// takeEarly gives the first of the early messages to its receive, whose stage begins.
func (s *simulation) takeEarly(r *rank) {
	m := r.early.Pop()
	if s.logGOPSim {
		r.waiting--
		r.began = max(r.began, r.cpu)
		return
	}
	r.arrived.Push(heap.Item[unit.Picos, uint32, uint8, unit.Picos]{Key: max(m.Tie, r.ready), Tie: m.Key, Value: m.Value})
}

// run simulates a rank up to a limit, before which it knows all its messages.
func (s *simulation) run(r *rank, id int32, limit unit.Picos) {
	if s.logGOPSim {
		s.runLogGOPSim(r, id, limit)
	} else {
		s.runLogGPS(r, id, limit)
	}
	r.next = max(limit, s.bound(r))
}

// wait accounts for the time in which the processor waited for a message: for ports, and for its flight.
func (r *rank) wait(idle, portWait, flight unit.Picos) {
	portWait = min(portWait, idle)
	r.contention += portWait
	r.latency += min(flight, idle-portWait)
}

// perform does the next send or computation.
func (s *simulation) perform(r *rank, id int32, now unit.Picos) {
	s.done++
	op := &s.ops[r.at]
	r.began = max(r.began, now)
	if op.kind == compute {
		r.cpu = now + s.durations[op.link]
	} else {
		r.cpu = now + s.model.Send
		r.sent++
		leaves := max(now, r.outFree)
		r.outFree = min(leaves+s.model.Gap+s.carry(op.bytes), cost.Horizon)
		s.deliver(op, id, max(leaves+s.flight, now+1), leaves-now)
	}
	for r.at++; r.at < r.end && s.ops[r.at].kind == recv; r.at++ {
	}
	if r.at == r.end && r.waiting == 0 {
		s.begin(r, id)
	}
}

// deliver gives a message to its receiver.
func (s *simulation) deliver(op *operation, from int32, at, portWait unit.Picos) {
	to, i := op.receive()
	d := &s.ranks[to]
	d.arrivals.Push(arrival{Key: at, Tie: from, Turn: s.ranks[from].sent, Value: message{portWait, i}})
	if d.at < d.end || int(d.waiting) > len(d.arrivals)+len(d.arrived) {
		return
	}
	if next := max(at, s.bound(d)); next < d.next { // without this message it would have done nothing before d.next
		d.next = next
		s.put(d, to)
	}
}

// bound returns a time before which a rank sends nothing, unless other messages come to it. It is later than all that the rank has done, so
// that windows in which a rank only waits are not simulated.
func (s *simulation) bound(r *rank) unit.Picos {
	flying, there, free := len(r.arrivals), len(r.arrived), r.cpu
	if s.logGOPSim {
		free = max(free, r.inFree)
	}
	switch waiting := int(r.waiting); {
	case r.at < r.end && s.ops[r.at].kind == send:
		if s.logGOPSim {
			return max(r.cpu, r.outFree)
		}
		return r.cpu
	case r.at < r.end:
		return r.cpu + s.durations[s.ops[r.at].link]
	case waiting == ended || waiting > flying+there:
		return never
	case waiting == there:
		return max(r.arrived[0].Key, free) + unit.Picos(waiting)*s.model.Receive + s.computation(r.end, r.stop)
	case waiting == flying+there:
		for i := range r.arrivals {
			free = max(free, r.arrivals[i].Key)
		}
		return free + s.model.Receive + s.computation(r.end, r.stop)
	}
	return max(r.arrivals[0].Key, free) + s.model.Receive + s.computation(r.end, r.stop)
}

// computation returns the duration of an operation if it is a computation before the end of the program.
func (s *simulation) computation(i, stop uint32) unit.Picos {
	if i < stop && s.ops[i].kind == compute {
		return s.durations[s.ops[i].link]
	}
	return 0
}

// carry returns the time of the bytes of a message.
func (s *simulation) carry(bytes uint32) unit.Picos {
	if bytes != s.size {
		s.size, s.sizeCarry = bytes, s.model.BytesTime(int64(bytes))
	}
	return s.sizeCarry
}
