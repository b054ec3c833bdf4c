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
	blocks               int  // of 64 words, of a line
	blockShift           uint // log2 of the bytes of one

	holdings [][]uint32 // by processor and place among its own lines: the holder of a line; 0: none yet
	numbers  []uint32   // of lines, by place; 0: none yet
	lines    []line     // by number; the first is not used
	holders  []holder
	masks    []uint64 // by holder, for each block: stale, unread, dirty
	accesses []uint64 // by line and word: whose it is and how often it was accessed; none if there is but one processor
	shared   []sharedLine
	written  []uint64 // by shared line and block: words that were stored
	writers  []int32  // by shared line and word: who stored it last, +1; 0: nobody

	quiet []quiet // by place, if there is but one processor

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
	loads, stores   uint64
	words           uint64 // accesses of words
	sharedWords     uint64 // of these, of words that others access
	loadsBefore     uint64 // the miss
	line            uint32
	next            uint32 // holder of the line
	phase           uint32 // of the miss
	proc            int32
	region          int32 // of the miss
	state           state
	isMixed, isCold bool
	isOwner         bool // of the line
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
	dirtyMask         // stored by the owner since it became that, and not yet known to others
	masks
)

func newSimulation(procs int, size, word unit.Bytes, r *regions, maxSpans int) *simulation {
	word = min(word, size)
	s := &simulation{line: size, word: word, lineShift: size.Shift(), wordShift: word.Shift(), words: int(size / word),
		holdings: make([][]uint32, procs), lines: make([]line, 1), holders: make([]holder, 1), shared: make([]sharedLine, 1),
		regions: r, split: map[splitKey]usage{}, tallies: make([]regionTally, len(r.names)),
		matrix: newMatrix(procs), phases: newPhases(procs, maxSpans)}
	s.blocks, s.blockShift = (s.words+63)/64, min(s.lineShift, s.wordShift+6)
	s.masks = make([]uint64, masks*s.blocks)
	if procs > 1 {
		s.accesses = make([]uint64, s.words)
	}
	s.written, s.writers = make([]uint64, s.blocks), make([]int32, s.words)
	return s
}

// add simulates the uses of a piece.
func (s *simulation) add(uses *lines.Uses, p *analysis.Piece) error {
	if s.isAlone() {
		return s.addAlone(uses, p)
	}
	s.numbers = lines.Reach(s.numbers, uint32(uses.Room-1))
	own, refs := uses.Own[:len(uses.Lines)], uses.Refs[:len(uses.Lines)]
	for i, number := range uses.Lines {
		r := refs[i]
		addr, of, isStore := p.Refs.Addr[r], p.Of[r], p.Refs.Op[r] == trace.Store
		last := addr + uint64(p.Refs.Size[r]) - 1
		if held := s.holdings[of]; int(own[i]) >= len(held) {
			s.holdings[of] = lines.Reach(held, own[i])
		}
		s.phases.uses[of]++
		holder := &s.holdings[of][own[i]]
		if addr>>s.blockShift == last>>s.blockShift {
			w0 := int(addr>>s.wordShift) & (s.words - 1)
			if s.again(*holder, w0, w0+int(last>>s.wordShift-addr>>s.wordShift), isStore) {
				continue
			}
		}
		base := number << s.lineShift
		if err := s.use(of, holder, uses.Places[i], max(addr, base), min(last, base|(1<<s.lineShift-1)), isStore); err != nil {
			return err
		}
	}
	return nil
}

// again simulates an access of words w0 to w1 of a block of a valid copy that tells nothing new, and reports whether it is one: nobody
// stored the words since the holder's last access, and who stores has the copy exclusive.
func (s *simulation) again(id uint32, w0, w1 int, isStore bool) bool {
	h := &s.holders[id]
	at := (int(id)*s.blocks + w0>>6) * masks
	m, words := s.masks[at:at+masks], (uint64(2)<<((w1-w0)&63)-1)<<(w0&63)
	if h.state == invalid || h.isMixed || (m[staleMask]|m[unreadMask])&words != 0 {
		return false
	}
	if isStore {
		if !h.isOwner {
			return false
		}
		m[dirtyMask] |= words
		h.stores++
	} else {
		h.loads++
	}
	h.words += uint64(w1 - w0 + 1)
	for w := w0; w <= w1 && s.accesses != nil; w++ {
		if !s.alone(h, w) {
			s.touch(h, w)
		}
	}
	return true
}

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
		h.stores++
	} else {
		h.loads++
	}
	h.words += uint64(w1 - w0 + 1)
	for w := w0; w <= w1 && s.accesses != nil; w++ {
		if !s.alone(h, w) {
			s.touch(h, w)
		}
	}
	if h.isMixed {
		s.useMixed(id, first, w0, w1, isStore)
	}
	for b := w0 >> 6; b <= w1>>6; b++ {
		s.mark(id, b, blockMask(w0, w1, b), isStore)
	}
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
		m[dirtyMask] |= words
		return
	}
	for ; fresh != 0; fresh &= fresh - 1 {
		h := &s.holders[id]
		from := s.writers[int(s.lines[h.line].shared)*s.words+64*b+bits.TrailingZeros64(fresh)]
		s.matrix.word(from-1, h.proc)
	}
}

// Whose a word is lies above how often it was accessed.
const (
	accessBits = 44 // more accesses than any trace has
	manyProcs  = 1<<(64-accessBits) - 1
	maxProcs   = manyProcs - 1
)

var (
	errLines    = errors.New("sharing: more than 2^32 distinct lines; use a larger line size")
	errTooMany  = errors.New("sharing: more than 2^20 - 2 processors")
	accessCount = uint64(1)<<accessBits - 1
)

// alone counts an access of a word that is that of the processor alone, and reports whether it is one: most are.
func (s *simulation) alone(h *holder, w int) bool {
	a := &s.accesses[int(h.line)*s.words+w]
	if *a>>accessBits != uint64(h.proc)+1 {
		return false
	}
	*a++
	return true
}

// touch counts any other access of a word.
func (s *simulation) touch(h *holder, w int) {
	a := &s.accesses[int(h.line)*s.words+w]
	switch whose := *a >> accessBits; whose {
	case manyProcs:
		h.sharedWords++
	case 0:
		*a = (uint64(h.proc)+1)<<accessBits | 1
	default:
		first := s.holderOf(h.line, int32(whose-1))
		s.holders[first].sharedWords += *a & accessCount
		if s.holders[first].isMixed {
			key := splitKey{first, s.regions.at(s.addr(h.line, w))}
			u := s.split[key]
			u.sharedWords += *a & accessCount
			s.split[key] = u
		}
		*a = manyProcs << accessBits
		h.sharedWords++
	}
}

// addr is the first byte of a word.
func (s *simulation) addr(line uint32, w int) uint64 {
	return s.lines[line].number<<s.lineShift + uint64(w)<<s.wordShift
}

func (s *simulation) holderOf(line uint32, proc int32) uint32 {
	id := s.lines[line].holders
	for s.holders[id].proc != proc {
		id = s.holders[id].next
	}
	return id
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
	h := &s.holders[id]
	for w := w0; w <= w1; w++ {
		key.region = s.regions.at(s.addr(h.line, w))
		u := s.split[key]
		u.words++
		if s.accesses != nil && s.accesses[int(h.line)*s.words+w]>>accessBits == manyProcs {
			u.sharedWords++
		}
		s.split[key] = u
	}
}
