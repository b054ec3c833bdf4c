package engine

import (
	"math/bits"
	"math/rand/v2"

	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// pendingOp is an operation that has not ended: a posted receive, a rendezvous send, or a nonblocking collective. A
// receive without a message is in a channel.
type pendingOp struct {
	done      unit.Picos // when it ended, or unfinished
	portWait  unit.Picos // time that its message waited for ports
	flight    unit.Picos // time that its message was in flight
	bytes     int64      // size of a rendezvous send; capacity or mark of a receive, then the size of its message
	from      int32      // of a receive, its selector, then the sender of its message; of a send, its receiver
	tag       int32
	group     int32
	order     uint32       // of a receive, in the order of posting
	next      int32        // in its channel or list of wildcards
	last      int32        // last in it, if this is the first
	waiter    int32        // the number of the task that waits for it, from 1
	kind      program.Kind // Isend, Irecv, Collective
	abandoned bool         // no operation will wait for it
	copied    bool         // its message was early, and is copied: see cost.Arrivals
}

const unfinished = unit.Picos(-1)

// inbox holds the unmatched packets and receives of a rank by channel: a sender, tag and group. A channel holds
// either packets or receives, never both. Nonempty channels are in a hash table with open addressing. A slot has only
// the hash and the first element, which is needed anyway and holds the rest.
//
// It is not a trace.MatchQueue, whose messages match when they are sent. Here packets match when they arrive, and
// elements are indices in pools, so that a message allocates nothing.
type inbox struct {
	slots     []slot
	wild      *wildcards // nil until a receive selects any sender or any tag
	used      int32
	posted    uint32 // receives so far
	unmatched int32  // packets
	shift     uint8  // 32 - log2 of slots
}

// slot is a channel.
type slot struct {
	hash  uint32
	first int32 // index in the pool of packets; if negative, of pendingOps; 0 if the slot is free
}

const leastSlots = 8

// salt randomizes all hashes, so that no trace can be made whose channels collide in a table. Simulated results do
// not depend on it.
var salt = [2]uint64{rand.Uint64(), rand.Uint64() | 1}

func hashOf(from, tag, group int32) uint32 {
	h := uint64(uint32(from)) | uint64(uint32(tag))<<32
	hi, lo := bits.Mul64(h^uint64(uint32(group))*0xd6e8feb86659fd93^salt[0], salt[1])
	return uint32((hi ^ lo) >> 32)
}

// channel returns the slot of a channel. For an empty channel it returns the free slot to use.
func (r *rank) channel(from, tag, group int32) (at int, hash uint32) {
	b := &r.inbox
	if 4*int(b.used) >= 3*len(b.slots) {
		b.grow()
	}
	hash = hashOf(from, tag, group)
	mask := len(b.slots) - 1
	for at = int(hash >> b.shift); ; at = (at + 1) & mask {
		s := b.slots[at]
		if s.first == 0 || s.hash == hash && r.e.isChannel(s.first, from, tag, group) {
			return at, hash
		}
	}
}

// isChannel reports whether the first element of a slot belongs to a channel.
func (e *engine) isChannel(first, from, tag, group int32) bool {
	if first > 0 {
		m := &e.packets.Items[first]
		return m.from == from && m.tag == tag && m.group == group
	}
	p := &e.pendingOps.Items[-first]
	return p.from == from && p.tag == tag && p.group == group
}

// shiftOf returns the shift that leaves as many bits of a hash as there are slots.
func shiftOf(slots int) uint8 { return uint8(32 - bits.Len(uint(slots-1))) }

// grow doubles the slots.
func (b *inbox) grow() {
	old := b.slots
	b.slots = make([]slot, 2*len(old))
	b.shift = shiftOf(len(b.slots))
	mask := len(b.slots) - 1
	for _, s := range old {
		if s.first != 0 {
			at := int(s.hash >> b.shift)
			for b.slots[at].first != 0 {
				at = (at + 1) & mask
			}
			b.slots[at] = s
		}
	}
}

// free removes an empty channel, and moves later slots that are away from their place.
func (b *inbox) free(at int) {
	mask := len(b.slots) - 1
	b.used--
	for i := (at + 1) & mask; b.slots[i].first != 0; i = (i + 1) & mask {
		if home := int(b.slots[i].hash >> b.shift); (i-home)&mask >= (i-at)&mask {
			b.slots[at] = b.slots[i]
			at = i
		}
	}
	b.slots[at] = slot{}
}

// match returns the receive that takes an arriving packet, or 0.
func (r *rank) match(m *packet) int32 {
	e, b := r.e, &r.inbox
	at, _ := r.channel(m.from, m.tag, m.group)
	found := max(0, -b.slots[at].first)
	if b.wild != nil && len(b.wild.receives) > 0 {
		if w := r.matchWild(m, found); w != 0 {
			return w
		}
	}
	if found != 0 {
		p := &e.pendingOps.Items[found]
		if p.next == 0 {
			b.free(at)
		} else {
			b.slots[at].first = -p.next
			e.pendingOps.Items[p.next].last = p.last
		}
	}
	return found
}

func (p *pendingOp) selects(m *packet) bool {
	return p.group == m.group && (p.from == m.from || p.from < 0) && (p.tag == m.tag || p.tag < 0)
}

// storeUnmatched stores a packet until its receive is posted.
func (r *rank) storeUnmatched(i int32) {
	e, b := r.e, &r.inbox
	m := &e.packets.Items[i]
	at, hash := r.channel(m.from, m.tag, m.group)
	m.next, m.last = 0, i
	if first := b.slots[at].first; first == 0 {
		b.slots[at] = slot{hash, i}
		b.used++
	} else {
		f := &e.packets.Items[first]
		e.packets.Items[f.last].next = i
		f.last = i
	}
	e.stored++
	m.stored = e.stored
	if b.wild != nil {
		r.storeForWildcards(i)
	}
	b.unmatched++
}

// matchReceive returns the unmatched packet that a receive takes. If there is none, it stores the receive and returns
// 0.
func (r *rank) matchReceive(n int32) int32 {
	e, b := r.e, &r.inbox
	p := &e.pendingOps.Items[n]
	b.posted++
	p.order, p.next, p.last = b.posted, 0, n
	if p.from < 0 || p.tag < 0 {
		i := r.firstSelected(p)
		if i == 0 {
			r.postWildcard(n)
			return 0
		}
		at, _ := r.channel(e.packets.Items[i].from, e.packets.Items[i].tag, p.group)
		r.unlink(i, at)
		return i
	}
	at, hash := r.channel(p.from, p.tag, p.group)
	switch first := b.slots[at].first; {
	case first > 0:
		r.unlink(first, at)
		return first
	case first == 0:
		b.slots[at] = slot{hash, -n}
		b.used++
	default:
		f := &e.pendingOps.Items[-first]
		e.pendingOps.Items[f.last].next = n
		f.last = n
	}
	return 0
}

// unlink removes a packet, the first of a slot, from the unmatched packets.
func (r *rank) unlink(i int32, at int) {
	e, b := r.e, &r.inbox
	m := &e.packets.Items[i]
	if m.next == 0 {
		b.free(at)
	} else {
		b.slots[at].first = m.next
		e.packets.Items[m.next].last = m.last
	}
	m.stored = 0
	b.unmatched--
}
