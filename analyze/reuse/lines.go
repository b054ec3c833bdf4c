package reuse

import (
	"errors"
	"math"
)

// lineTable maps lines to places, and has a slot for each place. Sixteen neighbouring
// lines share a page of places, one cache line: programs that use a line use
// its neighbours, and the hash table is so much smaller.
type lineTable struct {
	slots []uint32 // by place; the first page is not used
	pages []page   // hash table, a power of two long, linear probing
	shift uint     // 64 - log2(len(pages))
	used  int      // pages in the table
	hash  [batch]uint32
}

type page struct {
	number uint64 // line >> pageShift
	places uint32 // number of the page in slots; 0: empty
}

const (
	pageShift = 4
	pageLines = 1 << pageShift
	maxPages  = math.MaxUint32>>pageShift - batch
)

func (t *lineTable) init() {
	const size = 1 << 10
	t.pages = make([]page, size)
	t.shift = 64 - 10
	t.slots = make([]uint32, pageLines, pageLines*size)
}

// makeRoom ensures room for a batch of new pages.
func (t *lineTable) makeRoom() error {
	if t.used > maxPages {
		return errors.New("more distinct lines in one stream than 2^32 places hold; use a larger line size")
	}
	if (t.used+batch)*8 > len(t.pages)*5 {
		t.grow()
	}
	return nil
}

func (t *lineTable) grow() {
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
func (t *lineTable) bucket(number uint64) uint64 {
	const golden = 0x9E3779B97F4A7C15
	number *= golden
	return ((number ^ number>>32) * golden) >> (t.shift & 63)
}

// find writes the place of each line, new lines included, whose slot is 0. There must
// be room for as many pages.
func (t *lineTable) find(lines []uint64, place []uint32) {
	pages := t.pages
	var touched uint32
	for i, l := range lines {
		h := t.bucket(l >> pageShift)
		t.hash[i&(batch-1)] = uint32(h)
		touched += pages[h&uint64(len(pages)-1)].places
	}
	place = place[:len(lines)]
	if len(place) > 0 {
		place[0] = touched // or the compiler drops the reads, whose cache misses overlap
	}
	mask := uint64(len(pages) - 1)
	for i, l := range lines {
		number := l >> pageShift
		h := uint64(t.hash[i&(batch-1)])
		p := &pages[h&mask]
		for p.number != number || p.places == 0 {
			if p.places == 0 {
				*p = page{number, t.newPage()}
				break
			}
			h++
			p = &pages[h&mask]
		}
		place[i] = p.places<<pageShift | uint32(l&(pageLines-1))
	}
}

func (t *lineTable) newPage() uint32 {
	t.used++
	t.slots = append(t.slots, make([]uint32, pageLines)...)
	return uint32(len(t.slots)/pageLines - 1)
}
