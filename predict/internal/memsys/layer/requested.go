package layer

import (
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// A Prefetching system can also make the prefetches of a program.
//
// A prefetch of the program brings a line in as a load does: it uses the bus, network and directories, changes the
// caches of others, and evicts lines. The processor goes on at once. A load or store of a line that has not arrived
// yet waits for it. Counts has these misses as Prefetches, not among those of loads.
//
// Differs: any number of prefetches may be on their way.
type Prefetching interface {
	touch.System
	// PrefetchLine brings a line to processor p. Calls are ordered like those of Access. Like Access, it may ask for a
	// retry after earlier touches. Otherwise it costs nothing.
	PrefetchLine(now unit.Picos, p trace.Proc, line uint64) touch.Cost
}

// WithPrefetches returns s with the ability to prefetch for its program. Callers use it at the first prefetch, so
// that programs without any take no more time.
func WithPrefetches(s touch.System, processors int) Prefetching {
	switch x := s.(type) {
	case *overlap:
		x.System = WithPrefetches(x.System, processors)
		return x
	case *warm:
		x.System = WithPrefetches(x.System, processors)
		return x
	case Prefetching:
		return x
	}
	return &prefetcher{System: s, procs: make([]procPrefetcher, processors)}
}

// maxRequested is how many requested lines of a processor can be on their way. No load waits for older ones.
const maxRequested = 1 << 16

// PrefetchLine makes a prefetch of the program.
func (a *prefetcher) PrefetchLine(now unit.Picos, p trace.Proc, line uint64) touch.Cost {
	f := &a.procs[p]
	f.buffer.dropArrived(now)
	before := a.System.Counts(p)
	cost := a.System.Access(now, p, line, false)
	after := a.System.Counts(p)
	after.Subtract(before)
	f.requested.Add(ofLoads(after))
	if cost != (touch.Cost{}) {
		f.buffer.add(bufferEntry{line, now + cost.Total()}, maxRequested)
	}
	return touch.Cost{}
}

// PrefetchLine first waits for touches that are due.
func (o *overlap) PrefetchLine(now unit.Picos, p trace.Proc, line uint64) touch.Cost {
	if cost := o.retire(now, p); cost.Retry {
		return cost
	}
	return o.System.(Prefetching).PrefetchLine(now, p, line)
}

// PrefetchLine passes the prefetch on.
func (w *warm) PrefetchLine(now unit.Picos, p trace.Proc, line uint64) touch.Cost {
	return w.System.(Prefetching).PrefetchLine(w.start+now, p, line)
}

// ofLoads returns the counts of loads and of their misses, which do not count if a prefetch makes them.
func ofLoads(c touch.Counts) touch.Counts {
	return touch.Counts{Loads: c.Loads, LoadMisses: c.LoadMisses, CacheToCache: c.CacheToCache, InnerHits: c.InnerHits, SharedHits: c.SharedHits,
		RemoteFetches: c.RemoteFetches, FromExclusive: c.FromExclusive}
}

// dropArrived removes the oldest entries that have arrived.
func (c *prefetchBuffer) dropArrived(now unit.Picos) {
	for len(c.order) > 0 && (c.order[0].done <= now || !c.contains(c.order[0])) {
		if first := c.order[0]; c.contains(first) {
			c.remove(first.line)
		}
		c.order = c.order[1:]
	}
}
