package reuse

import "math"

// stretch measures the distances of the second half of a short stream, of known length, and only notes what the first half uses.
// Its memory is for the lines of the longest half so far, and is not cleared between streams.
type stretch struct {
	half   uint32
	at     uint32      // uses so far
	latest []latestUse // hash table of lines, linear probing, at most half full
	shift  uint        // 64 - log2(len(latest))
	used   int         // lines in the table
	base   uint32      // what is in the table from before is older
	live   []uint64    // of the first half, a bit for each use, from 1: whether it is the latest of its line
	ranks  ranks       // of those
	warm   uint32      // how many
	era    era
	span   span
	left   [batch]uint32
	hash   [batch]uint32 // of the lines of a batch
}

// latestUse is when a line was used last: base plus the number of the use, from 1.
type latestUse struct {
	line uint64
	when uint32
}

func newStretch(length uint64) *stretch {
	const logSize = 10
	return &stretch{half: uint32(length / 2), latest: make([]latestUse, 1<<logSize), shift: 64 - logSize}
}

// reset begins another stream.
func (s *stretch) reset() {
	s.base += s.at
	if s.base > math.MaxUint32/2 { // half as long is any stream
		clear(s.latest)
		s.base = 0
	}
	s.at, s.used = 0, 0
	s.span.tally.forget()
}

// touch uses lines in order, all of one half.
func (s *stretch) touch(lines []uint64) {
	if s.at == 0 {
		s.live = zeroed(s.live, int(s.half/64+1))
	}
	for len(lines) > 0 {
		n := min(len(lines), batch)
		if s.at < s.half {
			s.note(lines[:n])
		} else {
			s.measure(lines[:n])
		}
		lines = lines[n:]
	}
	if s.at == s.half {
		s.turn()
	}
}

// skip has no first half.
func (s *stretch) skip() {
	s.live = zeroed(s.live, int(s.half/64+1))
	s.at = s.half
	s.turn()
}

// note uses lines of the first half.
func (s *stretch) note(lines []uint64) {
	s.makeRoom()
	s.reach(lines)
	for i, l := range lines {
		s.at++
		if was := s.use(l, s.hash[i&(batch-1)]); was != 0 {
			s.live[was>>6] &^= 1 << (was & 63)
		}
		s.live[s.at>>6] |= 1 << (s.at & 63)
	}
}

// turn goes on to the second half: the lines of the first take the lowest slots, in the order of their latest uses.
func (s *stretch) turn() {
	r, n, _ := rank(s.live) // never too many
	s.ranks, s.warm = r, uint32(n)
	s.era.restart((n+int(s.half))/blockSlots+2, n)
	s.span.start(&s.era, 1, s.era.edge)
}

// measure uses lines of the second half.
func (s *stretch) measure(lines []uint64) {
	s.makeRoom()
	s.reach(lines)
	for i, l := range lines {
		s.at++
		switch was := s.use(l, s.hash[i&(batch-1)]); {
		case was > s.half:
			s.left[i&(batch-1)] = slotOf(s.warm + was - s.half)
		case was > 0:
			s.left[i&(batch-1)] = s.ranks.slot(was)
		default:
			s.left[i&(batch-1)] = 0
		}
	}
	s.span.measure(s.left[:len(lines)])
}

// reach hashes the lines of a batch, and makes the cache misses of looking them up overlap.
func (s *stretch) reach(lines []uint64) {
	latest, shift := s.latest, s.shift&63 // in registers
	var touched uint32
	for i, l := range lines {
		h := mix(l) >> shift
		s.hash[i&(batch-1)] = uint32(h)
		touched += latest[h].when
	}
	s.left[0] = touched // or the compiler drops the loads
}

// use notes that a line with a hash is used now, and returns which use of it was the latest, 0 for none.
func (s *stretch) use(line uint64, hash uint32) (was uint32) {
	latest := s.latest
	mask := uint32(len(latest) - 1)
	for h := hash; ; h++ {
		e := &latest[h&mask]
		if e.when <= s.base {
			s.used++
			*e = latestUse{line, s.base + s.at}
			return 0
		}
		if e.line == line {
			was, e.when = e.when-s.base, s.base+s.at
			return was
		}
	}
}

// makeRoom ensures room for a batch of lines that are all new.
func (s *stretch) makeRoom() {
	if 2*(s.used+batch) <= len(s.latest) {
		return
	}
	old := s.latest
	s.latest = make([]latestUse, 2*len(old))
	s.shift--
	mask := uint64(len(s.latest) - 1)
	for _, e := range old {
		if e.when <= s.base {
			continue
		}
		h := mix(e.line) >> (s.shift & 63)
		for s.latest[h&mask].when != 0 {
			h++
		}
		s.latest[h&mask] = e
	}
}

// found is the number of uses of the second half by distance, as far as there are any, and how many were of lines not used before.
func (s *stretch) found() (uses []uint64, cold uint64) {
	return s.span.tally.trimmed(), s.span.tally.cold
}
