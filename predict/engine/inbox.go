package engine

import (
	"math/bits"

	"spoor/traces/unit"
)

// pending is an operation that has not ended: a receive that is posted, a long send, a
// nonblocking collective. It is in a channel as long as it is a receive without a message.
type pending struct {
	done   unit.Picos // when it ended, or undone
	late   unit.Picos // for which its message waited for ports
	fly    unit.Picos // what it took on its way besides
	bytes  int64      // of a long send
	from   int32      // of a receive: what it selects by; of a send, its receiver
	tag    int32
	group  int32
	number uint32 // of a receive, in the order of posting
	next   int32
	waiter int32 // the strand that waits for it, from 1
	what   Kind  // Isend, Irecv, Collective
	left   bool  // nobody will wait for it
}

const undone = unit.Picos(-1)

// channel is what waits of a sender, tag and group: mails without a receive, or receives without
// a mail, never both.
type channel struct {
	from, tag, group int32
	first, last      int32 // of the pool of mails, or if negative, of pendings
	used             bool
}

// inbox is all channels of a rank, in a hash table with open addressing, and what selects
// several.
type inbox struct {
	slots     []channel
	shift     uint8 // 64 - log2 of slots
	used      int
	wild      []int32 // receives from any sender or with any tag, in the order of posting
	oldest    int32   // of all mails that wait
	youngest  int32
	receives  uint32 // posted so far
	unmatched int    // mails that wait
}

const leastSlots = 8

func hashOf(from, tag, group int32) uint64 {
	h := uint64(uint32(from)) | uint64(uint32(tag))<<32
	return (h ^ uint64(uint32(group))*0xd6e8feb86659fd93) * 0x9e3779b97f4a7c15
}

// channel finds the channel, or makes it.
func (b *inbox) channel(from, tag, group int32) *channel {
	if 4*b.used >= 3*len(b.slots) {
		b.grow()
	}
	mask := len(b.slots) - 1
	for i := int(hashOf(from, tag, group) >> b.shift); ; i++ {
		c := &b.slots[i&mask]
		if c.from == from && c.tag == tag && c.group == group && c.used {
			return c
		}
		if !c.used {
			*c = channel{from: from, tag: tag, group: group, used: true}
			b.used++
			return c
		}
	}
}

// manySlots is how many a table has before it forgets channels.
const manySlots = 256

// grow makes room: for twice as many channels, or in a large table by forgetting those in which
// nothing waits, if these are most.
func (b *inbox) grow() {
	old := b.slots
	size, full := max(leastSlots, 2*len(old)), 0
	for i := range old {
		if old[i].first != 0 {
			full++
		}
	}
	forget := len(old) >= manySlots && full < len(old)/8
	if forget {
		size = len(old)
	}
	b.slots, b.used, b.shift = make([]channel, size), 0, uint8(64-bits.Len(uint(size-1)))
	for i := range old {
		if old[i].first != 0 || old[i].used && !forget {
			*b.channel(old[i].from, old[i].tag, old[i].group) = old[i]
		}
	}
}

// match is the pending receive that takes a mail that comes, or 0.
func (r *rank) match(m *mail) int32 {
	e, b := r.e, &r.inbox
	c := b.channel(m.from, m.tag, m.group)
	var found int32
	if c.first < 0 {
		found = -c.first
	}
	for i, w := range b.wild {
		p := &e.pendings.items[w]
		if found != 0 && int32(p.number-e.pendings.items[found].number) > 0 {
			break
		}
		if p.selects(m) {
			b.wild = append(b.wild[:i], b.wild[i+1:]...)
			return w
		}
	}
	if found != 0 {
		if c.first = -e.pendings.items[found].next; c.first == 0 {
			c.last = 0
		}
	}
	return found
}

func (p *pending) selects(m *mail) bool {
	return p.group == m.group && (p.from == m.from || p.from < 0) && (p.tag == m.tag || p.tag < 0)
}

// keep lets a mail wait for its receive.
func (r *rank) keep(i int32) {
	e, b := r.e, &r.inbox
	m := &e.mails.items[i]
	c := b.channel(m.from, m.tag, m.group)
	m.next = 0
	if c.first == 0 {
		c.first = i
	} else {
		e.mails.items[c.last].next = i
	}
	c.last = i
	m.prev, m.after = b.youngest, 0
	if b.youngest == 0 {
		b.oldest = i
	} else {
		e.mails.items[b.youngest].after = i
	}
	b.youngest = i
	b.unmatched++
}

// post offers a receive to the mails that wait: it is the mail that it takes, or 0 if it waits
// itself.
func (r *rank) post(n int32) int32 {
	e, b := r.e, &r.inbox
	p := &e.pendings.items[n]
	b.receives++
	p.number, p.next = b.receives, 0
	if p.from < 0 || p.tag < 0 {
		if i := r.first(p); i != 0 {
			r.unlink(i, b.channel(e.mails.items[i].from, e.mails.items[i].tag, p.group))
			return i
		}
		b.wild = append(b.wild, n)
		return 0
	}
	c := b.channel(p.from, p.tag, p.group)
	if c.first > 0 {
		i := c.first
		r.unlink(i, c)
		return i
	}
	if c.first == 0 {
		c.first = -n
	} else {
		e.pendings.items[-c.last].next = n
	}
	c.last = -n
	return 0
}

// first is the first mail that waits and that p selects, or 0.
func (r *rank) first(p *pending) int32 {
	for i := r.inbox.oldest; i != 0; i = r.e.mails.items[i].after {
		if p.selects(&r.e.mails.items[i]) {
			return i
		}
	}
	return 0
}

// unlink removes a mail, the first of c, from those that wait.
func (r *rank) unlink(i int32, c *channel) {
	e, b := r.e, &r.inbox
	m := &e.mails.items[i]
	if c.first = m.next; c.first == 0 {
		c.last = 0
	}
	if m.prev == 0 {
		b.oldest = m.after
	} else {
		e.mails.items[m.prev].after = m.after
	}
	if m.after == 0 {
		b.youngest = m.prev
	} else {
		e.mails.items[m.after].prev = m.prev
	}
	b.unmatched--
}
