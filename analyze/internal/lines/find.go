package lines

import (
	"math/bits"

	"spoor/traces/trace"
)

// Find writes the number of each line, and assigns new numbers to new lines. Each batch of lines
// needs a call of MakeRoom before.
func (t *Table) Find(lines []uint64, place []uint32) { t.findFor(lines, place, users{}) }

// users are the processors that use the lines: refs are indices into of. If of is nil, the first
// processor uses all.
type users struct {
	of   []trace.Proc
	refs []uint32
}

// at returns the processor of a use.
func (u *users) at(use int) trace.Proc {
	if u.of == nil {
		return 0
	}
	return u.of[u.refs[use]]
}

// findFor is Find for lines whose users are known.
func (t *Table) findFor(lines []uint64, place []uint32, by users) {
	if t.of == Alone {
		t.findAlone(lines, place)
		return
	}
	switch {
	case len(t.pairs) <= nearPairs:
		t.findNear(lines, place, by)
	case t.direct != nil:
		t.findDirect(lines, place, by)
	default:
		t.findFar(lines, place, by)
	}
}

// findFar is Find in two passes.
func (t *Table) findFar(lines []uint64, place []uint32, by users) {
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

// nearPairs is the maximum length of a hash table that fits the second-level cache. Loads then need
// no overlap.
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

// findAlone is Find for pages with one line.
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
			if t.direct != nil {
				t.direct.add(line, *page)
			}
		}
		return *page<<t.of | uint32(line&(1<<t.of-1))
	}
}

// Place returns the number of one line. A new line gets a new number.
func (t *Table) Place(line uint64) (uint32, error) { return t.placeFor(line, 0) }

// placeFor is Place for a line whose user is known.
func (t *Table) placeFor(line uint64, by trace.Proc) (uint32, error) {
	if err := t.MakeRoom(); err != nil {
		return 0, err
	}
	return t.at(line, t.bucket(line>>t.of>>1), by), nil
}
