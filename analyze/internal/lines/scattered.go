package lines

import (
	"math"

	"spoor/traces/trace"
)

// scattered holds the numbers of lines whose neighbours are not used. Each line gets a number of
// its own. Lines that the same processor used first get numbers on the same pages. Arrays by number
// then have entries only for used lines. A pair of pages has a node instead of the first of its two
// page numbers, and no second one.
//
// New pairs are scattered while few neighbours are used. A sample of pairs, chosen by hash, is
// always scattered, to measure how many neighbours are used. A pair never changes its form, so that
// the number of a line never changes.
type scattered struct {
	nodes []uint32
	holes []uint32 // small nodes that are free again
	next  []uint32 // by processor: its next number; at the start of a page: that page is full
	few   int      // number of pages below which memory does not matter
	now   bool     // new pairs are scattered

	lines, pages int // of the sample
}

// A node is found by its number, in units of the smallest ones. Those have three words at most for places, after one that tells of what
// lines, by five bits each; those for more have one for each of 32 lines. 0: the line is new.
const (
	isNode    = 1 << 31 // no page has such a number
	isLarge   = 1 << 30
	nodeMask  = isLarge - 1
	smallNode = 4
	largeNode = 2 << Neighbours
	inPair    = largeNode - 1 // bits of a line
	pairBits  = uint(Neighbours) + 1
)

const (
	fewPages  = 1 << 14 // with fewer, memory does not matter
	somePairs = 64      // one of this many pairs is always scattered
	someKnown = 64      // sampled pages after which the sample decides
)

// NewScattering returns an empty table. Neighbours share pages as long as most of them are used.
func NewScattering() *Table {
	t := NewTable()
	t.scattered = &scattered{few: fewPages}
	return t
}

// scatters reports whether a new pair is to be scattered.
func (t *Table) scatters(pair uint64) bool {
	return t.used >= t.scattered.few && (t.scattered.now || isSome(pair))
}

// isSome reports whether a pair is one of some.
func isSome(pair uint64) bool {
	pair = (pair ^ pair>>29) * golden
	return (pair^pair>>32)*golden < math.MaxUint64/somePairs
}

// node makes an empty node, as a pair has it.
func (s *scattered) node() uint32 {
	if n := len(s.holes); n > 0 {
		at := s.holes[n-1]
		s.holes = s.holes[:n-1]
		clear(s.nodes[at*smallNode:][:smallNode])
		return isNode | at
	}
	return isNode | s.more(smallNode)
}

// more allocates a node of n words.
func (s *scattered) more(words int) uint32 {
	at := len(s.nodes)
	s.nodes = Extend(s.nodes, at+words)
	return uint32(at / smallNode)
}

// full reports whether a batch of new lines may not fit.
func (s *scattered) full() bool {
	return len(s.nodes)/smallNode > nodeMask-Batch*(largeNode/smallNode+1)
}

// scatter returns the number of a line of a scattered pair.
func (t *Table) scatter(p *pair, line uint64, by trace.Proc) uint32 {
	s := t.scattered
	of := uint32(line & inPair)
	place := s.find(p, of)
	if place == nil {
		s.enlarge(p)
		place = s.find(p, of)
	}
	if *place == 0 {
		*place = t.one(by)
		s.count(p, of)
	}
	return *place
}

// find is where the node of a pair has the place of a line; nil: it has no room for it.
func (s *scattered) find(p *pair, of uint32) *uint32 {
	at := p.places[0] & nodeMask * smallNode
	if p.places[0]&isLarge != 0 {
		return &s.nodes[at+of]
	}
	node := s.nodes[at:][:smallNode]
	for i := range uint(smallNode - 1) {
		place := &node[i+1]
		if *place == 0 {
			node[0] |= of << (pairBits * i)
			return place
		}
		if node[0]>>(pairBits*i)&inPair == of {
			return place
		}
	}
	return nil
}

// places is those that the node of a pair has, by line.
func (s *scattered) places(p *pair) (all [largeNode]uint32) {
	at := p.places[0] & nodeMask * smallNode
	if p.places[0]&isLarge != 0 {
		return [largeNode]uint32(s.nodes[at:])
	}
	node := s.nodes[at:][:smallNode]
	for i := range uint(smallNode - 1) {
		if place := node[i+1]; place != 0 {
			all[node[0]>>(pairBits*i)&inPair] = place
		}
	}
	return all
}

// enlarge makes the small node of a pair a large one.
func (s *scattered) enlarge(p *pair) {
	all, small := s.places(p), p.places[0]&nodeMask
	large := s.more(largeNode)
	copy(s.nodes[large*smallNode:], all[:])
	s.holes = append(s.holes, small)
	p.places[0] = isNode | isLarge | large
}

// one is a place for one line.
func (t *Table) one(by trace.Proc) uint32 {
	s := t.scattered
	s.next = Extend(s.next, int(by)+1)
	next := &s.next[by]
	if *next&(1<<Neighbours-1) == 0 {
		t.used++
		*next = uint32(t.used) << Neighbours
	}
	*next++
	return *next - 1
}

// count counts a line of a pair that has its place since now, if the pair is one of some.
func (s *scattered) count(p *pair, of uint32) {
	if !isSome(p.number) {
		return
	}
	s.lines++
	all, inPage := s.places(p), 0
	for _, place := range all[of&^(1<<Neighbours-1):][:1<<Neighbours] {
		inPage += int(min(place, 1))
	}
	if inPage == 1 {
		s.pages++
	}
	switch {
	case s.pages < someKnown:
	case s.lines < s.pages*FewOfPage:
		s.now = true
	case s.lines >= s.pages*ManyOfPage:
		s.now = false
	}
}
