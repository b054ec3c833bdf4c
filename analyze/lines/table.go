// Package lines numbers the distinct memory lines of a stream, for analyses that keep something of
// every line.
package lines

import (
	"errors"
	"iter"
	"math"
	"math/bits"
	"math/rand/v2"

	"spoor/traces/trace"
)

// Table maps lines to places, small consecutive numbers, so that what is kept of every line can be
// in plain arrays. Sixteen neighbouring lines share a page of places, one cache line of an array
// of words: programs that use a line use its neighbours, and the hash table is so much smaller. Where they
// do not, because most lines are left out or lie far apart, a page is of one line, or lines are scattered: see [NewScattering].
// The first page of places, and so place 0, belongs to no line.
type Table struct {
	pairs     []pair // hash table, a power of two long, linear probing
	shift     uint   // 64 - log2(len(pairs))
	factor    uint64 // of the hash
	crowded   bool   // a line was put far behind its bucket
	full      int    // pairs in the table
	used      int    // pages of places
	of        Sharing
	scattered *scattered // nil if none ever are
	hash      [Batch]uint32
}

// Batch is how many lines go through each step together: enough to cover the
// latency of memory, few enough for the first-level cache.
const Batch = 256

// pair is two neighbouring pages, which are in the memory that one would take, aligned: the table is half as long.
type pair struct {
	number uint64    // line >> Table.of >> 1
	places [2]uint32 // numbers of the pages of places, or isNode and where scattered lines have theirs; 0: none, and the pair is empty if both are
}

func (p *pair) empty() bool { return p.places == [2]uint32{} }

// A Sharing is log2 of how many lines share a page of places.
type Sharing uint

// All there are.
const (
	Neighbours Sharing = 4
	Alone      Sharing = 0
)

// How many lines of sixteen neighbours are used decides what is best: what is kept of each takes a few words, and to find it by itself some
// thirty bytes, so that three pay.
const (
	FewOfPage  = 3 // with fewer, it takes less memory to give each line a place of its own
	ManyOfPage = 5 // with as many, it takes far less to give a page to all neighbours
)

// NewTable is a table of no lines, which shares pages among neighbours.
func NewTable() *Table {
	const logSize = 10
	return &Table{pairs: make([]pair, 1<<logSize), shift: 64 - logSize, factor: golden, of: Neighbours}
}

// Reset forgets all lines, and keeps the memory. None may be scattered.
func (t *Table) Reset(of Sharing) {
	clear(t.pairs)
	t.full, t.used, t.of = 0, 0, of
}

// Sharing is how lines share pages.
func (t *Table) Sharing() Sharing { return t.of }

// Places is how many places there are, those of no line included.
func (t *Table) Places() int { return (t.used + 1) << t.of }

// Pages is how many pages of places have lines.
func (t *Table) Pages() int { return t.used }

// Extend appends zeros to what is kept by place until there is one for each of n places.
func Extend[T any](kept []T, n int) []T {
	if n > cap(kept) {
		kept = append(make([]T, 0, n+n/2), kept...)[:n] // append would make large ones a quarter longer, and copy them often
	} else if n > len(kept) {
		at := len(kept)
		kept = kept[:n]
		clear(kept[at:])
	}
	return kept
}

// All yields all lines of all pages, in no useful order, with their places: of every line that was
// found, and of its neighbours. None may be scattered.
func (t *Table) All() iter.Seq2[uint64, uint32] {
	return func(yield func(uint64, uint32) bool) {
		for _, p := range t.pairs {
			for i := range uint32(2) << t.of {
				if page := p.places[i>>t.of]; page != 0 && !yield(p.number<<t.of<<1|uint64(i), page<<t.of|i&(1<<t.of-1)) {
					return
				}
			}
		}
	}
}

// MakeRoom ensures room for a batch of lines that are all new.
func (t *Table) MakeRoom() error {
	if t.used > math.MaxUint32>>t.of-Batch || t.scattered != nil && t.scattered.full() {
		return errors.New("more distinct lines in one stream than 2^32 places hold; use a larger line size")
	}
	if t.crowded {
		t.factor, t.crowded = rand.Uint64()|1, false // what is found does not depend on it
		t.rehash(len(t.pairs))
	}
	if (t.full+Batch)*8 > len(t.pairs)*t.fullest() {
		t.shift--
		t.rehash(2 * len(t.pairs))
	}
	return nil
}

// fullest is how many of eight pairs are in use at most: of lines that are alone, as long as they are few, so that most are where they should be.
func (t *Table) fullest() int {
	if t.of == Alone && len(t.pairs) < farPairs {
		return 2
	}
	return 5
}

// farPairs is how long a hash table is at least that the caches hold no part worth mentioning of.
const farPairs = 1 << 20

// mostSteps is how far a line is behind its bucket at most, unless lines were made to crowd: where five of eight pairs are in use, chance does not
// put any so far behind. Then the hash becomes one that nobody knows.
const mostSteps = 1 << 10

// rehash makes the hash table so long.
func (t *Table) rehash(size int) {
	old := t.pairs
	t.pairs = make([]pair, size)
	mask := uint64(len(t.pairs) - 1)
	for _, p := range old {
		if p.empty() {
			continue
		}
		h := t.bucket(p.number)
		for !t.pairs[h].empty() {
			h = (h + 1) & mask
		}
		t.pairs[h] = p
	}
}

// golden is 2^64 divided by the golden ratio.
const golden = 0x9E3779B97F4A7C15

// bucket multiplies by 2^64 divided by the golden ratio (Knuth's multiplicative
// hashing), as long as lines are not made for that. Once would do for neighbouring pages, but not for pages at every
// power-of-two stride, which crowd; folding the upper half in and multiplying again does.
func (t *Table) bucket(number uint64) uint64 {
	number *= t.factor
	return ((number ^ number>>32) * t.factor) >> (t.shift & 63)
}

// Find writes the place of each line, new ones for new lines. There must be room: at most a
// batch of lines for each call of MakeRoom.
func (t *Table) Find(lines []uint64, place []uint32) { t.findFor(lines, place, users{}) }

// users is whose uses are looked up: those of a reference by index, of the processors in of. All are of the first if that is nil.
type users struct {
	of   []trace.Proc
	refs []uint32
}

// at is who made a use.
func (u *users) at(use int) trace.Proc {
	if u.of == nil {
		return 0
	}
	return u.of[u.refs[use]]
}

// findFor is Find of lines of which it is known who uses them.
func (t *Table) findFor(lines []uint64, place []uint32, by users) {
	if t.of == Alone {
		t.findAlone(lines, place)
		return
	}
	if len(t.pairs) <= nearPairs {
		t.findNear(lines, place, by)
		return
	}
	pairs := t.pairs
	var touched uint32
	for i, l := range lines {
		h := t.bucket(l >> Neighbours >> 1)
		t.hash[i&(Batch-1)] = uint32(h)
		touched += pairs[h&uint64(len(pairs)-1)].places[0]
	}
	place = place[:len(lines)]
	if len(place) > 0 {
		place[0] = touched // or the compiler drops the reads, whose cache misses overlap
	}
	mask := uint64(len(pairs) - 1)
	for i, l := range lines {
		number := l >> Neighbours
		h := uint64(t.hash[i&(Batch-1)])
		_, here := bits.Sub64(pairs[h&mask].number^number>>1, 1, 0)
		p := &pairs[(h+1-here)&mask] // one in four is in the next bucket: there is no branch that is hard to predict
		page := p.places[number&1]
		if p.number != number>>1 || page-1 >= isNode-1 {
			place[i] = t.at(l, h, by.at(i))
			continue
		}
		place[i] = page<<Neighbours | uint32(l&(1<<Neighbours-1))
	}
}

// nearPairs is how long a hash table is at most that the second-level cache holds: there is little to overlap.
const nearPairs = 1 << 13

// findNear is Find in one pass.
func (t *Table) findNear(lines []uint64, place []uint32, by users) {
	pairs, mask := t.pairs, uint64(len(t.pairs)-1)
	place = place[:len(lines)]
	for i, l := range lines {
		number := l >> Neighbours
		h := t.bucket(number >> 1)
		p := &pairs[h&mask]
		page := p.places[number&1]
		if p.number != number>>1 || page-1 >= isNode-1 {
			place[i] = t.at(l, h, by.at(i))
			continue
		}
		place[i] = page<<Neighbours | uint32(l&(1<<Neighbours-1))
	}
}

// findAlone is Find for pages of one line.
func (t *Table) findAlone(lines []uint64, place []uint32) {
	mask := uint64(len(t.pairs) - 1)
	var touched uint32
	for i, l := range lines {
		h := t.bucket(l >> 1)
		t.hash[i&(Batch-1)] = uint32(h)
		touched += t.pairs[h&mask].places[0]
	}
	if len(lines) > 0 {
		place[0] = touched // see Find
	}
	for i, l := range lines {
		place[i] = t.at(l, uint64(t.hash[i&(Batch-1)]), 0)
	}
}

// at is the place of a line whose pair's bucket is known, a new one for a new line, which somebody uses. Where most pairs are in their buckets
// it pays to look there before.
func (t *Table) at(line, h uint64, by trace.Proc) uint32 {
	number, from := line>>t.of, h
	for mask := uint64(len(t.pairs) - 1); ; h++ {
		p := &t.pairs[h&mask]
		if p.empty() {
			t.crowded = t.crowded || h-from > mostSteps
			t.full++
			p.number = number >> 1
			if t.scattered != nil && t.scatters(p.number) {
				p.places[0] = t.scattered.node()
			}
		} else if p.number != number>>1 {
			continue
		}
		if p.places[0] >= isNode {
			return t.scatter(p, line, by)
		}
		page := &p.places[number&1]
		if *page == 0 {
			t.used++
			*page = uint32(t.used)
		}
		return *page<<t.of | uint32(line&(1<<t.of-1))
	}
}

// Place is the place of one line, a new one for a new line.
func (t *Table) Place(line uint64) (uint32, error) { return t.placeFor(line, 0) }

// placeFor is Place of a line of which it is known who uses it.
func (t *Table) placeFor(line uint64, by trace.Proc) (uint32, error) {
	if err := t.MakeRoom(); err != nil {
		return 0, err
	}
	return t.at(line, t.bucket(line>>t.of>>1), by), nil
}
