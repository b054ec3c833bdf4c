package comm

import (
	"cmp"
	"errors"
	"math/bits"
	"slices"

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

// sizes counts messages by size class: 0, 1, 2-3, 4-7, ... bytes.
type sizes [64]struct{ messages, bytes uint64 }

// matrix counts the messages of all pairs that have any. Thousands of processors can have millions
// of pairs.
type matrix struct {
	at    map[pair]uint32 // in all
	all   []entry
	sizes map[trace.Kind]*sizes
	total cell
}

// entry is a pair and its messages.
type entry struct {
	pair
	cell
}

func newMatrix() *matrix {
	return &matrix{at: map[pair]uint32{}, sizes: map[trace.Kind]*sizes{}, total: cell{least: -1}}
}

// add adds a message.
func (m *matrix) add(p pair, bytes int64) {
	one := cell{1, uint64(bytes), bytes, bytes}
	m.of(p).join(&one)
	m.total.join(&one)
	class := &m.classes(p.kind)[bits.Len64(uint64(bytes))]
	class.messages++
	class.bytes += uint64(bytes)
}

// of returns the cell of a pair. It is valid until the next call.
func (m *matrix) of(p pair) *cell {
	i, ok := m.at[p]
	if !ok {
		i = uint32(len(m.all))
		m.at[p] = i
		m.all = append(m.all, entry{p, cell{least: -1}})
	}
	return &m.all[i].cell
}

func (m *matrix) classes(k trace.Kind) *sizes {
	if m.sizes[k] == nil {
		m.sizes[k] = new(sizes)
	}
	return m.sizes[k]
}

// join adds the messages of another cell, which must have at least one.
func (c *cell) join(other *cell) {
	if c.least < 0 || other.least < c.least {
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
	for i := range other.all {
		e := &other.all[i]
		m.of(e.pair).join(&e.cell)
	}
	for k, classes := range other.sizes {
		mine := m.classes(k)
		for i, class := range classes {
			mine[i].messages += class.messages
			mine[i].bytes += class.bytes
		}
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

// sorted returns all entries, sorted. No entry may be added afterwards.
func (m *matrix) sorted() []entry {
	if m.at != nil {
		m.at = nil
		slices.SortFunc(m.all, func(a, b entry) int { return a.pair.compare(b.pair) })
	}
	return m.all
}

func (p pair) compare(q pair) int {
	return cmp.Or(cmp.Compare(p.from, q.from), cmp.Compare(p.to, q.to), cmp.Compare(p.kind, q.kind))
}
