package cache

import (
	"math"
	"slices"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/lines"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// addPiece simulates a chunk.
func (h *hierarchy) addPiece(p *analysis.Chunk) error {
	if p.Moves != 0 {
		return h.move(p)
	}
	for _, f := range h.feeds {
		uses, err := f.uses(p)
		if err != nil {
			return err
		}
		if uses == nil {
			f.add(&p.Refs, p.RefProcs)
		} else {
			f.addUses(p.Refs.Op, uses)
		}
	}
	return h.failed()
}

// ShareUses lets feeds read the line uses that other analyses request for a line size. A hash table
// that sees no line twice in a row is cheaper than one that sees all uses, unless the latter exists
// anyway.
func (s *shard) ShareUses(line unit.Bytes) {
	for _, h := range s.hierarchies {
		for _, f := range h.feeds {
			if f.seesUses() && unit.Bytes(1)<<f.ports[0].shift == line {
				f.shared, f.stages[0].placed, f.ports[0].level.handed = true, true, true
			}
		}
	}
}

// seesUses reports whether the feed can use line uses: it has a single port for data only, needs
// line numbers, and simulates levels one after the other.
func (f *feed) seesUses() bool {
	return len(f.ports) == 1 && len(f.stages) > 1 && len(f.of) == 1 && f.of[0][ifetches] == none && f.ports[0].level.finds()
}

// uses returns the line uses of a chunk if other analyses request them, else nil.
func (f *feed) uses(p *analysis.Chunk) (*lines.Uses, error) {
	if !f.shared || p.Refs.Len() == 0 {
		return nil, nil
	}
	return p.Uses(unit.Bytes(1) << f.ports[0].shift)
}

// addUses is add for numbered uses of lines by loads and stores.
func (f *feed) addUses(kinds []trace.Op, uses *lines.Uses) {
	l := f.ports[0].level
	l.numbered().reach(uses.Room)
	for at := 0; at < len(uses.Lines); {
		if len(f.stages[0].keys) > batchUses-fewUses {
			f.flush()
		}
		from := at
		var n uint64
		at, n = f.gatherUses(kinds, uses, at)
		l.Uses[stores] += n
		l.Uses[loads] += uint64(at-from) - n
	}
}

// fewUses is the number of uses left free at the end of a batch. Many uses are hits, which need no
// room. Filling the batch completely would gather fewer and fewer uses at a time.
const fewUses = batchUses / 8

// gatherUses adds uses from index at on, as many as fit. It also adds the other uses of the last
// one's reference. It returns the index of the next use and the number of stores.
func (f *feed) gatherUses(kinds []trace.Op, uses *lines.Uses, at int) (next int, stored uint64) {
	b, p := f.stages[0], &f.ports[0]
	b.turn(p.level)
	end := at + min(batchUses-len(b.keys), len(uses.Lines)-at)
	for end < len(uses.Lines) && uses.Refs[end] == uses.Refs[end-1] {
		end++
	}
	n, first := len(b.keys), 0
	keys, info, places := slices.Grow(b.keys, end-at)[:n+end-at], slices.Grow(b.info, end-at)[:n+end-at], b.spare(end-at)
	used, refs, from := uses.Lines[at:end], uses.Refs[at:end], uses.Places[at:end]
	recent, before, start := p.last, uint32(math.MaxUint32), n
	for i, line := range used { // no branch is hard to predict
		if refs[i] != before {
			first = n
		}
		before = refs[i]
		k := keyOf(line, opOf(kinds[before]))
		stored += k & 1
		keys[n], info[n], places[n-start] = k, uint32(first)<<infoShift|uint32(k&1), from[i]
		if k != recent && k|1 != recent { // else a hit that changes nothing
			recent = k
			n++
		}
	}
	p.last = recent
	b.crossed = b.crossed || uses.Crossed
	b.keys, b.info, b.places = keys[:n], info[:n], b.places[:len(b.places)+n-start]
	return end, stored
}
