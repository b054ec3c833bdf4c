package recorder

import "spoor/traces/trace"

// LockOrder says for which mutexes a trace keeps the order in which threads took them.
type LockOrder string

// The orders of locks. Others than OfConditions are for programs of which the user knows more than the recorder.
const (
	OfConditions LockOrder = "conditions" // of mutexes that condition variables use
	OfAll        LockOrder = "all"        // as recorded
	OfNone       LockOrder = "none"       // the simulator decides; then a wait for a condition may never end
)

// LockOrders are all of them.
var LockOrders = []LockOrder{OfConditions, OfAll, OfNone}

func (t *thread) holding(addr uint64) holding { return holding{uint32(t.refs.Proc), addr} }

// The simulator decides who takes a mutex next, except for those that condition variables use: who took it first decided what
// the program did then. If a thread did not wait, as it found its condition true, nothing else in the trace says that it
// must come after the thread that made it true. So such a mutex has turns: each release signals a flag, and each
// acquisition waits for all releases before it. Then waits for conditions need no events, and signals neither.
//
// Which mutexes these are is known from the first wait on. A thread that signals a condition before, which nobody waited for,
// does so while it holds the mutex, or after it: so the mutexes that it holds, or else the last that it released, have
// turns from then on, too. What came before has no turns.

// ordered says whether the order of a mutex is kept.
func (c *calls) ordered(addr uint64) bool {
	return c.order == OfAll || c.order != OfNone && c.turns[addr]
}

// notify keeps the order of the mutexes of a thread that signals a condition.
func (c *calls) notify(t *thread) {
	var held []uint64
	for h, n := range c.held {
		if h.number == uint32(t.refs.Proc) && n != writes {
			held = append(held, h.addr)
		}
	}
	c.keepOrder(t, held)
}

// keepOrder keeps the order of the mutexes that a thread holds, or else of the last that it released.
func (c *calls) keepOrder(t *thread, held []uint64) {
	if c.order == OfAll || c.order == OfNone {
		return
	}
	for _, addr := range held {
		c.turns[addr] = true
	}
	if addr, ok := c.released[t]; ok && len(held) == 0 {
		if !c.ordered(addr) {
			c.turns[addr] = true
			c.signal(t, objectID{addr, asTurn}) // of its release
		}
	}
}

// lock appends an event for the first of the locks of a mutex that a thread takes several times.
func (c *calls) lock(t *thread, addr uint64) {
	h := t.holding(addr)
	if c.held[h]++; c.held[h] > 1 {
		return
	}
	if c.ordered(addr) {
		c.wait(t, objectID{addr, asTurn})
	}
	t.happens(trace.Lock, c.object(addr, asLock))
}

// unlock appends an event for the last unlock of a mutex that a thread has taken several times.
func (c *calls) unlock(t *thread, addr uint64) {
	h := t.holding(addr)
	if c.held[h] == 0 { // another thread has it, or it was taken while the thread was cancelled
		c.missed[missedUnlocks]++
		return
	}
	if c.held[h]--; c.held[h] > 0 {
		return
	}
	delete(c.held, h)
	c.released[t] = addr
	t.happens(trace.Unlock, c.object(addr, asLock))
	if c.ordered(addr) {
		c.signal(t, objectID{addr, asTurn})
	}
}

// Readers of a rwlock do not exclude each other, and a trace has no such locks. So a reader waits for the writers before it,
// and a writer for the readers and writers before it, by two flags that they signal: the order is that of the recording.

// writes is how often a thread holds a rwlock that it holds as a writer; a reader's number is how often it reads.
const writes = -1

func (c *calls) read(t *thread, addr uint64) {
	c.held[t.holding(addr)]++
	c.wait(t, objectID{addr, asFlag})
}

func (c *calls) write(t *thread, addr uint64) {
	c.held[t.holding(addr)] = writes
	c.wait(t, objectID{addr, asFlag})
	c.wait(t, objectID{addr, asReaders})
}

// release ends a reader or the writer of a rwlock.
func (c *calls) release(t *thread, addr uint64) {
	h := t.holding(addr)
	switch n := c.held[h]; {
	case n == 0:
		c.missed[missedUnlocks]++
		return
	case n == writes:
		delete(c.held, h)
		c.signal(t, objectID{addr, asFlag})
		return
	case n == 1:
		delete(c.held, h)
	default:
		c.held[h]--
	}
	c.signal(t, objectID{addr, asReaders})
}
