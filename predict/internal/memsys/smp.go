package memsys

import (
	"spoor/predict/internal/memsys/coherence"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// SMP is a symmetric multiprocessor. Each processor has private set-associative LRU write-back caches. Snooping on
// one memory bus keeps them coherent [du2000, sec. 4.1]. In the paper, the protocol is msi.
//
// A miss fetches its line from memory, or from a cache that has it modified or owned. Both take the same time. With
// msi and mesi, memory then stores the line too. A store to a line that others may have is an upgrade: an
// address-only transaction that invalidates all other copies. The bus serves requests first come, first served, ties
// by processor. A request waits until the bus is free (contention). Then it takes Memory.Latency, or
// Memory.Invalidate for an upgrade. It holds the bus for Memory.Occupancy or Memory.Invalidate. A line that is
// written back holds the bus for another Memory.Occupancy after the miss. Only later bus requests wait for that.
//
// Present-day machines have a last level of cache between the private caches and the bus, which all processors share
// (see sharedCache).
//
// Differs: with one processor there are no other copies, and a store to a shared line costs nothing. Paging to the
// disks behind the memory is not simulated.
type SMP struct{}

var _ Target = SMP{}

// Name returns "smp".
func (SMP) Name() string { return "smp" }

// New returns an SMP with empty caches.
func (SMP) New(c Config) (touch.System, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	s := newCoherent(&c)
	bus := &busInterconnect{Memory: c.Memory, caches: s}
	s.interconnect = bus
	if c.Shared != nil {
		s.interconnect = &sharedCache{bus: bus, latency: c.Shared.Latency, cache: newCache(*c.Shared)}
	}
	return s, nil
}

// busInterconnect is a memory bus that all caches snoop on.
type busInterconnect struct {
	Memory
	caches *coherent
	bus    bus
}

func (b *busInterconnect) fetch(now unit.Picos, t *transaction) touch.Cost {
	return touch.Cost{Contention: b.bus.acquire(now, b.Occupancy), Latency: b.Latency}
}

func (b *busInterconnect) upgrade(now unit.Picos, t *transaction) touch.Cost {
	if len(b.caches.private) == 1 {
		return touch.Cost{}
	}
	b.caches.private[t.proc].counts.Upgrades++
	return touch.Cost{Contention: b.bus.acquire(now, b.Invalidate), Latency: b.Invalidate}
}

func (b *busInterconnect) evict(now unit.Picos, _ trace.Proc, _ uint64, state uint8) {
	if coherence.Dirty(state) {
		b.bus.acquirePosted(now, b.Occupancy)
	}
}

func (b *busInterconnect) copy(at unit.Picos, _ int, hold unit.Picos) unit.Picos {
	return b.bus.copy(at, hold)
}

func (b *busInterconnect) usage() touch.SharedUsage {
	return touch.SharedUsage{Busy: b.bus.busy + b.bus.copies.Busy, End: max(b.bus.free, b.bus.copies.End)}
}
