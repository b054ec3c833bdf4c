package forkjoin

import (
	"math/bits"
	"math/rand/v2"
)

// channel is the messages from one rank to another with a tag in a group.
type channel struct{ from, to, tag, group int32 }

// queue is the operations of a channel that have no match, in order: either sends or receives.
type queue struct {
	channel
	first, last uint32 // their numbers; first is 0 if there are none
}

// matcher finds the receive of each send.
type matcher struct {
	queues    []queue
	slots     []uint32 // hash table with open addressing: a number of a queue, plus one
	salt      [2]uint64
	recent    []uint32 // the queue of the last operation at each place of a stage
	unmatched int
}

// maxRecent is the number of places of a stage whose queues are remembered.
const maxRecent = 1 << 10

func newMatcher() matcher {
	return matcher{slots: make([]uint32, 1<<10), salt: [2]uint64{rand.Uint64(), rand.Uint64() | 1}}
}

// add matches an operation, the given one of all, with the first of the other kind in its channel. place is its place in its stage. It
// returns false if a receive is smaller than its message.
func (m *matcher) add(ops []operation, i uint32, c channel, place int) bool {
	q := &m.queues[m.find(c, place)]
	op, first := &ops[i], q.first-1 // numbers in queues are one more, so that 0 means none
	if q.first == 0 {
		q.first, q.last = i+1, i+1
		m.unmatched++
		return true
	}
	other := &ops[first]
	if other.kind == op.kind {
		ops[q.last-1].link, q.last = uint64(i+1), i+1
		m.unmatched++
		return true
	}
	q.first = uint32(other.link)
	m.unmatched--
	from, to, at := other, op, i
	if op.kind == send {
		from, to, at = op, other, first
	}
	from.link = uint64(uint32(c.to))<<32 | uint64(at)
	if to.link = 0; to.bytes > 0 && to.bytes < from.bytes {
		return false
	}
	to.bytes = from.bytes
	return true
}

// find returns the number of a channel's queue.
func (m *matcher) find(c channel, place int) uint32 {
	if place < len(m.recent) {
		if n := m.recent[place]; m.queues[n].channel == c {
			return n
		}
	}
	n := m.lookUp(c)
	switch {
	case place < len(m.recent):
		m.recent[place] = n
	case place == len(m.recent) && place < maxRecent:
		m.recent = append(m.recent, n)
	}
	return n
}

// lookUp is find by the hash table. It adds a channel that is not in it.
func (m *matcher) lookUp(c channel) uint32 {
	if 2*len(m.queues) >= len(m.slots) {
		m.slots = make([]uint32, 2*len(m.slots))
		for n := range m.queues {
			m.slots[m.free(m.queues[n].channel)] = uint32(n + 1)
		}
	}
	at := m.free(c)
	if m.slots[at] == 0 {
		m.queues = append(grown(m.queues), queue{channel: c})
		m.slots[at] = uint32(len(m.queues))
	}
	return m.slots[at] - 1
}

// free returns the slot of a channel, or the free slot to use for it. The salt makes sure that no trace can be made whose channels collide.
func (m *matcher) free(c channel) uint64 {
	hi, lo := bits.Mul64((uint64(uint32(c.from))|uint64(uint32(c.to))<<32)^m.salt[0], m.salt[1])
	hi, lo = bits.Mul64((uint64(uint32(c.tag))|uint64(uint32(c.group))<<32)^hi^lo, m.salt[1])
	for at := (hi ^ lo) & uint64(len(m.slots)-1); ; at = (at + 1) & uint64(len(m.slots)-1) {
		if n := m.slots[at]; n == 0 || m.queues[n-1].channel == c {
			return at
		}
	}
}
