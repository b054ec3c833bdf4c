package phases

import (
	"math/bits"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/lines"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// simulation simulates all caches of one line size.
type simulation struct {
	line        unit.Bytes
	lineUses    *lines.Uses    // of the current chunk
	usesRead    int            // number of these processed
	directory   directory      // by place of the line
	caches      []*cache       // by number of sets
	uses        [][2]uint64    // by processor: loads and stores of lines in its window
	latestLines [][]latestLine // by processor, allocated when it first uses a line: by the low bits of the line that are in the sets of all caches
	uncounted   [][2]uint64    // by processor: loads and stores of latest lines that the caches have not counted
	mask        uint64         // selects these bits
}

// latestLine is the line that a processor used last among those with the same low bits. Lines of one set
// share these bits. So the line is at the top of its stack in all caches. Its next use moves nothing, and the
// caches need not see it, until another processor stores the line.
type latestLine struct {
	line          uint64
	valid, stored bool // valid: it is in the caches; stored: no other processor has used it since this one stored it
}

// hits reports whether a use changes nothing.
func (t *latestLine) hits(line uint64, isStore bool) bool {
	return t.line == line && t.valid && (t.stored || !isStore)
}

// maxLatest is the maximum number of latest lines of a processor.
const maxLatest = 256

func newSimulation(procs int, line unit.Bytes, sets []int64) *simulation {
	s := &simulation{line: line, directory: newDirectory(procs),
		uses: make([][2]uint64, procs), latestLines: make([][]latestLine, procs), uncounted: make([][2]uint64, procs), mask: maxLatest - 1}
	for _, n := range sets {
		s.caches = append(s.caches, newCache(procs, n))
		s.mask = min(s.mask, uint64(n)-1)
	}
	return s
}

// begin starts a chunk.
func (s *simulation) begin(p *analysis.Chunk) (err error) {
	if s.lineUses, err = p.Uses(s.line); err != nil {
		return err
	}
	s.usesRead = 0
	s.directory.reach(s.lineUses.Room)
	return nil
}

// add simulates the uses of the chunk's references up to index to.
func (s *simulation) add(piece *analysis.Chunk, to int) {
	used := s.lineUses.Lines
	places, refs := s.lineUses.Places[:len(used)], s.lineUses.Refs[:len(used)]
	i := s.usesRead
	for ; i < len(used) && int(refs[i]) < to; i++ {
		line, p, isStore := used[i], piece.RefProcs[refs[i]], piece.Refs.Op[refs[i]] == trace.Store
		if s.latestLines[p] == nil {
			s.latestLines[p] = make([]latestLine, s.mask+1)
		}
		if t := s.latest(p, line); t.hits(line, isStore) {
			s.uncounted[p][index(isStore)]++
		} else {
			s.use(t, p, line, places[i], isStore)
		}
	}
	s.usesRead = i
}

// latest returns the entry of the line's low bits. It contains the line only if no other line with these bits
// was used later.
func (s *simulation) latest(p trace.Proc, line uint64) *latestLine {
	return &s.latestLines[p][line&s.mask]
}

// use simulates a load or store of a line, which becomes the latest line.
func (s *simulation) use(t *latestLine, p trace.Proc, line uint64, id uint32, isStore bool) {
	t.line = line
	s.uses[p][index(isStore)]++
	found, owner := s.directory.state(id, p), s.directory.owner[id]
	alone := isStore && (owner == p || s.directory.alone(id, p))
	switch {
	case isStore && owner != p: // otherwise only p has it
		s.invalidateOthers(p, line, id)
		s.directory.store(id, p)
	case !isStore && owner != p && owner >= 0:
		for _, c := range s.caches {
			c.share(owner, p, line, id)
		}
		if t := s.latest(owner, line); t.line == line {
			t.stored = false
		}
		s.directory.owner[id] = -1
		s.directory.load(id, p)
	case found != validLine:
		s.directory.load(id, p)
	}
	for _, c := range s.caches {
		c.use(p, line, id, isStore, alone, found)
	}
	t.valid, t.stored = true, isStore
}

// invalidateOthers removes a line from the caches of all processors except p.
func (s *simulation) invalidateOthers(p trace.Proc, line uint64, id uint32) {
	owner := s.directory.owner[id]
	for w, word := range s.directory.valid(id) {
		for ; word != 0; word &= word - 1 {
			q := trace.Proc(64*w + bits.TrailingZeros64(word))
			if q == p {
				continue
			}
			if t := s.latest(q, line); t.line == line {
				t.valid = false
			}
			for _, c := range s.caches {
				if q == owner {
					c.share(q, p, line, id)
				}
				c.invalidate(q, line, id)
			}
		}
	}
}

// flush converts the counts of p to rows, of a shape and the following ones, and resets them.
func (s *simulation) flush(p trace.Proc, shape int, out *rows) {
	again := &s.uncounted[p]
	for i, n := range again {
		s.uses[p][i] += n
		for _, c := range s.caches {
			c.tallies[p].reuse[i][0-invalidated] += n
		}
	}
	*again = [2]uint64{}
	out.add(keyOf(shape, loadEvent, 0), s.uses[p][0])
	out.add(keyOf(shape, storeEvent, 0), s.uses[p][1])
	s.uses[p] = [2]uint64{}
	for i, c := range s.caches {
		c.tallies[p].flush(shape+1+i, out)
	}
}

func index(isStore bool) int {
	if isStore {
		return 1
	}
	return 0
}

// lineState is the state of a line for a processor when it uses the line.
type lineState uint8

const (
	validLine   lineState = 1 + iota // the processor has used it, and no other has stored it since
	invalidLine                      // another processor has stored it since
	newLine                          // the processor uses it for the first time
)

// directory has, for every line used so far, the processors whose use is still valid, and the one that may
// have it exclusive. Lines are identified by their places in a table. The state is the same for every number
// of sets and ways.
type directory struct {
	words int          // of a set of processors
	owner []trace.Proc // by line; -1: none
	sets  []uint64     // by line: the processors whose use is valid, then those that have used it
}

func newDirectory(procs int) directory { return directory{words: (procs + 63) / 64} }

// reach extends the directory to the given number of places.
func (d *directory) reach(places int) {
	for len(d.owner) < places {
		d.owner = append(d.owner, -1)
	}
	d.sets = extend(d.sets, 2*d.words*len(d.owner))
}

// extend appends zeros up to length n.
func extend(s []uint64, n int) []uint64 {
	if n > len(s) {
		s = append(s, make([]uint64, n-len(s))...)
	}
	return s
}

// valid returns the set of processors that have used the line since the last store of another.
func (d *directory) valid(id uint32) []uint64 {
	at := int(id) * 2 * d.words
	return d.sets[at : at+d.words]
}

// alone reports whether no processor but p stored the line last or has used it since.
func (d *directory) alone(id uint32, p trace.Proc) bool {
	for w, word := range d.valid(id) {
		if w == int(p>>6) {
			word &^= 1 << (p & 63)
		}
		if word != 0 {
			return false
		}
	}
	return true
}

func (d *directory) state(id uint32, p trace.Proc) lineState {
	at, bit := int(id)*2*d.words+int(p>>6), uint64(1)<<(p&63)
	switch {
	case d.sets[at]&bit != 0:
		return validLine
	case d.sets[at+d.words]&bit != 0:
		return invalidLine
	}
	return newLine
}

// store makes p the owner of a line, and its use the only valid one.
func (d *directory) store(id uint32, p trace.Proc) {
	clear(d.valid(id))
	d.owner[id] = p
	d.load(id, p)
}

// load makes p's use of a line valid.
func (d *directory) load(id uint32, p trace.Proc) {
	at, bit := int(id)*2*d.words+int(p>>6), uint64(1)<<(p&63)
	d.sets[at] |= bit
	d.sets[at+d.words] |= bit
}
