package sharing

import (
	"errors"
	"math"
	"math/bits"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// simulation is the caches of all processors at one line size.
type simulation struct {
	line, word           unit.Bytes
	lineShift, wordShift uint
	words                int // of a line
	blocks               int // of 64 words, of a line

	holdings []index // by processor: the holder of a line
	numbers  index   // of lines
	lines    []line  // by number; the first is not used
	holders  []holder
	masks    []uint64 // by holder, for each block: stale, unread, dirty
	access   []uint64 // by line and word: whose it is and how often it was accessed
	shared   []sharedLine
	written  []uint64 // by shared line and block: words that were stored
	writers  []int32  // by shared line and word: who stored it last, +1; 0: nobody

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
		holdings: make([]index, procs), lines: make([]line, 1), holders: make([]holder, 1), shared: make([]sharedLine, 1),
		regions: r, split: map[splitKey]usage{}, tallies: make([]regionTally, len(r.names)),
		matrix: newMatrix(procs), phases: newPhases(procs, maxSpans)}
	s.blocks = (s.words + 63) / 64
	s.masks = make([]uint64, masks*s.blocks)
	s.access = make([]uint64, s.words)
	s.written, s.writers = make([]uint64, s.blocks), make([]int32, s.words)
	return s
}

// refs simulates references of the processors in of; one that crosses lines uses each of them, in order.
func (s *simulation) refs(of []trace.Proc, r *trace.Refs) error {
	size, op := r.Size[:len(of)], r.Op[:len(of)]
	for i, addr := range r.Addr[:len(of)] {
		if !op[i].Data() {
			continue
		}
		last := addr + uint64(size[i]) - 1
		for first := addr; ; {
			end := first | (1<<s.lineShift - 1) // of the line
			if err := s.use(of[i], first, min(end, last), op[i] == trace.Store); err != nil {
				return err
			}
			if end >= last {
				break
			}
			first = end + 1
		}
	}
	return nil
}

// use simulates a load or store of the bytes of one line from first to last.
func (s *simulation) use(p trace.Proc, first, last uint64, isStore bool) error {
	slot := s.holdings[p].slot(first >> s.lineShift)
	id := *slot
	hit := id != 0 && s.holders[id].state != invalid
	if id == 0 {
		var err error
		if id, err = s.hold(p, first); err != nil {
			return err
		}
		*slot = id
	} else if !hit {
		s.fold(&s.lines[s.holders[id].line])
		s.fetch(id, first)
	}
	h := &s.holders[id]
	w0 := int(first >> s.wordShift & uint64(s.words-1))
	w1 := int(last >> s.wordShift & uint64(s.words-1))
	s.phases.uses(h.proc)
	if isStore {
		s.own(id, first, hit)
		h.stores++
	} else {
		h.loads++
	}
	h.words += uint64(w1 - w0 + 1)
	for w := w0; w <= w1; w++ {
		s.touch(h, w)
	}
	if h.isMixed {
		s.useMixed(id, first, w0, w1, isStore)
	}
	for b := w0 >> 6; b <= w1>>6; b++ {
		s.mark(id, b, blockMask(w0, w1, b), isStore)
	}
	return nil
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

// touch counts an access of a word.
func (s *simulation) touch(h *holder, w int) {
	a := &s.access[int(h.line)*s.words+w]
	switch whose := *a >> accessBits; whose {
	case uint64(h.proc) + 1:
		*a++
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
		if s.access[int(h.line)*s.words+w]>>accessBits == manyProcs {
			u.sharedWords++
		}
		s.split[key] = u
	}
}
