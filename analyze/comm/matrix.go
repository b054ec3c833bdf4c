package comm

import (
	"cmp"
	"errors"
	"math/bits"

	"spoor/traces/smallmap"
	"spoor/traces/trace"
)

// pair identifies messages by sender, receiver and kind.
type pair struct {
	from, to trace.Proc
	kind     trace.Kind
}

// cell counts the messages of a pair.
type cell struct {
	messages, bytes uint64
	least, most     int64 // bytes of one message
}

// sizeClass identifies messages of a kind by size: class 0 has 0 bytes, 1 has 1, 2 has 2-3, 3 has 4-7, and so on.
type sizeClass struct {
	kind  trace.Kind
	class uint8
}

// classes is the number of size classes.
const classes = 64

// amount counts messages.
type amount struct{ messages, bytes uint64 }

// matrix counts the messages of all pairs that have any. Thousands of processors can have millions
// of pairs.
type matrix struct {
	pairs smallmap.Map[pair, cell]
	sizes smallmap.Map[sizeClass, amount]
	total cell
}

// entry is a pair and its messages.
type entry = smallmap.Row[pair, cell]

// add adds a message.
func (m *matrix) add(p pair, bytes int64) {
	one := cell{1, uint64(bytes), bytes, bytes}
	m.pairs.Of(p).join(&one)
	m.total.join(&one)
	m.sizes.Of(sizeClass{p.kind, uint8(bits.Len64(uint64(bytes)))}).join(amount{1, uint64(bytes)})
}

// join adds further messages.
func (a *amount) join(more amount) {
	a.messages += more.messages
	a.bytes += more.bytes
}

// join adds the messages of another cell, which must have at least one.
func (c *cell) join(other *cell) {
	if c.messages == 0 || other.least < c.least {
		c.least = other.least
	}
	c.most = max(c.most, other.most)
	c.messages += other.messages
	if c.bytes += other.bytes; c.bytes < other.bytes {
		c.bytes = overflown
	}
}

// overflown stands for more bytes than can be counted, or almost.
const overflown = 1 << 63

// join adds the messages of another matrix.
func (m *matrix) join(other *matrix) {
	for i := range other.pairs.Rows() {
		e := &other.pairs.Rows()[i]
		m.pairs.Of(e.Key).join(&e.Value)
	}
	for _, s := range other.sizes.Rows() {
		m.sizes.Of(s.Key).join(s.Value)
	}
	if other.total.messages > 0 {
		m.total.join(&other.total)
	}
}

func (m *matrix) check() error {
	if m.total.bytes >= overflown {
		return errors.New("comm: messages of more than 2^63 bytes in all")
	}
	return nil
}

// sorted returns all pairs, sorted.
func (m *matrix) sorted() []entry { return m.pairs.Sort(pair.compare) }

// sortedSizes returns all size classes, sorted.
func (m *matrix) sortedSizes() []smallmap.Row[sizeClass, amount] {
	return m.sizes.Sort(sizeClass.compare)
}

// compact releases the memory that further messages would use.
func (m *matrix) compact() {
	m.sorted()
	m.pairs.Compact()
	m.sortedSizes()
	m.sizes.Compact()
}

func (p pair) compare(q pair) int {
	return cmp.Or(cmp.Compare(p.from, q.from), cmp.Compare(p.to, q.to), cmp.Compare(p.kind, q.kind))
}

func (s sizeClass) compare(t sizeClass) int {
	return cmp.Or(cmp.Compare(s.kind, t.kind), cmp.Compare(s.class, t.class))
}
