package sharing

import (
	"errors"
	"math"
	"math/bits"

	"spoor/analyze/analysis"
	"spoor/analyze/lines"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// simulation is the caches of all processors at one line size.
type simulation struct {
	line, word           unit.Bytes
	lineShift, wordShift uint
	words                int  // of a line
	apart                int  // of these, whose accesses are counted apart: all, or 1 if there is but one processor, for all together
	blocks               int  // of 64 words, of a line
	blockShift           uint // log2 of the bytes of one

	holdings [][]uint32 // by processor and place among its own lines: the holder of a line; 0: none yet
	numbers  []uint32   // of lines, by place; 0: none yet
	lines    []line     // by number; the first is not used
	holders  []holder
	copies   []copied // by holder and block
	masks    []uint64 // by holder, for each block: stale, unread
	accesses []uint64 // by holder and word that is counted apart
	shared   []sharedLine
	written  []uint64 // by shared line and block: words that were stored
	writers  []int32  // by shared line and word: who stored it last, +1; 0: nobody

	users []uint32 // by word that is counted apart: how many holders of the line at hand have accessed it, at the end

	touched uint64 // or the compiler drops the loads of touch

	alone alone // if there is but one processor

	regions *regions
	split   map[splitKey]usage // of lines in several regions
	tallies []regionTally      // by region
	matrix  matrix
	runs    runs
	phases  phases
	kinds   map[kindKey]kindCounts // at the end
}

// line is what all processors do with a line.
type line struct {
	number   uint64
	holders  uint32 // the first of a list
	owner    uint32 // holder of the exclusive copy, or 0
	shared   uint32 // once there are two holders
	valid    int32  // copies
	lastProc int32  // that stored it, or -1
	region   int32  // of all of it, or mixed
}

// sharedLine is what a line has besides when several processors use it.
type sharedLine struct {
	runFrom            uint64 // stores of the owner before its write run
	trues, falses      uint64 // misses
	took, again, other uint64 // stores that removed copies, by pattern
}

// holder is what a processor does with a line.
type holder struct {
	loadsBefore     uint64 // the miss
	line            uint32
	next            uint32 // holder of the line
	phase           uint32 // of the miss
	proc            int32
	region          int32 // of the miss
	state           state
	isMixed, isCold bool
}

// copied is what most uses of a block of a line need of its holder.
type copied struct {
	quiet uint64    // words whose accesses tell nothing new: neither stale nor unread, of a valid copy of a line in one region
	dirty uint64    // words stored by the owner since it became that, and not yet known to others: none if it is not the owner
	uses  [2]uint64 // loads and stores that began in the block
}

// state is that of a copy.
type state uint8

const (
	invalid   state = iota
	pure            // cold, of a line that nobody had stored
	unneeded        // nothing that others stored was accessed
	essential       // it was
)

const (
	staleMask  = iota // stored by others since the holder's last essential miss
	unreadMask        // stored by others, or never accessed, since the holder's last access
	masks
)

func newSimulation(procs int, size, word unit.Bytes, r *regions, maxSpans int) *simulation {
	word = min(word, size)
	s := &simulation{line: size, word: word, lineShift: size.Shift(), wordShift: word.Shift(), words: int(size / word), apart: 1,
		holdings: make([][]uint32, procs), lines: make([]line, 1), holders: make([]holder, 1), shared: make([]sharedLine, 1),
		regions: r, split: map[splitKey]usage{}, tallies: make([]regionTally, len(r.names)),
		matrix: newMatrix(procs), phases: newPhases(procs, maxSpans)}
	s.blocks, s.blockShift = (s.words+63)/64, min(s.lineShift, s.wordShift+6)
	if procs > 1 {
		s.apart = s.words
	}
	s.copies, s.masks, s.accesses = make([]copied, s.blocks), make([]uint64, masks*s.blocks), make([]uint64, s.apart)
	s.users = make([]uint32, s.apart)
	s.written, s.writers = make([]uint64, s.blocks), make([]int32, s.words)
	return s
}

// add simulates the uses of a piece.
func (s *simulation) add(uses *lines.Uses, p *analysis.Piece) error {
	if s.isAlone() {
		return s.addAlone(uses, p)
	}
	s.numbers = lines.Reach(s.numbers, uint32(uses.Room-1))
	for from := 0; from < len(uses.Lines); from += lines.Batch {
		to := min(from+lines.Batch, len(uses.Lines))
		s.touch(uses.Own[from:to], uses.Refs[from:to], p.Of)
		if err := s.addBatch(uses, p, from, to); err != nil {
			return err
		}
	}
	return nil
}

// touch makes room for lines of processors, and loads what is kept of those that are known: loads that nothing waits for overlap.
func (s *simulation) touch(own, refs []uint32, of []trace.Proc) {
	touched, refs := s.touched, refs[:len(own)]
	for i, place := range own {
		held := &s.holdings[of[refs[i]]]
		if int(place) >= len(*held) {
			*held = lines.Reach(*held, place)
		}
		id := int((*held)[place])
		touched += s.copies[id*s.blocks].quiet + s.accesses[id*s.apart]
	}
	s.touched = touched
}

// addBatch simulates uses for whose lines there is room.
func (s *simulation) addBatch(uses *lines.Uses, p *analysis.Piece, from, to int) error {
	used := uses.Lines[from:to]
	own, refs, places := uses.Own[from:to], uses.Refs[from:to], uses.Places[from:to]
	procs, sizes, ops := p.Of[:len(p.Refs.Addr)], p.Refs.Size[:len(p.Refs.Addr)], p.Refs.Op[:len(p.Refs.Addr)]
	wordShift, wordMask, blockShift := s.wordShift&63, uint64(s.words-1), s.blockShift&63
	for i, number := range used {
		r := refs[i]
		of, first, isStore := procs[r], p.Refs.Addr[r], ops[r] == trace.Store
		last := first + uint64(sizes[r]) - 1
		s.phases.uses[of]++
		holder := &s.holdings[of][own[i]]
		if first>>blockShift == last>>blockShift {
			w, more := first>>wordShift&wordMask, last>>wordShift-first>>wordShift
			if c := &s.copies[int(*holder)*s.blocks+int(w>>6)]; c.again((uint64(2)<<(more&63)-1)<<(w&63), isStore) {
				s.count(*holder, int(w), int(w+more))
				continue
			}
		}
		base := number << s.lineShift
		if err := s.use(of, holder, places[i], max(first, base), min(last, base|(1<<s.lineShift-1)), isStore); err != nil {
			return err
		}
	}
	return nil
}

// again counts a use of words of the block that tells nothing new, and reports whether it is one: nobody stored the words since
// the holder's last access, and who stores has the copy exclusive.
func (c *copied) again(words uint64, isStore bool) bool {
	if words&^c.quiet != 0 {
		return false
	}
	if !isStore {
		c.uses[0]++
		return true
	}
	if c.dirty == 0 { // or the first store to the block
		return false
	}
	c.dirty |= words
	c.uses[1]++
	return true
}

// count counts accesses of words w0 to w1.
func (s *simulation) count(id uint32, w0, w1 int) {
	for w := w0; w <= w1; w++ {
		s.accesses[int(id)*s.apart+w&(s.apart-1)]++
	}
}

// usesOf is the loads and stores of a holder.
func (s *simulation) usesOf(id uint32) (n [2]uint64) {
	for _, c := range s.copied(id) {
		n[0] += c.uses[0]
		n[1] += c.uses[1]
	}
	return n
}

// accessesOf is how often a holder accessed each word that is counted apart.
func (s *simulation) accessesOf(id uint32) []uint64 { return s.accesses[int(id)*s.apart:][:s.apart] }

// copied is the blocks of a holder.
func (s *simulation) copied(id uint32) []copied { return s.copies[int(id)*s.blocks:][:s.blocks] }

// use simulates a load or store of the bytes of one line from first to last, and finds out who holds that.
func (s *simulation) use(p trace.Proc, holder *uint32, place uint32, first, last uint64, isStore bool) error {
	hit := false
	switch id := *holder; {
	case id == 0:
		var err error
		if *holder, err = s.hold(p, place, first); err != nil {
			return err
		}
	case s.holders[id].state == invalid:
		s.fold(&s.lines[s.holders[id].line])
		s.fetch(id, first)
	default:
		hit = true
	}
	s.access(*holder, first, last, isStore, hit)
	return nil
}

// access simulates a load or store with a valid copy, which it hit or has just got.
func (s *simulation) access(id uint32, first, last uint64, isStore, hit bool) {
	h := &s.holders[id]
	w0 := int(first >> s.wordShift & uint64(s.words-1))
	w1 := int(last >> s.wordShift & uint64(s.words-1))
	if isStore {
		s.own(id, first, hit)
	}
	if h.isMixed {
		s.useMixed(id, first, w0, w1, isStore)
	}
	s.copied(id)[w0>>6].uses[index(isStore)]++
	s.count(id, w0, w1)
	for b := w0 >> 6; b <= w1>>6; b++ {
		s.mark(id, b, blockMask(w0, w1, b), isStore)
	}
	if h.isMixed {
		return
	}
	for b := range s.copied(id) {
		m := s.masks[(int(id)*s.blocks+b)*masks:][:masks]
		s.copied(id)[b].quiet = ^(m[staleMask] | m[unreadMask])
	}
}

func index(isStore bool) int {
	if isStore {
		return 1
	}
	return 0
}

// blockMask has the words from w0 to w1 that lie in block b.
func blockMask(w0, w1, b int) uint64 {
	from, to := max(w0-64*b, 0), min(w1-64*b, 63)
	return math.MaxUint64 << (from & 63) & (math.MaxUint64 >> (63 - to&63))
}

// mark is the access of words of a block.
func (s *simulation) mark(id uint32, b int, words uint64, isStore bool) {
	at := int(id)*masks*s.blocks + b*masks
	m := s.masks[at : at+masks]
	if m[staleMask]&words != 0 {
		s.holders[id].state = essential
		for i := range s.blocks {
			s.masks[int(id)*masks*s.blocks+i*masks+staleMask] = 0
		}
	}
	fresh := m[unreadMask] & words
	m[unreadMask] &^= words
	if isStore {
		s.copied(id)[b].dirty |= words
		return
	}
	for ; fresh != 0; fresh &= fresh - 1 {
		h := &s.holders[id]
		from := s.writers[int(s.lines[h.line].shared)*s.words+64*b+bits.TrailingZeros64(fresh)]
		s.matrix.word(from-1, h.proc)
	}
}

var errLines = errors.New("sharing: more than 2^32 distinct lines; use a larger line size")

// addr is the first byte of a word.
func (s *simulation) addr(line uint32, w int) uint64 {
	return s.lines[line].number<<s.lineShift + uint64(w)<<s.wordShift
}

// splitKey is a holder of a line with parts in several regions, and one of these.
type splitKey struct {
	holder uint32
	region int32
}

// useMixed counts a use of a line with parts in several regions.
func (s *simulation) useMixed(id uint32, first uint64, w0, w1 int, isStore bool) {
	key := splitKey{id, s.regions.at(first)}
	u := s.split[key]
	u.add(isStore)
	s.split[key] = u
	for w := w0; w <= w1; w++ {
		key.region = s.regions.at(s.addr(s.holders[id].line, w))
		u := s.split[key]
		u.words++
		s.split[key] = u
	}
}
