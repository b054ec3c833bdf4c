package sharing

import (
	"errors"
	"math"
	"math/bits"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/lines"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// simulation simulates the caches of all processors at one line size.
type simulation struct {
	line, word           unit.Bytes
	lineShift, wordShift uint
	words                int  // in a line
	wordCounters         int  // words with separate access counters: all, or 1 for all together if there is only one processor
	blocks               int  // of 64 words, in a line
	blockShift           uint // log2 of the bytes of a block

	sharerIDs       [][]uint32 // by processor and its own line number: the sharer; 0: none yet
	numbers         []uint32   // index in lines, by line number; 0: none yet
	lines           []line     // the first is not used
	sharers         []sharer
	copies          copies
	shared          []sharedLine
	written         []written // by shared line and block
	writers         []writer  // by shared line and word
	maxPublications uint32    // of a line, until it is renumbered

	users []uint32 // by word counter: number of sharers of the current line that have accessed it, at the end

	ids     [lines.Batch]uint32 // sharers of the current uses, as far as known
	touched uint64              // or the compiler drops the loads of touch

	sole sole // if there is only one processor

	moved bool // there were flushes or prefetches

	regions *regions
	split   map[splitKey]usage // of lines in several regions
	tallies []regionTally      // by region
	matrix  matrix
	runs    runs
	phases  phases
	kinds   map[kindKey]kindCounts // at the end
}

// line is the state of a line.
type line struct {
	number       uint64
	sharers      uint32 // first of a list: sharers with a copy, and at the end all
	owner        uint32 // sharer with the exclusive copy, or 0
	shared       uint32 // index in shared, once there are two sharers
	publications uint32 // number of times that an owner published its writes, see publishWrites
	lastProc     int32  // the processor that stored it last, or -1
	region       int32  // the array of the whole line, or mixed
}

// sharedLine is further state of a line that several processors use.
type sharedLine struct {
	runFrom                            uint64 // stores of a sharer before its write run
	runOf                              uint32 // the sharer whose write run goes on without ownership, or 0
	inMemory                           bool   // flushed since the last store
	trues, falses                      uint64 // misses
	fromOther, sameWriter, otherStores uint64 // stores that removed copies, by pattern
}

// written is the set of words of a block that have been stored.
type written struct {
	words       uint64
	publication uint32 // the latest that published some
}

// writer is the last writer of a word.
type writer struct {
	by          int32  // the processor + 1; 0: none
	publication uint32 // that published it
}

// sharer is the state of a line for a processor that uses it.
type sharer struct {
	loadsBefore  uint64 // loads before the miss
	next         uint32 // next sharer in the line's list
	publications uint32 // of the line when the copy ended; later ones are not applied yet
	phase        uint32 // of the miss
	proc         int32
	region       int32 // of the miss
	isCold       bool  // no copy has ended yet
	isFlushed    bool  // a flush ended the copy before
	isPrefetch   bool  // a prefetch brought the copy
}

func newSimulation(procs int, size, word unit.Bytes, r *regions, maxSpans int, maxPublications uint32) *simulation {
	word = min(word, size)
	s := &simulation{line: size, word: word, lineShift: size.Shift(), wordShift: word.Shift(), words: int(size / word), wordCounters: 1,
		sharerIDs: make([][]uint32, procs), lines: make([]line, 1), sharers: make([]sharer, 1), shared: make([]sharedLine, 1),
		regions: r, split: map[splitKey]usage{}, tallies: make([]regionTally, len(r.names)),
		matrix: newMatrix(procs), phases: newPhases(procs, maxSpans), sole: sole{often: map[uint32]soleUses{}, moves: map[uint32]soleMove{}}}
	s.blocks, s.blockShift = (s.words+63)/64, min(s.lineShift, s.wordShift+6)
	if procs > 1 {
		s.wordCounters = s.words
	}
	s.copies, s.users = newCopies(s.blocks, s.wordCounters), make([]uint32, s.wordCounters)
	s.written, s.writers, s.maxPublications = make([]written, s.blocks), make([]writer, s.words), maxPublications
	return s
}

// add simulates the uses of a chunk.
func (s *simulation) add(uses *lines.Uses, p *analysis.Chunk) error {
	if s.isSole() {
		return s.addSole(uses, p)
	}
	s.numbers = lines.Reach(s.numbers, uint32(uses.Room-1))
	for from := 0; from < len(uses.Lines); from += lines.Batch {
		to := min(from+lines.Batch, len(uses.Lines))
		s.touch(uses.Own[from:to], uses.Refs[from:to], p.RefProcs)
		if err := s.addBatch(uses, p, from, to); err != nil {
			return err
		}
	}
	return nil
}

// touch allocates state for lines of processors, finds the sharers of known lines, and loads their
// state. The loads overlap because nothing waits for them.
func (s *simulation) touch(own, refs []uint32, of []trace.Proc) {
	refs, ids := refs[:len(own)], s.ids[:len(own)]
	for i, place := range own {
		held := &s.sharerIDs[of[refs[i]]]
		if int(place) >= len(*held) {
			*held = lines.Reach(*held, place)
		}
		ids[i] = (*held)[place]
	}
	touched := s.touched
	for _, id := range ids {
		touched += s.copies.cells[int(id)*s.copies.each]
	}
	s.touched = touched
}

// addBatch simulates uses of lines whose state is allocated.
func (s *simulation) addBatch(uses *lines.Uses, p *analysis.Chunk, from, to int) error {
	used, ids := uses.Lines[from:to], s.ids[:to-from]
	own, refs, places := uses.Own[from:to], uses.Refs[from:to], uses.Places[from:to]
	procs, sizes, ops := p.RefProcs[:len(p.Refs.Addr)], p.Refs.Size[:len(p.Refs.Addr)], p.Refs.Op[:len(p.Refs.Addr)]
	wordShift, wordMask, blockShift := s.wordShift&63, uint64(s.words-1), s.blockShift&63
	for i, number := range used {
		r := refs[i]
		of, first, store := procs[r], p.Refs.Addr[r], 0
		if ops[r] == trace.Store {
			store = 1
		}
		last := first + uint64(sizes[r]) - 1
		s.phases.uses[of]++
		if first>>blockShift == last>>blockShift {
			w, more := first>>wordShift&wordMask, last>>wordShift-first>>wordShift
			if s.copies.block(ids[i], int(w>>6)).countQuiet((uint64(2)<<(more&63)-1)<<(w&63), store) {
				s.copies.count(ids[i], int(w), int(w+more))
				continue
			}
		}
		base := number << s.lineShift
		if err := s.use(of, &s.sharerIDs[of][own[i]], places[i], max(first, base), min(last, base|(1<<s.lineShift-1)), store); err != nil {
			return err
		}
	}
	return nil
}

// use simulates a load or store of the bytes from first to last of one line, and finds its sharer.
func (s *simulation) use(p trace.Proc, sharer *uint32, place uint32, first, last uint64, store int) error {
	hit := *sharer != 0 && s.copies.isValid(*sharer)
	if !hit {
		if err := s.obtain(p, sharer, place, first); err != nil {
			return err
		}
	}
	if !hit || s.moved {
		s.endWriteRun(&s.lines[s.copies.line(*sharer)], *sharer)
	}
	s.access(p, *sharer, first, last, store, hit)
	return nil
}

// obtain gives a processor without a copy a shared one.
func (s *simulation) obtain(p trace.Proc, sharer *uint32, place uint32, first uint64) (err error) {
	if *sharer == 0 {
		*sharer, err = s.addSharer(p, place, first)
		return err
	}
	s.publishWrites(&s.lines[s.copies.line(*sharer)])
	s.applyWrites(*sharer)
	s.fetch(*sharer, first)
	return nil
}

// access simulates a load or store with a valid copy. hit is false if the copy has just been
// fetched.
func (s *simulation) access(p trace.Proc, id uint32, first, last uint64, store int, hit bool) {
	w0 := int(first >> s.wordShift & uint64(s.words-1))
	w1 := int(last >> s.wordShift & uint64(s.words-1))
	if store == 1 {
		s.acquire(id, first, hit)
	}
	isMixed := s.copies.isMixed(id)
	if isMixed {
		s.useMixed(id, first, w0, w1, store == 1)
	}
	s.copies.block(id, w0>>6)[loads+store]++
	s.copies.count(id, w0, w1)
	for b := w0 >> 6; b <= w1>>6; b++ {
		words := blockMask(w0, w1, b)
		fresh := s.mark(id, b, words)
		if store == 1 {
			s.copies.block(id, b)[dirty] |= words
		} else if fresh != 0 {
			s.receive(p, id, b, fresh)
		}
	}
	if isMixed {
		return
	}
	for b := range s.blocks {
		c := s.copies.block(id, b)
		c[quiet] = ^(c[stale] | c[unread])
	}
}

// blockMask returns the words from w0 to w1 that are in block b.
func blockMask(w0, w1, b int) uint64 {
	from, to := max(w0-64*b, 0), min(w1-64*b, 63)
	return math.MaxUint64 << (from & 63) & (math.MaxUint64 >> (63 - to&63))
}

// mark marks words of a block as accessed. It returns those that the sharer had not accessed since
// others stored them, or ever.
func (s *simulation) mark(id uint32, b int, words uint64) (fresh uint64) {
	c := s.copies.block(id, b)
	if c[stale]&words != 0 {
		s.copies.setState(id, essential)
		for i := range s.blocks {
			s.copies.block(id, i)[stale] = 0
		}
	}
	fresh = c[unread] & words
	c[unread] &^= words
	return fresh
}

// receive counts words of a block that move to the processor when it loads them.
func (s *simulation) receive(p trace.Proc, id uint32, b int, words uint64) {
	if s.copies.state(id) == pure { // no processor has stored any; this avoids a look-up of the line's state
		s.matrix.memory[p].words += uint64(bits.OnesCount64(words))
		return
	}
	shared := int(s.lines[s.copies.line(id)].shared)
	for ; words != 0; words &= words - 1 {
		from := s.writers[shared*s.words+64*b+bits.TrailingZeros64(words)].by
		s.matrix.word(from-1, int32(p))
	}
}

var errLines = errors.New("sharing: more than 2^32 distinct lines; use a larger line size")

// addr returns the address of a word.
func (s *simulation) addr(line uint32, w int) uint64 {
	return s.lines[line].number<<s.lineShift + uint64(w)<<s.wordShift
}

// splitKey identifies a sharer of a line with parts in several regions, and one of the regions.
type splitKey struct {
	sharer uint32
	region int32
}

// useMixed counts a use of a line with parts in several regions.
func (s *simulation) useMixed(id uint32, first uint64, w0, w1 int, isStore bool) {
	key := splitKey{id, s.regions.at(first)}
	u := s.split[key]
	u.add(isStore)
	s.split[key] = u
	for w := w0; w <= w1; w++ {
		key.region = s.regions.at(s.addr(s.copies.line(id), w))
		u := s.split[key]
		u.words++
		s.split[key] = u
	}
}
