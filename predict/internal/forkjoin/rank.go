package forkjoin

import (
	"spoor/predict/internal/engine/cost"
	"spoor/traces/heap"
	"spoor/traces/unit"
)

// arrival is a message that is in flight or waits for the processor: its receive, ordered by the time at which it comes, ties by sender.
type arrival = heap.Item[unit.Picos, int32, uint8, uint32]

// leastArrivals is the room for arrivals of most ranks.
const leastArrivals = 4

// rank is the state of a rank.
type rank struct {
	cpu, outFree, inFree unit.Picos // until when its processor and its ports are taken

	// When the operations of the present stage were enqueued, and when the last of those that began did so. See cost.Model.LogGOPSim.
	enqueued, began unit.Picos

	at, end, stop uint32 // the send or computation that comes next, the end of its stage, the end of the program
	waiting       int32  // receives of the stage whose messages have not come

	next   unit.Picos // before which it sends nothing
	window int64      // of next, in the calendar

	arrivals            heap.Heap[unit.Picos, int32, uint8, uint32]
	contention, latency unit.Picos // time that the processor waited for messages that waited, and that were in flight
}

// beforeAll is before every time.
const beforeAll unit.Picos = -1

// never is later than all events.
const never = unit.Picos(1<<63 - 1)

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
		r.at = r.end
		s.scan(r)
	}
}

// ended is the number of messages that a rank waits for after its program.
const ended = -1

// scan looks for the end of a stage, and counts the messages that it waits for.
func (s *simulation) scan(r *rank) {
	r.began = max(0, r.enqueued)
	first := never32
	for i := r.at; ; i++ {
		op := &s.ops[i]
		switch {
		case op.kind == recv && s.early.has(i):
			r.began = max(r.began, r.cpu)
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

const never32 = ^uint32(0)

// run simulates a rank up to a limit, before which it knows all its messages.
func (s *simulation) run(r *rank, id int32, limit unit.Picos) {
	for {
		begins := never
		if r.at < r.end {
			if begins = r.cpu; s.ops[r.at].kind == send {
				begins = max(begins, r.outFree)
			}
		}
		if len(r.arrivals) > 0 {
			takes := max(r.arrivals[0].Key, r.cpu, r.inFree)
			if takes < begins || takes == begins && s.isFirst(r, id) {
				if takes >= limit {
					break
				}
				s.receive(r, id, takes)
				continue
			}
		}
		if begins >= limit {
			break
		}
		s.perform(r, id, begins)
	}
	r.next = s.bound(r)
}

// isFirst reports whether a rank takes up a message before it goes on, when it could do either: what was enqueued first goes first.
func (s *simulation) isFirst(r *rank, id int32) bool {
	sent := r.arrivals[0].Key - s.flight
	return sent < r.enqueued || sent == r.enqueued && r.arrivals[0].Tie < id
}

// receive lets the processor take up the first message.
func (s *simulation) receive(r *rank, id int32, now unit.Picos) {
	s.done++
	m := r.arrivals.Pop()
	carry := s.carry(s.ops[m.Value].bytes)
	if idle := now - r.cpu; idle > 0 {
		waited := min(now-m.Key, idle)
		r.contention += waited
		r.latency += min(s.model.Latency, idle-waited)
	}
	r.cpu = now + s.model.Receive + carry
	r.inFree = min(now+s.model.Gap+carry, cost.Horizon)
	if m.Value >= r.end {
		s.early.add(m.Value)
		return
	}
	r.began = max(r.began, now)
	if r.waiting--; r.waiting == 0 && r.at == r.end {
		s.begin(r, id)
	}
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
		r.outFree = min(now+s.model.Gap+s.carry(op.bytes), cost.Horizon)
		s.deliver(op, id, max(now+s.flight, now+1))
	}
	for r.at++; r.at < r.end && s.ops[r.at].kind == recv; r.at++ {
	}
	if r.at == r.end && r.waiting == 0 {
		s.begin(r, id)
	}
}

// deliver gives a message to its receiver.
func (s *simulation) deliver(op *operation, from int32, at unit.Picos) {
	to, i := op.receive()
	d := &s.ranks[to]
	d.arrivals.Push(arrival{Key: at, Tie: from, Value: i})
	if d.at < d.end || int(d.waiting) > len(d.arrivals) {
		return
	}
	if next := max(at, s.bound(d)); next < d.next { // without this message it would have done nothing before d.next
		d.next = next
		s.put(d, to)
	}
}

// bound returns a time before which a rank sends nothing, unless other messages come to it.
func (s *simulation) bound(r *rank) unit.Picos {
	switch n := len(r.arrivals); {
	case r.at < r.end && s.ops[r.at].kind == send:
		return max(r.cpu, r.outFree)
	case r.at < r.end:
		return r.cpu + s.durations[s.ops[r.at].link]
	case r.waiting == ended || int(r.waiting) > n:
		return never
	case int(r.waiting) == n:
		last := max(r.cpu, r.inFree)
		for i := range r.arrivals {
			last = max(last, r.arrivals[i].Key)
		}
		return last + s.model.Receive + s.computation(r.end, r.stop)
	default:
		return max(r.arrivals[0].Key, r.cpu, r.inFree) + unit.Picos(r.waiting)*s.model.Receive + s.computation(r.end, r.stop)
	}
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
