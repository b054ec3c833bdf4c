package recorder

import (
	"math"

	"spoor/traces/trace"
)

// flag is a flag that threads signal.
type flag struct {
	signals uint64
	by      *thread // of all signals, if one thread alone has signalled
	several bool
	seen    map[*thread]uint64 // signals that a thread has waited for
}

func (c *calls) flag(id objectID) *flag {
	f := c.flags[id]
	if f == nil {
		f = &flag{seen: map[*thread]uint64{}}
		c.flags[id] = f
	}
	return f
}

// signal appends a signal of a flag.
func (c *calls) signal(t *thread, id objectID) {
	f := c.flag(id)
	if f.signals == math.MaxInt32 { // a Tag holds no more
		c.missed[missedSignals]++
		return
	}
	f.signals++
	f.several = f.several || f.by != nil && f.by != t
	f.by = t
	t.happens(trace.Signal, c.object(id.addr, id.use))
}

// wait appends a wait for all signals of a flag so far.
func (c *calls) wait(t *thread, id objectID) { c.waitFor(t, id, c.flag(id).signals) }

// waitFor appends a wait until a flag has had so many signals, unless the thread has waited for them before, or all signals
// are its own.
func (c *calls) waitFor(t *thread, id objectID, signals uint64) {
	f := c.flag(id)
	signals = min(signals, f.signals) // others may come from where they are not seen: a signal's handler, another process
	if signals <= f.seen[t] || f.by == t && !f.several {
		return
	}
	f.seen[t] = signals
	e := trace.NewEvent(trace.WaitFlag)
	e.Peer, e.Tag = c.object(id.addr, id.use), int32(signals)
	if t.running == nil || len(t.running.holds) == 0 {
		t.event(e)
		return
	}
	c.missed[missedHeld]++
	t.all(trace.Unlock, t.running.holds)
	t.event(e)
	t.all(trace.Lock, t.running.holds)
}

// semaphore is a semaphore: a post is a signal of its flag, and the wait number n is for the signals that n waits need.
type semaphore struct {
	value uint64 // when it was made, and the signals that its address had had as another semaphore
	base  uint64
	waits uint64
}

func (c *calls) setSemaphore(addr, value uint64) {
	c.semaphores[addr] = &semaphore{value: value, base: c.flag(objectID{addr, asFlag}).signals}
}

// take appends the wait of a semaphore.
func (c *calls) take(t *thread, addr uint64) {
	if c.semaphores[addr] == nil {
		c.setSemaphore(addr, 0)
	}
	s := c.semaphores[addr]
	if s.waits++; s.waits > s.value {
		c.waitFor(t, objectID{addr, asFlag}, s.base+s.waits-s.value)
	}
}
