// Package lines assigns small consecutive numbers to the distinct memory lines of a stream, so that
// analyses can keep the state of every line in arrays.
package lines

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"sync/atomic"

	"spoor/traces/unit"
)

// Table maps lines to numbers (places), small consecutive numbers. The state of every line can then
// be in plain arrays. Sixteen neighbouring lines share a page of numbers, which is one cache line
// of an array of words. A program that uses a line usually uses its neighbours, and the hash table
// is smaller. If it does not, because most lines are omitted or far apart, a page has one line, or
// lines are scattered: see [NewScattering]. The first page, and so number 0, belongs to no line.
type Table struct {
	pairs     []pair // hash table, a power of two long, linear probing
	shift     uint   // 64 - log2(len(pairs))
	factor    uint64 // of the hash
	crowded   bool   // a line was stored far from its bucket
	full      int    // number of pairs in the table
	used      int    // number of pages
	of        Sharing
	scattered *scattered // nil if lines are never scattered
	direct    *direct    // nil if no region is dense
	directAt  int        // with more pages, dense regions are looked for again
	hash      [Batch]uint32
}

// Batch is the number of lines that go through each step together. It is large enough to cover the
// latency of memory, and small enough for the first-level cache.
const Batch = 256

// pair is two neighbouring pages. It takes the memory of one aligned entry, so the table has half
// the length.
type pair struct {
	number uint64    // line >> Table.of >> 1
	places [2]uint32 // numbers of the pages, or isNode and the node of scattered lines; 0: none. The pair is empty if both are 0
}

func (p *pair) empty() bool { return p.places == [2]uint32{} }

// A Sharing is log2 of the number of lines that share a page.
type Sharing uint

// All there are.
const (
	Neighbours Sharing = 4
	Alone      Sharing = 0
)

// The number of used lines among sixteen neighbours determines which form is better. The state of a
// line takes a few words. A number of its own takes about thirty bytes. Therefore pages pay from
// three used lines on.
const (
	FewOfPage  = 3 // with fewer, separate numbers take less memory
	ManyOfPage = 5 // with as many, pages take far less memory
)

// NewTable returns an empty table. Sixteen neighbouring lines share a page.
func NewTable() *Table {
	const logSize = 10
	return &Table{pairs: make([]pair, 1<<logSize), shift: 64 - logSize, factor: golden, of: Neighbours}
}

// Reset removes all lines and keeps the memory. No line may be scattered.
func (t *Table) Reset(of Sharing) {
	clear(t.pairs)
	t.full, t.used, t.of, t.direct, t.directAt = 0, 0, of, nil, 0
}

// Sharing returns how lines share pages.
func (t *Table) Sharing() Sharing { return t.of }

// Places returns how many numbers there are, including those of no line.
func (t *Table) Places() int { return (t.used + 1) << t.of }

// Pages returns how many pages have lines.
func (t *Table) Pages() int { return t.used }

// Extend appends zeros to kept until it has an entry for each of n numbers.
func Extend[T any](kept []T, n int) []T {
	if n > cap(kept) {
		kept = append(make([]T, 0, n+n/2), kept...)[:n] // append would allocate a quarter more, and copy large slices often
	} else if n > len(kept) {
		at := len(kept)
		kept = kept[:n]
		clear(kept[at:])
	}
	return kept
}

// All yields all lines of all pages with their numbers, in no useful order. That includes every
// line that was found and its neighbours. No line may be scattered.
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

// mostPlaces is the maximum number of places of a table; 0: as many as fit.
var mostPlaces atomic.Int64

// placeBytes is the memory for each line, roughly, in the analyses that need least.
const placeBytes = 60

const mebibyte = 1 << 20

// Limit sets the maximum number of places of every table. A few large references with a small line size
// touch many lines, and memory grows with these.
func Limit(places int64) { mostPlaces.Store(places) }

// MakeRoom allocates memory for a batch of new lines.
func (t *Table) MakeRoom() error {
	if most := mostPlaces.Load(); most > 0 && int64(t.Places()) > most {
		return fmt.Errorf("the references touch more than %d lines, which would take more than %v of memory; use a larger line size, or a sample of lines",
			most, unit.Bytes(most*placeBytes/mebibyte+1)*mebibyte)
	}
	if t.used > math.MaxUint32>>t.of-Batch || t.scattered != nil && t.scattered.full() {
		return errors.New("more distinct lines in one stream than 2^32 places hold; use a larger line size")
	}
	if t.crowded {
		t.factor, t.crowded = rand.Uint64()|1, false // results do not depend on it
		t.rehash(len(t.pairs))
	}
	if (t.full+Batch)*8 > len(t.pairs)*t.fullest() {
		t.shift--
		t.rehash(2 * len(t.pairs))
	}
	if t.used >= t.directAt {
		t.updateDirect()
	}
	return nil
}

// fullest returns how many of eight pairs may be in use. Tables with one line a page have fewer
// while they are short, so that most lines are in their buckets.
func (t *Table) fullest() int {
	if t.of == Alone && len(t.pairs) < farPairs {
		return 2
	}
	return 5
}

// farPairs is the length of a hash table from which the caches hold no significant part of it.
const farPairs = 1 << 20

// mostSteps is the maximum distance of a line from its bucket. With five of eight pairs in use,
// chance never produces such a distance, but chosen addresses can. Then the table takes a random
// hash.
const mostSteps = 1 << 10

// rehash resizes the hash table.
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

// bucket hashes by multiplication with 2^64 divided by the golden ratio (Knuth's multiplicative
// hashing), unless lines were chosen to collide. One multiplication suffices for neighbouring
// pages, but pages at power-of-two strides cluster. Therefore the upper half is folded in and
// multiplied again.
func (t *Table) bucket(number uint64) uint64 {
	number *= t.factor
	return ((number ^ number>>32) * t.factor) >> (t.shift & 63)
}
