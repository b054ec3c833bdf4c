package phases

import (
	"math/bits"

	"spoor/analyze/analysis"
	"spoor/analyze/lines"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// simulation is all caches of one line size.
type simulation struct {
	line      unit.Bytes
	of        *lines.Uses // by the piece at hand
	done      int         // of them
	directory directory   // by place
	caches    []*cache    // by number of sets
	uses      [][2]uint64 // by processor: loads and stores of lines in its phase
	tops      [][]top     // by processor, allocated when it first uses a line: by the low bits of the line, which all caches' sets have
	again     [][2]uint64 // by processor: loads and stores of tops that the caches have not heard of
	mask      uint64      // of these bits
}

// top is the line that a processor used last of those with some low bits. Lines of one set have these bits in
// common, so it is at the top of its stack in all caches: the next use of it
// moves nothing, and no cache needs to hear of it, until another processor stores the line.
type top struct {
	line          uint64
	known, stored bool // it is there; and no processor has used it since this one stored it
}

// hits reports whether a use changes nothing.
func (t *top) hits(line uint64, isStore bool) bool {
	return t.line == line && t.known && (t.stored || !isStore)
}

// mostTops is how many lines a processor has at hand.
const mostTops = 256

func newSimulation(procs int, line unit.Bytes, sets []int64) *simulation {
	s := &simulation{line: line, directory: newDirectory(procs),
		uses: make([][2]uint64, procs), tops: make([][]top, procs), again: make([][2]uint64, procs), mask: mostTops - 1}
	for _, n := range sets {
		s.caches = append(s.caches, newCache(procs, n))
		s.mask = min(s.mask, uint64(n)-1)
	}
	return s
}

// begin goes on to another piece, none of whose uses have been simulated yet.
func (s *simulation) begin(p *analysis.Chunk) (err error) {
	if s.of, err = p.Uses(s.line); err != nil {
		return err
	}
	s.done = 0
	s.directory.reach(s.of.Room)
	return nil
}

// add simulates the uses of the piece's references up to one with an index.
func (s *simulation) add(piece *analysis.Chunk, to int) {
	used := s.of.Lines
	places, refs := s.of.Places[:len(used)], s.of.Refs[:len(used)]
	i := s.done
	for ; i < len(used) && int(refs[i]) < to; i++ {
		line, p, isStore := used[i], piece.RefProcs[refs[i]], piece.Refs.Op[refs[i]] == trace.Store
		if s.tops[p] == nil {
			s.tops[p] = make([]top, s.mask+1)
		}
		if t := s.top(p, line); t.hits(line, isStore) {
			s.again[p][index(isStore)]++
		} else {
			s.use(t, p, line, places[i], isStore)
		}
	}
	s.done = i
}

// top is where a line is if it is the processor's latest with its low bits.
func (s *simulation) top(p trace.Proc, line uint64) *top { return &s.tops[p][line&s.mask] }

// use simulates one load or store of a line, which becomes that top.
func (s *simulation) use(t *top, p trace.Proc, line uint64, id uint32, isStore bool) {
	t.line = line
	s.uses[p][index(isStore)]++
	found, owner := s.directory.state(id, p), s.directory.owner[id]
	switch {
	case isStore && owner != p: // else p is the only one that has it
		s.invalidateOthers(p, line, id)
		s.directory.store(id, p)
	case !isStore && owner != p && owner >= 0:
		for _, c := range s.caches {
			c.share(owner, p, line, id)
		}
		if t := s.top(owner, line); t.line == line {
			t.stored = false
		}
		s.directory.owner[id] = -1
		s.directory.load(id, p)
	case found != foundValid:
		s.directory.load(id, p)
	}
	for _, c := range s.caches {
		c.use(p, line, id, isStore, found)
	}
	t.known, t.stored = true, isStore
}

// invalidateOthers removes a line from the caches of all processors but p.
func (s *simulation) invalidateOthers(p trace.Proc, line uint64, id uint32) {
	owner := s.directory.owner[id]
	for w, word := range s.directory.valid(id) {
		for ; word != 0; word &= word - 1 {
			q := trace.Proc(64*w + bits.TrailingZeros64(word))
			if q == p {
				continue
			}
			if t := s.top(q, line); t.line == line {
				t.known = false
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

// flush turns what p did into rows, of a shape and those after it, and forgets it.
func (s *simulation) flush(p trace.Proc, shape int, out *rows) {
	again := &s.again[p]
	for i, n := range again {
		s.uses[p][i] += n
		for _, c := range s.caches {
			c.tallies[p].reuse[i][0-Invalidated] += n
		}
	}
	*again = [2]uint64{}
	out.add(subjectOf(shape, loadEvent, 0), s.uses[p][0])
	out.add(subjectOf(shape, storeEvent, 0), s.uses[p][1])
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

// What a processor finds of a line when it uses it.
type found uint8

const (
	foundValid   found = 1 + iota // it has used the line and nobody has stored it since
	foundInvalid                  // somebody else has
	foundNew                      // it uses the line for the first time
)

// directory knows every line that was ever used, by its place in a table: who has, whose use is still valid, and who
// may have it exclusive. That is the same for every number of sets and ways.
type directory struct {
	words int          // of a set of processors
	owner []trace.Proc // by line
	sets  []uint64     // by line: the processors whose use is valid, then those that have used it
}

func newDirectory(procs int) directory { return directory{words: (procs + 63) / 64} }

// reach makes room for so many places.
func (d *directory) reach(places int) {
	for len(d.owner) < places {
		d.owner = append(d.owner, -1)
	}
	d.sets = grown(d.sets, 2*d.words*len(d.owner))
}

// grown is s with zeros appended up to length n.
func grown(s []uint64, n int) []uint64 {
	if n > len(s) {
		s = append(s, make([]uint64, n-len(s))...)
	}
	return s
}

// valid is the set of processors that have used the line since the last store of another.
func (d *directory) valid(id uint32) []uint64 {
	at := int(id) * 2 * d.words
	return d.sets[at : at+d.words]
}

func (d *directory) state(id uint32, p trace.Proc) found {
	at, bit := int(id)*2*d.words+int(p>>6), uint64(1)<<(p&63)
	switch {
	case d.sets[at]&bit != 0:
		return foundValid
	case d.sets[at+d.words]&bit != 0:
		return foundInvalid
	}
	return foundNew
}

// store makes p the owner of a line and the only one whose use is valid.
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
