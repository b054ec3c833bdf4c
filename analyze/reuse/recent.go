package reuse

// newest is the number of lines that have no slots. Four fit the registers. More would slow down programs
// that gain nothing. Some programs use the newest lines as rarely as others, at random or by Zipf's law. Even
// four lines slow them down, whereas a matrix product takes half the time. Therefore only some epochs exclude
// the newest lines.
const newest = 4

// recent holds the newest lines, newest first, with their places in the table of lines.
type recent struct {
	line   [newest]uint64
	place  [newest]uint32
	source [newest]uint16 // index of the line's place in Stack.place, for the current batch
	count  int            // number of these lines; from newest on, the start of the stream is over
}

// touchInitial uses a line while there are fewer than newest.
func (s *Stack) touchInitial(line uint64) {
	r := &s.recent
	at := 0
	for at < r.count && r.line[at] != line {
		at++
	}
	var place [1]uint32
	if at == r.count {
		s.lines.Find([]uint64{line}, place[:])
		r.count++
		s.tally.cold++
		if s.first != nil {
			*s.first = append(*s.first, line)
		}
	} else {
		s.tally.uses[at]++
		place[0] = r.place[at]
	}
	copy(r.line[1:at+1], r.line[:at])
	copy(r.place[1:at+1], r.place[:at])
	r.line[0], r.place[0] = line, place[0]
}

// filter counts the uses of recent lines. It returns the lines that were not recent.
func (s *Stack) filter(lines []uint64) []uint64 {
	r := &s.recent
	l0, l1, l2, l3 := r.line[0], r.line[1], r.line[2], r.line[3]
	var f0, f1, f2, f3 uint16 = 0, 1, 2, 3
	var n0, n1, n2, n3 uint64
	n := 0
	for _, l := range lines {
		switch l {
		case l0:
			n0++
		case l1:
			n1++
			l0, l1 = l, l0
			f0, f1 = f1, f0
		case l2:
			n2++
			l0, l1, l2 = l, l0, l1
			f0, f1, f2 = f2, f0, f1
		case l3:
			n3++
			l0, l1, l2, l3 = l, l0, l1, l2
			f0, f1, f2, f3 = f3, f0, f1, f2
		default:
			s.missed[n&(batch-1)] = l
			s.displaced[n&(batch-1)] = f3
			l0, l1, l2, l3 = l, l0, l1, l2
			f0, f1, f2, f3 = uint16(newest+n), f0, f1, f2
			n++
		}
	}
	r.line = [newest]uint64{l0, l1, l2, l3}
	r.source = [newest]uint16{f0, f1, f2, f3}
	s.tally.uses[0] += n0
	s.tally.uses[1] += n1
	s.tally.uses[2] += n2
	s.tally.uses[3] += n3
	return s.missed[:n]
}

// updatePlaces sets the places of the lines that are recent after a batch.
func (r *recent) updatePlaces(place *[newest + batch]uint32) {
	for i, f := range r.source {
		r.place[i] = place[f]
	}
}

// recencyStats measures in an epoch whether excluding the newest lines from the slots saves time.
type recencyStats struct {
	newest uint64 // uses of the newest lines; if these have slots, uses within recentDistance slots
	uses   uint64
}

const (
	recentDistance = 2 * newest
	minRecentUses  = 8 // exclude the newest lines if they get at least one use in this many
)

// topExcluded returns the number of newest lines to exclude from the slots.
func (a *recencyStats) topExcluded() uint32 {
	if a.newest*minRecentUses < a.uses {
		return 0
	}
	return newest
}

// includeTop gives the newest lines slots, above n that have just been renumbered.
func (s *Stack) includeTop(n uint32) {
	for i, place := range s.recent.place {
		s.slots[place] = slotOf(n + newest - uint32(i))
	}
}

// excludeTop takes the slots of the newest lines away, after n slots were renumbered.
func (s *Stack) excludeTop(n uint32) {
	r := &s.recent
	for line, place := range s.lines.All() {
		if rank := rankOf(s.slots[place]); rank > n-newest {
			r.line[n-rank], r.place[n-rank] = line, place
			s.slots[place] = 0
		}
	}
}
