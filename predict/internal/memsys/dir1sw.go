package memsys

import (
	"fmt"

	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys/coherence"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Dir1SW is a machine whose homes have one pointer or counter for each line. Software handles the other cases
// [falsafi1997, sec. 4]. In the paper, its 32 nodes have caches of 32 KB in 4 ways and TLBs of 64 entries. The
// network takes 100 cycles, without contention.
//
// If no cache has a line modified, the home counts its copies. Otherwise the home points to the owner. Hardware
// answers loads of lines that are not modified elsewhere, and stores to lines that no other cache has. Caches report
// all replaced lines to the home, so that the counter is right. All other requests trap: software holds the home for
// Directory.Trap. If there is a pointer, it requests the line from that cache. If there is a counter, it sends
// invalidations to all other processors, because a counter does not identify the copies. They answer to the home, and
// then the home answers to the requester. The paper gives only the name; this is our reading of [hill1993]. The
// protocol is msi. Requests wait for earlier ones for the same line as on [CCNUMA].
//
// Differs: the wind tunnel simulates quanta as long as the network latency, so nodes see each other's actions only in
// the next quantum. That is a property of its parallel simulation, not of the target: no time is rounded to quanta
// here. The trap software occupies no processor of the program.
type Dir1SW struct{}

var _ Target = Dir1SW{}

// Name returns "dir1sw".
func (Dir1SW) Name() string { return "dir1sw" }

// New returns a Dir1SW machine with empty caches and TLBs.
func (Dir1SW) New(c Config) (touch.System, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Protocol != (coherence.Protocol{}) && c.Protocol.Name != machine.MSI {
		return nil, fmt.Errorf("target dir1sw needs protocol msi, not %s", c.Protocol.Name)
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

// dir1swInterconnect connects caches through homes that need software.
type dir1swInterconnect struct {
	*nodes
	caches       *coherent
	lookUp, trap unit.Picos
}

func (s *dir1swInterconnect) fetch(now unit.Picos, t *transaction) touch.Cost {
	from := s.Of(t.proc)
	home := s.homes.Of(t.line, from)
	if home != from {
		s.caches.private[t.proc].counts.RemoteFetches++
	}
	m := s.request(now, t, from, home)
	switch {
	case t.supplier >= 0:
		owner := s.Of(trace.Proc(t.supplier))
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

// request returns when the home can serve t.
func (s *dir1swInterconnect) request(now unit.Picos, t *transaction, from, home int) moment {
	return s.send(s.begin(now), from, home, s.messages.Control).wait(s.busyLines.until[t.line])
}

// invalidateAll traps, and sends all processors except p an invalidation. It returns when the last has acknowledged.
func (s *dir1swInterconnect) invalidateAll(m moment, p trace.Proc, home int) moment {
	m = s.serve(m, home, s.trap, s.trap)
	done := m
	for q := range trace.Proc(len(s.caches.private)) {
		if q != p {
			received := s.send(m, home, s.Of(q), s.messages.Control)
			done = done.join(s.send(received, s.Of(q), home, s.messages.Control))
		}
	}
	return done
}

func (s *dir1swInterconnect) upgrade(now unit.Picos, t *transaction) touch.Cost {
	s.caches.private[t.proc].counts.Upgrades++
	from := s.Of(t.proc)
	home := s.homes.Of(t.line, from)
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
	from := s.Of(p)
	home := s.homes.Of(line, from)
	left := moment{at: now}
	if coherence.Dirty(state) {
		s.holdLine(line, s.writeBack(left, from, home).at)
	} else {
		s.serve(s.send(left, from, home, s.messages.Control), home, s.lookUp, s.lookUp)
	}
}
