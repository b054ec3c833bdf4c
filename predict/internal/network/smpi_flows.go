package network

import (
	"fmt"

	"spoor/predict/internal/network/routing"
	"spoor/traces/heap"
	"spoor/traces/unit"
)

// smpiFlow is a message that is in flight or will be sent.
type smpiFlow struct {
	*smpiPath
	index     []int32 // its index in each link of its path
	remaining float64 // bytes, at since
	factor    float64 // of its share
	rate      float64 // bytes per picosecond
	share     float64 // of the solver
	since     unit.Picos
	event     unit.Picos // when its latency has passed or, if it has begun, when it ends
	sent      unit.Picos
	latency   unit.Picos // with factor
	order     Order
	solve     uint64 // last solve that it was part of
	bytes     unit.Bytes
	begun     bool
	known     bool // share is known
}

// smpiEvents are the messages in flight, and when they begin or end.
type smpiEvents struct {
	flows   []smpiFlow
	free    []int32
	events  heap.Indexed[unit.Picos, int32, uint32, struct{}] // ties by order
	now     unit.Picos
	ended   []Completion
	touched []*smpiLink
}

// Send implements SharedLinks. The two nodes may be the same.
func (s *SMPI) Send(at unit.Picos, m Message, o Order) {
	if at < s.now {
		panic(fmt.Sprintf("network: a message at %d ps, after what happened at %d ps", int64(at), int64(s.now)))
	}
	s.history.sent.add(m.Bytes)
	id := s.allocate()
	n, path, bytes := &s.flows[id], s.between(m.From, m.To), withEnvelope(m.Bytes)
	factor, latencyFactor := s.of(bytes)
	latency := picos(path.latency * latencyFactor)
	*n = smpiFlow{smpiPath: path, index: n.index[:0], remaining: bytes, factor: factor, event: min(at+latency, Horizon), sent: at, latency: latency,
		order: o, bytes: m.Bytes}
	s.schedule(id)
}

// allocate returns the number of a new message.
func (s *smpiEvents) allocate() int32 {
	if n := len(s.free); n > 0 {
		id := s.free[n-1]
		s.free = s.free[:n-1]
		return id
	}
	s.flows = append(s.flows, smpiFlow{})
	return int32(len(s.flows) - 1)
}

// schedule puts a message in its place among the events.
func (s *smpiEvents) schedule(id int32) {
	n := &s.flows[id]
	s.events.Put(id, heap.Item[unit.Picos, int32, uint32, struct{}]{Key: n.event, Tie: n.order.Major, Turn: n.order.Minor})
}

// Next returns when the next message begins or ends, or Never.
func (s *SMPI) Next() unit.Picos {
	if s.events.Len() == 0 {
		return Never
	}
	_, first := s.events.First()
	return first.Key
}

// Step simulates all events at Next. It returns the messages that end, by their order. The slice is valid until the
// next Step.
func (s *SMPI) Step() []Completion {
	s.now = s.Next()
	s.ended, s.touched = s.ended[:0], s.touched[:0]
	for s.events.Len() > 0 && s.Next() == s.now {
		id := s.events.Pop()
		n := &s.flows[id]
		for _, h := range n.hops {
			s.touched = append(s.touched, h.smpiLink)
		}
		if !n.begun {
			s.enter(id)
			continue
		}
		s.leave(id)
		idle := n.latency + picos(withEnvelope(n.bytes)/(n.idleRate*n.factor))
		s.ended = append(s.ended, Completion{n.order.Tag, n.sent, delivered(n.sent, s.now, s.now, idle), true, true})
		s.free = append(s.free, id)
	}
	s.solve(s.flows, s.touched)
	for _, id := range s.part {
		s.setRate(id, s.flows[id].share)
	}
	return s.ended
}

// enter puts a message on its links. Without links, its rate is known.
func (s *SMPI) enter(id int32) {
	n := &s.flows[id]
	n.begun, n.since = true, s.now
	for i, h := range n.hops {
		n.index = append(n.index, int32(len(h.on)))
		h.on = append(h.on, smpiRef{id, int32(i)})
		if i < n.forward {
			h.sent.add(n.bytes)
		}
	}
	if len(n.hops) == 0 {
		s.setRate(id, n.bound)
	}
}

// leave takes a message off its links.
func (s *SMPI) leave(id int32) {
	n := &s.flows[id]
	for i, h := range n.hops {
		at, last := n.index[i], len(h.on)-1
		moved := h.on[last]
		h.on[at] = moved
		s.flows[moved.flow].index[moved.hop] = at
		h.on = h.on[:last]
	}
}

// setRate gives a message a share of the bandwidth, and computes its end.
func (s *SMPI) setRate(id int32, share float64) {
	n := &s.flows[id]
	rate := share * n.factor
	if d := rate - n.rate; d <= endTolerance*n.rate && -d <= endTolerance*n.rate {
		return
	}
	n.remaining -= n.rate * float64(s.now-n.since)
	n.rate, n.since = rate, s.now
	n.event = min(s.now+max(1, roundTime(max(0, n.remaining)/rate)), Horizon)
	s.schedule(id)
}

// Usage returns the use of the links. The busy time of a link is the time of its messages at its full bandwidth.
func (s *SMPI) Usage() Usage {
	var parts []Part
	add := func(name string, l *smpiLink) {
		if t := l.sent; t.messages > 0 {
			parts = append(parts, Part{name, t.messages, t.bytes, picos((float64(t.bytes) + smpiEnvelope*float64(t.messages)) / l.capacity)})
		}
	}
	if s.linked {
		for l, link := range s.routes.Links.All() {
			add(routing.LinkName(s.routes.Net, l), link)
		}
	}
	if s.backbone != nil {
		add("backbone", s.backbone)
	}
	return s.usage(parts)
}
