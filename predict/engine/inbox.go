package engine

import (
	"math/bits"
	"math/rand/v2"

	"spoor/traces/unit"
)

// pending is an operation that has not ended: a receive that is posted, a long send, a
// nonblocking collective. It is in a channel as long as it is a receive without a message.
type pendingOp struct {
	done      unit.Picos // when it ended, or undone
	portWait  unit.Picos // for which its message waited for ports
	flight    unit.Picos // what it was on its way besides
	bytes     int64      // of a long send; of a receive, its mark, or if it has a message, that one's
	from      int32      // of a receive: what it selects by; of a send, its receiver
	tag       int32
	group     int32
	order     uint32 // of a receive, in the order of posting
	next      int32  // in its channel
	last      int32  // of the channel, if it is the first
	waiter    int32  // the strand that waits for it, from 1
	kind      Kind   // Isend, Irecv, Collective
	abandoned bool   // nobody will wait for it
}

const unfinished = unit.Picos(-1)

// inbox is what waits on a rank, by channel: a sender, tag and group. In a channel there are mails
// without a receive, or receives without a mail, never both. Channels in which something waits are
// in a hash table with open addressing, whose slots know no more than the hash and the first: the
// rest is with that, which is needed anyway.
type inbox struct {
	slots     []slot
	wildcards []int32 // receives from any sender or with any tag, in the order of posting
	used      int32
	oldest    int32 // of all mails that wait
	newest    int32
	posted    uint32 // posted so far
	unmatched int32  // mails that wait
	shift     uint8  // 32 - log2 of slots
}

// slot is a channel.
type slot struct {
	hash  uint32
	first int32 // of the pool of mails, or if negative, of pendings; 0 if the slot is free
}

const leastSlots = 8

// salt is of all hashes: nobody knows it, so that no trace has channels made to crowd in a table. What is simulated does not depend on it.
var salt = [2]uint64{rand.Uint64(), rand.Uint64() | 1}

func hashOf(from, tag, group int32) uint32 {
	h := uint64(uint32(from)) | uint64(uint32(tag))<<32
	hi, lo := bits.Mul64(h^uint64(uint32(group))*0xd6e8feb86659fd93^salt[0], salt[1])
	return uint32((hi ^ lo) >> 32)
}

// channel finds the slot of a channel. If nothing waits there, it is free, and where it belongs.
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

// isOf is whether what waits first in a slot is of a channel.
func (e *engine) isChannel(first, from, tag, group int32) bool {
	if first > 0 {
		m := &e.packets.items[first]
		return m.from == from && m.tag == tag && m.group == group
	}
	p := &e.pendingOps.items[-first]
	return p.from == from && p.tag == tag && p.group == group
}

// shiftOf leaves of a hash as many bits as tell so many slots apart.
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

// free removes a channel in which nothing waits any more, and moves those behind it that are not
// where they belong.
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

// match is the pending receive that takes a mail that comes, or 0.
func (r *rank) match(m *packet) int32 {
	e, b := r.e, &r.inbox
	at, _ := r.channel(m.from, m.tag, m.group)
	found := max(0, -b.slots[at].first)
	if len(b.wildcards) > 0 {
		if w := r.matchWild(m, found); w != 0 {
			return w
		}
	}
	if found != 0 {
		p := &e.pendingOps.items[found]
		if p.next == 0 {
			b.free(at)
		} else {
			b.slots[at].first = -p.next
			e.pendingOps.items[p.next].last = p.last
		}
	}
	return found
}

// matchWild is the receive from any sender, or with any tag, that takes a mail before one that was found, or 0.
func (r *rank) matchWild(m *packet, found int32) int32 {
	e, b := r.e, &r.inbox
	for i, w := range b.wildcards {
		p := &e.pendingOps.items[w]
		if found != 0 && int32(p.order-e.pendingOps.items[found].order) > 0 {
			break
		}
		if p.selects(m) {
			b.wildcards = append(b.wildcards[:i], b.wildcards[i+1:]...)
			return w
		}
	}
	return 0
}

func (p *pendingOp) selects(m *packet) bool {
	return p.group == m.group && (p.from == m.from || p.from < 0) && (p.tag == m.tag || p.tag < 0)
}

// keep lets a mail wait for its receive.
func (r *rank) storeUnmatched(i int32) {
	e, b := r.e, &r.inbox
	m := &e.packets.items[i]
	at, hash := r.channel(m.from, m.tag, m.group)
	m.next, m.last = 0, i
	if first := b.slots[at].first; first == 0 {
		b.slots[at] = slot{hash, i}
		b.used++
	} else {
		f := &e.packets.items[first]
		e.packets.items[f.last].next = i
		f.last = i
	}
	m.older, m.newer = b.newest, 0
	if b.newest == 0 {
		b.oldest = i
	} else {
		e.packets.items[b.newest].newer = i
	}
	b.newest = i
	b.unmatched++
}

// post offers a receive to the mails that wait: it is the mail that it takes, or 0 if it waits
// itself.
func (r *rank) matchReceive(n int32) int32 {
	e, b := r.e, &r.inbox
	p := &e.pendingOps.items[n]
	b.posted++
	p.order, p.next, p.last = b.posted, 0, n
	if p.from < 0 || p.tag < 0 {
		i := r.firstSelected(p)
		if i == 0 {
			b.wildcards = append(b.wildcards, n)
			return 0
		}
		at, _ := r.channel(e.packets.items[i].from, e.packets.items[i].tag, p.group)
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
		f := &e.pendingOps.items[-first]
		e.pendingOps.items[f.last].next = n
		f.last = n
	}
	return 0
}

// first is the first mail that waits and that p selects, or 0.
func (r *rank) firstSelected(p *pendingOp) int32 {
	for i := r.inbox.oldest; i != 0; i = r.e.packets.items[i].newer {
		if p.selects(&r.e.packets.items[i]) {
			return i
		}
	}
	return 0
}

// unlink removes a mail, the first of a slot, from those that wait.
func (r *rank) unlink(i int32, at int) {
	e, b := r.e, &r.inbox
	m := &e.packets.items[i]
	if m.next == 0 {
		b.free(at)
	} else {
		b.slots[at].first = m.next
		e.packets.items[m.next].last = m.last
	}
	if m.older == 0 {
		b.oldest = m.newer
	} else {
		e.packets.items[m.older].newer = m.newer
	}
	if m.newer == 0 {
		b.newest = m.older
	} else {
		e.packets.items[m.newer].older = m.older
	}
	b.unmatched--
}
