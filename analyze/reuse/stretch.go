package reuse

// stretch measures the distances of the second half of a short stream, of known length, and only notes what the first half uses.
// What it looks up is small, for the host's caches: most uses of such streams are first ones, of which an empty entry tells.
type stretch struct {
	half   uint32
	at     uint32      // uses so far
	latest []latestUse // hash table of lines, linear probing, at most half full
	shift  uint        // 32 - log2(len(latest))
	used   int         // lines in the table
	lines  []uint64    // by number of the use, from 1
	live   []uint64    // of the first half, a bit for each use, from 1: whether it is the latest of its line
	ranks  ranks       // of those
	warm   uint32      // how many
	era    era
	span   span
	left   [batch]uint32
	hash   [batch]uint32 // of the lines of a batch
}

// latestUse is the number of the use of a line that was the latest, below some bits of the line's hash, which tell most lines apart; 0: none.
type latestUse uint32

const (
	numberBits = 17
	numberMask = 1<<numberBits - 1 // the longest stream
)

func newStretch(length uint64) *stretch {
	if length > numberMask {
		panic("reuse: a stretch is too long for the numbers of its uses") // lengths are constants
	}
	const logSize = 10
	return &stretch{half: uint32(length / 2), latest: make([]latestUse, 1<<logSize), shift: 32 - logSize, lines: make([]uint64, length+1)}
}

// reset begins another stream.
func (s *stretch) reset() {
	clear(s.latest)
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
	latest, shift := s.latest, s.shift&31 // in registers
	var touched uint32
	for i, l := range lines {
		h := hashOf(l)
		s.hash[i&(batch-1)] = h
		touched += uint32(latest[h>>shift])
	}
	s.left[0] = touched // or the compiler drops the loads
}

// hashOf is a hash of a line. Its highest bits tell where an entry should be, its lowest ones are in it.
func hashOf(line uint64) uint32 { return uint32(mix(line) >> 32) }

// use notes that a line with a hash is used now, and returns which use of it was the latest, 0 for none.
func (s *stretch) use(line uint64, hash uint32) (was uint32) {
	latest := s.latest
	mask := uint32(len(latest) - 1)
	s.lines[s.at] = line
	now := latestUse(hash<<numberBits | s.at)
	for h := hash >> (s.shift & 31); ; h++ {
		e := &latest[h&mask]
		if *e == 0 {
			s.used++
			*e = now
			return 0
		}
		if was = uint32(*e & numberMask); (*e^now)&^numberMask == 0 && s.lines[was] == line {
			*e = now
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
	mask := uint32(len(s.latest) - 1)
	for _, e := range old {
		if e == 0 {
			continue
		}
		h := hashOf(s.lines[e&numberMask]) >> (s.shift & 31)
		for s.latest[h&mask] != 0 {
			h++
		}
		s.latest[h&mask] = e
	}
}

// found is the number of uses of the second half by distance, as far as there are any, and how many were of lines not used before.
func (s *stretch) found() (uses []uint64, cold uint64) {
	return s.span.tally.trimmed(), s.span.tally.cold
}
