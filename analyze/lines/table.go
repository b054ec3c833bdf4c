// Package lines numbers the distinct memory lines of a stream, for analyses that keep something of
// every line.
package lines

import (
	"errors"
	"iter"
	"math"
)

// Table maps lines to places, small consecutive numbers, so that what is kept of every line can be
// in plain arrays. Sixteen neighbouring lines share a page of places, one cache line of an array
// of words: programs that use a line use its neighbours, and the hash table is so much smaller. Where they
// do not, because most lines are left out or lie far apart, a page is of one line.
// The first page of places, and so place 0, belongs to no line.
type Table struct {
	pages []page // hash table, a power of two long, linear probing
	shift uint   // 64 - log2(len(pages))
	used  int    // pages in the table
	of    Sharing
	hash  [Batch]uint32
}

// Batch is how many lines go through each step together: enough to cover the
// latency of memory, few enough for the first-level cache.
const Batch = 256

type page struct {
	number uint64 // line >> Table.of
	places uint32 // number of the page of places; 0: empty
}

// A Sharing is log2 of how many lines share a page of places.
type Sharing uint

// All there are.
const (
	Neighbours Sharing = 4
	Alone      Sharing = 0
)

// NewTable is a table of no lines, which shares pages among neighbours.
func NewTable() *Table {
	const logSize = 10
	return &Table{pages: make([]page, 1<<logSize), shift: 64 - logSize, of: Neighbours}
}

// Reset forgets all lines, and keeps the memory.
func (t *Table) Reset(of Sharing) {
	clear(t.pages)
	t.used, t.of = 0, of
}

// Places is how many places there are, those of no line included.
func (t *Table) Places() int { return (t.used + 1) << t.of }

// Pages is how many pages have lines.
func (t *Table) Pages() int { return t.used }

// Extend appends zeros to what is kept by place until there is one for each of n places.
func Extend[T any](kept []T, n int) []T {
	if n > cap(kept) {
		kept = append(make([]T, 0, 2*n), kept...)[:n] // append would make large ones a quarter longer, and copy them often
	} else if n > len(kept) {
		at := len(kept)
		kept = kept[:n]
		clear(kept[at:])
	}
	return kept
}

// All yields all lines of all pages, in no useful order, with their places: of every line that was
// found, and of its neighbours.
func (t *Table) All() iter.Seq2[uint64, uint32] {
	return func(yield func(uint64, uint32) bool) {
		for _, p := range t.pages {
			for i := uint32(0); p.places != 0 && i < 1<<t.of; i++ {
				if !yield(p.number<<t.of|uint64(i), p.places<<t.of|i) {
					return
				}
			}
		}
	}
}

// MakeRoom ensures room for a batch of lines that are all new.
func (t *Table) MakeRoom() error {
	if t.used > math.MaxUint32>>t.of-Batch {
		return errors.New("more distinct lines in one stream than 2^32 places hold; use a larger line size")
	}
	if (t.used+Batch)*8 > len(t.pages)*5 {
		t.grow()
	}
	return nil
}

func (t *Table) grow() {
	old := t.pages
	t.pages = make([]page, 2*len(old))
	t.shift--
	mask := uint64(len(t.pages) - 1)
	for _, p := range old {
		if p.places == 0 {
			continue
		}
		h := t.bucket(p.number)
		for t.pages[h].places != 0 {
			h = (h + 1) & mask
		}
		t.pages[h] = p
	}
}

// bucket multiplies by 2^64 divided by the golden ratio (Knuth's multiplicative
// hashing). Once would do for neighbouring pages, but not for pages at every
// power-of-two stride, which crowd; folding the upper half in and multiplying again does.
func (t *Table) bucket(number uint64) uint64 {
	const golden = 0x9E3779B97F4A7C15
	number *= golden
	return ((number ^ number>>32) * golden) >> (t.shift & 63)
}

// Find writes the place of each line, new ones for new lines. There must be room: at most a
// batch of lines for each call of MakeRoom.
func (t *Table) Find(lines []uint64, place []uint32) {
	if t.of == Alone {
		t.findAlone(lines, place)
		return
	}
	if len(t.pages) <= nearPages {
		t.findNear(lines, place)
		return
	}
	pages := t.pages
	var touched uint32
	for i, l := range lines {
		h := t.bucket(l >> Neighbours)
		t.hash[i&(Batch-1)] = uint32(h)
		touched += pages[h&uint64(len(pages)-1)].places
	}
	place = place[:len(lines)]
	if len(place) > 0 {
		place[0] = touched // or the compiler drops the reads, whose cache misses overlap
	}
	mask := uint64(len(pages) - 1)
	for i, l := range lines {
		number := l >> Neighbours
		h := uint64(t.hash[i&(Batch-1)])
		p := &pages[h&mask]
		if p.number != number || p.places == 0 {
			p = t.at(number, h)
		}
		place[i] = p.places<<Neighbours | uint32(l&(1<<Neighbours-1))
	}
}

// nearPages is how long a hash table is at most that the second-level cache holds: there is little to overlap.
const nearPages = 1 << 13

// findNear is Find in one pass.
func (t *Table) findNear(lines []uint64, place []uint32) {
	pages, mask := t.pages, uint64(len(t.pages)-1)
	place = place[:len(lines)]
	for i, l := range lines {
		number := l >> Neighbours
		h := t.bucket(number)
		p := &pages[h&mask]
		if p.number != number || p.places == 0 {
			p = t.at(number, h)
		}
		place[i] = p.places<<Neighbours | uint32(l&(1<<Neighbours-1))
	}
}

// findAlone is Find for pages of one line.
func (t *Table) findAlone(lines []uint64, place []uint32) {
	mask := uint64(len(t.pages) - 1)
	var touched uint32
	for i, l := range lines {
		h := t.bucket(l)
		t.hash[i&(Batch-1)] = uint32(h)
		touched += t.pages[h&mask].places
	}
	if len(lines) > 0 {
		place[0] = touched // see Find
	}
	for i, l := range lines {
		place[i] = t.at(l, uint64(t.hash[i&(Batch-1)])).places
	}
}

// at is the page of a number whose bucket is known, a new one for a new number. Where most are in their buckets it pays to look there
// before.
func (t *Table) at(number, h uint64) *page {
	for mask := uint64(len(t.pages) - 1); ; h++ {
		p := &t.pages[h&mask]
		if p.places == 0 {
			t.used++
			*p = page{number, uint32(t.used)}
			return p
		}
		if p.number == number {
			return p
		}
	}
}

// Place is the place of one line, a new one for a new line.
func (t *Table) Place(line uint64) (uint32, error) {
	if err := t.MakeRoom(); err != nil {
		return 0, err
	}
	number := line >> t.of
	return t.at(number, t.bucket(number)).places<<t.of | uint32(line&(1<<t.of-1)), nil
}
