package comm

import (
	"cmp"
	"errors"
	"maps"
	"math/bits"
	"slices"

	"spoor/traces/trace"
)

// pair is who sends to whom, and by what.
type pair struct {
	from, to trace.Proc
	kind     trace.Kind
}

// cell is the messages of a pair.
type cell struct {
	messages, bytes uint64
	least, most     int64 // bytes of one
}

// sizes are messages by the class of their size: none, 1, 2-3, 4-7, ... bytes.
type sizes [64]struct{ messages, bytes uint64 }

// matrix is the messages of all pairs that have any.
type matrix struct {
	cells map[pair]*cell
	sizes map[trace.Kind]*sizes
	total cell
}

func newMatrix() *matrix {
	return &matrix{map[pair]*cell{}, map[trace.Kind]*sizes{}, cell{least: -1}}
}

// add adds a message.
func (m *matrix) add(p pair, bytes int64) {
	c := m.cells[p]
	if c == nil {
		c = &cell{least: -1}
		m.cells[p] = c
	}
	one := cell{1, uint64(bytes), bytes, bytes}
	c.join(&one)
	m.total.join(&one)
	class := &m.classes(p.kind)[bits.Len64(uint64(bytes))]
	class.messages++
	class.bytes += uint64(bytes)
}

func (m *matrix) classes(k trace.Kind) *sizes {
	if m.sizes[k] == nil {
		m.sizes[k] = new(sizes)
	}
	return m.sizes[k]
}

// join adds the messages of another cell; there is one at least.
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

// overflown stands for more bytes than can be counted, or nearly so.
const overflown = 1 << 63

// join adds the messages of another matrix.
func (m *matrix) join(other *matrix) {
	for p, c := range other.cells {
		if mine := m.cells[p]; mine != nil {
			mine.join(c)
		} else {
			m.cells[p] = c
		}
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

// pairs are those of m, sorted.
func (m *matrix) pairs() []pair {
	return slices.SortedFunc(maps.Keys(m.cells), func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.kind, b.kind))
	})
}
