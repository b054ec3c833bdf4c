package reuse

// stretch measures the distances of the second half of a short stream of known length. It only records the
// order of the lines of the first half. Its tables are small, to fit the host's caches. Most uses of such
// streams are first uses, which an empty table entry shows.
type stretch struct {
	half           uint32
	at             uint32      // uses so far
	latest         []latestUse // hash table of lines, linear probing, at most half full
	shift          uint        // 32 - log2(len(latest))
	used           int         // lines in the table
	lines          []uint64    // by number of the use, from 1
	live           []uint64    // a bit for each use of the first half, from 1: whether it is the latest use of its line
	ranks          ranks       // of live
	firstHalfLines uint32      // number of lines of the first half
	epoch          epoch
	window         window
	oldSlots       [batch]uint32
	hash           [batch]uint32 // of the lines of a batch
}

// latestUse is the number of a line's latest use, below some bits of the line's hash; 0: none. These bits
// distinguish most lines.
type latestUse uint32

const (
	numberBits = 17
	numberMask = 1<<numberBits - 1 // length of the longest stream
)

func newStretch(length uint64) *stretch {
	if length > numberMask {
		panic("reuse: a stretch is too long for the numbers of its uses") // lengths are constants
	}
	const logSize = 10
	return &stretch{half: uint32(length / 2), latest: make([]latestUse, 1<<logSize), shift: 32 - logSize, lines: make([]uint64, length+1)}
}

// reset starts another stream.
func (s *stretch) reset() {
	clear(s.latest)
	s.at, s.used = 0, 0
	s.window.tally.reset()
}

// touch uses lines in order, all of one half.
func (s *stretch) touch(lines []uint64) {
	if s.at == 0 {
		s.live = zeroed(s.live, int(s.half/64+1))
	}
	for len(lines) > 0 {
		n := min(len(lines), batch)
		if s.at < s.half {
			s.record(lines[:n])
		} else {
			s.measure(lines[:n])
		}
		lines = lines[n:]
	}
	if s.at == s.half {
		s.startSecondHalf()
	}
}

// skipFirstHalf starts a stream without a first half.
func (s *stretch) skipFirstHalf() {
	s.live = zeroed(s.live, int(s.half/64+1))
	s.at = s.half
	s.startSecondHalf()
}

// record uses lines of the first half.
func (s *stretch) record(lines []uint64) {
	s.makeRoom()
	s.hashBatch(lines)
	for i, l := range lines {
		s.at++
		if was := s.use(l, s.hash[i&(batch-1)]); was != 0 {
			s.live[was>>6] &^= 1 << (was & 63)
		}
		s.live[s.at>>6] |= 1 << (s.at & 63)
	}
}

// startSecondHalf gives the lines of the first half the lowest slots, in the order of their latest uses.
func (s *stretch) startSecondHalf() {
	r, n, _ := rank(s.live) // never too many
	s.ranks, s.firstHalfLines = r, uint32(n)
	s.epoch.restart((n+int(s.half))/blockSlots+2, n)
	s.window.start(&s.epoch, 1, s.epoch.edge)
}

// measure uses lines of the second half.
func (s *stretch) measure(lines []uint64) {
	s.makeRoom()
	s.hashBatch(lines)
	for i, l := range lines {
		s.at++
		switch was := s.use(l, s.hash[i&(batch-1)]); {
		case was > s.half:
			s.oldSlots[i&(batch-1)] = slotOf(s.firstHalfLines + was - s.half)
		case was > 0:
			s.oldSlots[i&(batch-1)] = s.ranks.slot(was)
		default:
			s.oldSlots[i&(batch-1)] = 0
		}
	}
	s.window.measure(s.oldSlots[:len(lines)])
}

// hashBatch hashes the lines of a batch, and loads their entries, so that the cache misses overlap.
func (s *stretch) hashBatch(lines []uint64) {
	latest, shift := s.latest, s.shift&31 // keeps these in registers
	var touched uint32
	for i, l := range lines {
		h := hashOf(l)
		s.hash[i&(batch-1)] = h
		touched += uint32(latest[h>>shift])
	}
	s.oldSlots[0] = touched // keeps the compiler from dropping the loads
}

// hashOf returns a hash of a line. Its highest bits are the index of an entry, its lowest bits are in the
// entry.
func hashOf(line uint64) uint32 { return uint32(mix(line) >> 32) }

// use records a use of a line. It returns the number of the line's previous use; 0: none.
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

// makeRoom ensures room for a batch of new lines.
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

// distances returns the number of uses of the second half by distance, and the number of uses of new lines.
func (s *stretch) distances() (uses []uint64, cold uint64) {
	return s.window.tally.nonZero(), s.window.tally.cold
}
