package recorder

import (
	"encoding/binary"
	"fmt"

	"spoor/traces/trace"
)

// mark is a call of the program that the preloaded library has seen.
type mark struct{ Kind, Object, Phase, Number uint64 }

func readMark(b []byte) mark {
	le := binary.LittleEndian
	return mark{le.Uint64(b), le.Uint64(b[8:]), le.Uint64(b[16:]), le.Uint64(b[24:])}
}

// kinds of marks, as in preload.c
const (
	startMark = 1 + iota
	forkMark
	joinMark
	lockMark
	unlockMark
	barrierMark
	signalMark
	waitMark
	unfollowedMark
	runMark
	quietMark
	membersMark
	readerMark
	writerMark
	releaseMark
	valueMark
	takeMark
	orderMark
	notifyMark
	messageMark
	endMark
)

// phases of a call, as in preload.c
const (
	only = iota
	begin
	leave
)

// use is what an object is used for. One address may have several uses.
type use uint8

const (
	asLock use = iota
	asBarrier
	asFlag
	asReaders // the flag that readers of a rwlock signal
	asTurn    // the flag that each release of a mutex signals
	asGoroutine
)

// objectID is an object of the trace.
type objectID struct {
	addr uint64
	use  use
}

// holding is a lock of a thread.
type holding struct {
	number uint32
	addr   uint64
}

// calls turns marks into events.
type calls struct {
	objects    map[objectID]int32
	barriers   map[uint64]*barrier
	groups     map[string]int32
	held       map[holding]int // how often
	flags      map[objectID]*flag
	semaphores map[uint64]*semaphore
	order      LockOrder
	turns      map[uint64]bool    // mutexes that conditions use
	released   map[*thread]uint64 // the mutex that a thread released last
	missed     map[string]int     // by what is missing
}

func newCalls(order LockOrder) calls {
	return calls{order: order, objects: map[objectID]int32{}, barriers: map[uint64]*barrier{}, groups: map[string]int32{}, held: map[holding]int{},
		flags: map[objectID]*flag{}, semaphores: map[uint64]*semaphore{},
		turns: map[uint64]bool{}, released: map[*thread]uint64{}, missed: map[string]int{}}
}

// object numbers objects.
func (c *calls) object(addr uint64, use use) int32 {
	id := objectID{addr, use}
	n, ok := c.objects[id]
	if !ok {
		n = int32(len(c.objects))
		c.objects[id] = n
	}
	return n
}

// happens appends an event to those of a thread.
func (t *thread) happens(kind trace.Kind, peer int32) {
	e := trace.NewEvent(kind)
	e.Peer = peer
	t.event(e)
}

// mark appends the events of a mark of a thread. A thread releases before its call of the library, and has acquired after it:
// so a release is always before the acquisition that it allows.
func (c *calls) mark(s *stream, number uint32, m mark) error {
	if m.Kind >= endMark {
		return fmt.Errorf("%w: mark %d", errDamaged, m.Kind)
	}
	t := s.thread(number)
	if m.Kind == messageMark {
		c.message(t, m.Object)
		return nil
	}
	switch m.Phase {
	case only:
		c.learn(m)
	case begin:
		c.begins(t, m)
	case leave:
		if m.Number == 0 { // the call did what it was to do
			c.done(t, m)
		}
	}
	return nil
}

// learn keeps what a mark says of an object.
func (c *calls) learn(m mark) {
	switch m.Kind {
	case membersMark:
		c.barriers[m.Object] = &barrier{members: m.Number}
	case valueMark:
		c.setSemaphore(m.Object, m.Number)
	case orderMark:
		c.turns[m.Object] = true
	case unfollowedMark:
		c.unfollowed(m.Object)
	}
}

// begins appends the events of a call that begins.
func (c *calls) begins(t *thread, m mark) {
	switch m.Kind {
	case unlockMark:
		c.unlock(t, m.Object)
	case barrierMark:
		c.arrive(t, m)
	case signalMark:
		c.signal(t, objectID{m.Object, asFlag})
	case releaseMark:
		c.release(t, m.Object)
	case notifyMark:
		c.notify(t)
	case unfollowedMark:
		c.unfollowed(m.Object)
	}
}

// done appends the events of a call that has ended.
func (c *calls) done(t *thread, m mark) {
	switch m.Kind {
	case forkMark:
		t.happens(trace.Fork, int32(m.Object))
	case joinMark:
		if m.Object == unknownThread {
			c.missed[missedJoins]++
			return
		}
		t.happens(trace.Join, int32(m.Object))
	case lockMark:
		c.lock(t, m.Object)
	case waitMark:
		c.wait(t, objectID{m.Object, asFlag})
	case readerMark:
		c.read(t, m.Object)
	case writerMark:
		c.write(t, m.Object)
	case takeMark:
		c.take(t, m.Object)
	}
}
