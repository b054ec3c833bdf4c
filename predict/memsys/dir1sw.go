package memsys

import (
	"fmt"

	"spoor/calibrate/machine"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Dir1SW is a machine whose homes have one pointer or counter for each line, and software for what that cannot do
// [falsafi1997, sec. 4]. There, the caches of its 32 nodes have 32 KB in 4 ways, a TLB has 64 entries, and the network takes 100
// cycles, without contention.
//
// While nobody has a line modified, the home counts its copies; otherwise it points to who has. Hardware answers loads of lines that
// nobody else has modified, and stores to lines that nobody else has; caches tell the home of all lines that they
// replace, so that the counter is right. All else traps, and software holds the home for Directory.Trap: it asks the one that the
// pointer names for the line, or tells all other processors to invalidate theirs, as a counter does not say who has one. They
// answer to the home, and then it answers to the requester. The paper has no more than the name; this is how we understand
// [hill1993]. The protocol is msi. Requests wait for earlier ones for the same line as on [CCNUMA].
//
// Differs: the wind tunnel simulates quanta as long as the latency of the network, so that what nodes do to each other in
// one shows in the next. This is how it is simulated in parallel, not what is simulated: no time is rounded to
// quanta here. Software runs on no processor of the program.
//
// [hill1993] M. Hill, J. Larus, S. Reinhardt, D. Wood: Cooperative shared memory: software and
// hardware for scalable multiprocessors. ACM TOCS 11(4), 1993.
type Dir1SW struct{}

var _ Target = Dir1SW{}

// Name is "dir1sw".
func (Dir1SW) Name() string { return "dir1sw" }

// New is a Dir1SW machine with empty caches and TLBs.
func (Dir1SW) New(c Config) (System, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Protocol != (Protocol{}) && c.Protocol.Name != machine.MSI {
		return nil, fmt.Errorf("protocol %s; target dir1sw has msi", c.Protocol.Name)
	}
	n, err := newNodes(&c)
	if err != nil {
		return nil, err
	}
	s := newCoherent(&c)
	s.interconnect = &dir1swInterconnect{nodes: n, caches: s, lookUp: c.Directory.LookUp, trap: c.Directory.Trap}
	if c.TLB == nil {
		return s, nil
	}
	n.slack += c.TLB.Latency
	return newTranslated(c.TLB, s), nil
}

// softPath is the path over homes that need software.
type dir1swInterconnect struct {
	*nodes
	caches       *coherent
	lookUp, trap unit.Picos
}

func (s *dir1swInterconnect) fetch(now unit.Picos, t *transaction) Cost {
	from := s.of(t.proc)
	home := s.homes.of(t.line, from)
	if home != from {
		s.caches.private[t.proc].counts.RemoteFetches++
	}
	m := s.request(now, t, from, home)
	switch {
	case t.supplier >= 0:
		owner := s.of(trace.Proc(t.supplier))
		m = s.serve(m, home, s.trap, s.trap)
		m = s.send(s.send(m, home, owner, s.messages.Control), owner, home, s.messages.Data)
		s.serve(m, home, s.Occupancy, 0) // stored while it is sent on
	case len(t.lost) > 0:
		m = s.invalidateAll(m, t.proc, home)
		m = s.serve(m, home, s.Occupancy, s.Latency)
	default:
		m = s.serve(m, home, s.lookUp+s.Occupancy, s.lookUp+s.Latency)
	}
	done := s.send(m, home, from, s.messages.Data)
	if t.store || t.supplier >= 0 {
		s.holdLine(t.line, done.at)
	}
	return done.cost(now)
}

// request is when the home can attend to t.
func (s *dir1swInterconnect) request(now unit.Picos, t *transaction, from, home int) moment {
	return s.send(s.begin(now), from, home, s.messages.Control).wait(s.busyLines.until[t.line])
}

// tellAll traps, and tells all but p to invalidate a line. It is when the last has acknowledged.
func (s *dir1swInterconnect) invalidateAll(m moment, p trace.Proc, home int) moment {
	m = s.serve(m, home, s.trap, s.trap)
	done := m
	for q := range trace.Proc(len(s.caches.private)) {
		if q != p {
			received := s.send(m, home, s.of(q), s.messages.Control)
			done = done.join(s.send(received, s.of(q), home, s.messages.Control))
		}
	}
	return done
}

func (s *dir1swInterconnect) upgrade(now unit.Picos, t *transaction) Cost {
	s.caches.private[t.proc].counts.Upgrades++
	from := s.of(t.proc)
	home := s.homes.of(t.line, from)
	m := s.request(now, t, from, home)
	if len(t.lost) == 0 {
		m = s.serve(m, home, s.lookUp, s.lookUp)
	} else {
		m = s.invalidateAll(m, t.proc, home)
	}
	done := s.send(m, home, from, s.messages.Control)
	s.holdLine(t.line, done.at)
	return done.cost(now)
}

func (s *dir1swInterconnect) evict(now unit.Picos, p trace.Proc, line uint64, state uint8) {
	from := s.of(p)
	home := s.homes.of(line, from)
	left := moment{at: now}
	if dirty(state) {
		s.holdLine(line, s.writeBack(left, from, home).at)
	} else {
		s.serve(s.send(left, from, home, s.messages.Control), home, s.lookUp, s.lookUp)
	}
}
