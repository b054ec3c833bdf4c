package memsys

import (
	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys/coherence"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// CLogP is [LogP] with caches that are kept coherent at no cost [sivasubramaniam1995, sec. 3.2]. Stores invalidate
// the copies of others by the berkeley protocol or another one, without a message. A miss is a request and a reply.
// It goes to the cache whose line is modified or owned, otherwise to the line's home, whose memory takes
// Memory.Latency. There are no write-backs. These are the messages that any protocol must send. An owner can supply a
// line as soon as it has requested it.
type CLogP struct{}

var _ Target = CLogP{}

// Name returns "clogp".
func (CLogP) Name() string { return "clogp" }

// New returns a cLogP machine with empty caches.
func (CLogP) New(c Config) (touch.System, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Protocol == (coherence.Protocol{}) {
		c.Protocol, _ = coherence.ProtocolNamed(machine.Berkeley)
	}
	n, err := newNodes(&c)
	if err != nil {
		return nil, err
	}
	s := newCoherent(&c)
	s.interconnect = &freeInterconnect{nodes: n, caches: s}
	return s, nil
}

// freeInterconnect connects caches whose coherence costs nothing.
type freeInterconnect struct {
	*nodes
	caches *coherent
}

func (f *freeInterconnect) fetch(now unit.Picos, t *transaction) touch.Cost {
	from := f.Of(t.proc)
	at, latency := f.homes.Of(t.line, from), f.Latency
	if t.stale {
		at, latency = f.Of(trace.Proc(t.supplier)), 0
	}
	if at != from {
		f.caches.private[t.proc].counts.RemoteFetches++
	}
	asked := f.send(f.begin(now), from, at, f.messages.Control)
	return f.send(asked.after(latency), at, from, f.messages.Data).cost(now)
}

func (f *freeInterconnect) upgrade(_ unit.Picos, t *transaction) touch.Cost {
	f.caches.private[t.proc].counts.Upgrades++
	return touch.Cost{}
}

func (f *freeInterconnect) evict(unit.Picos, trace.Proc, uint64, uint8) {}
