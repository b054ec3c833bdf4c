package forkjoin

import (
	"spoor/predict/internal/engine/cost"
	"spoor/traces/heap"
	"spoor/traces/unit"
)

// runLogGPS simulates a rank up to a limit. Its processor does first what could begin first, ties in the order of the program. A message
// that comes at a time is there for what the processor does at that time.
func (s *simulation) runLogGPS(r *rank, id int32, limit unit.Picos) {
	for {
		begins, collects := never, false
		if r.at < r.end {
			begins = r.cpu
		}
		if len(r.arrived) > 0 {
			if first := &r.arrived[0]; begins == never || first.Key == r.ready && first.Tie < r.at {
				begins, collects = max(first.Key, r.cpu), true
			}
		}
		comes := never
		if len(r.arrivals) > 0 {
			comes = r.arrivals[0].Key
		}
		switch {
		case min(comes, begins) >= limit:
			return
		case comes <= begins:
			s.arrive(r)
		case collects:
			s.collect(r, id, begins)
		default:
			s.perform(r, id, begins)
		}
	}
}

// arrive brings the first message through the port of its receiver.
func (s *simulation) arrive(r *rank) {
	m := r.arrivals.Pop()
	carry := s.carry(s.ops[m.Value.receive].bytes)
	start := max(m.Key, r.inFree)
	if r.inFree = start + s.model.Gap; s.model.ReceiverPort {
		r.inFree = min(r.inFree+carry, cost.Horizon)
	} else {
		queued := max(m.Key, r.virtualIn)
		r.virtualIn = min(queued+s.model.Gap+carry, cost.Horizon)
		r.overlap += queued - start
	}
	there, portWait := start+carry, m.Value.portWait+start-m.Key
	if m.Value.receive >= r.end {
		r.early.Push(heap.Item[uint32, unit.Picos, uint8, unit.Picos]{Key: m.Value.receive, Tie: there, Value: portWait})
		return
	}
	r.arrived.Push(heap.Item[unit.Picos, uint32, uint8, unit.Picos]{Key: max(there, r.ready), Tie: m.Value.receive, Value: portWait})
}

// collect lets the processor take the first message that is there.
func (s *simulation) collect(r *rank, id int32, now unit.Picos) {
	s.done++
	m := r.arrived.Pop()
	if idle := now - r.cpu; idle > 0 {
		r.wait(idle, m.Value, s.model.Latency+s.carry(s.ops[m.Tie].bytes))
	}
	r.cpu = now + s.model.Receive
	if r.waiting--; r.waiting == 0 && r.at == r.end {
		s.begin(r, id)
	}
}
