package reuse

// newest is how many lines are kept apart. Four fit the registers; more would cost
// the programs that do not profit. Those that use the newest lines as rarely as others, at random or by Zipf's law,
// pay even for four, whereas a product of matrices takes half the time: hence eras with and without.
const newest = 4

// recent is the newest lines, newest first, with their places in the table of lines.
type recent struct {
	line  [newest]uint64
	place [newest]uint32
	from  [newest]uint16 // where the batch in hand has the place: an index in Stack.place
	full  int            // how many there are; from newest on there is nothing special about the start
}

// touchFirst uses a line while there are fewer than newest.
func (s *Stack) touchFirst(line uint64) {
	r := &s.recent
	at := 0
	for at < r.full && r.line[at] != line {
		at++
	}
	var place [1]uint32
	if at == r.full {
		s.lines.Find([]uint64{line}, place[:])
		r.full++
		s.tally.cold++
	} else {
		s.tally.uses[at]++
		place[0] = r.place[at]
	}
	copy(r.line[1:at+1], r.line[:at])
	copy(r.place[1:at+1], r.place[:at])
	r.line[0], r.place[0] = line, place[0]
}

// filter counts the uses of recent lines and returns the lines that were not recent.
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
			s.keys[n&(batch-1)] = l
			s.leave[n&(batch-1)] = f3
			l0, l1, l2, l3 = l, l0, l1, l2
			f0, f1, f2, f3 = uint16(newest+n), f0, f1, f2
			n++
		}
	}
	r.line = [newest]uint64{l0, l1, l2, l3}
	r.from = [newest]uint16{f0, f1, f2, f3}
	s.tally.uses[0] += n0
	s.tally.uses[1] += n1
	s.tally.uses[2] += n2
	s.tally.uses[3] += n3
	return s.keys[:n]
}

// settle takes over the places of the lines that are recent after a batch.
func (r *recent) settle(place *[newest + batch]uint32) {
	for i, f := range r.from {
		r.place[i] = place[f]
	}
}

// again tells in an era whether it pays to keep the newest lines apart.
type again struct {
	newest uint64 // uses of the newest lines, or, if these are not apart, of lines used not longer ago than soon
	uses   uint64
}

const (
	soon    = 2 * newest
	payFrom = 8 // one use in so many is of the newest lines
)

// pays is how many lines are to be apart.
func (a *again) pays() uint32 {
	if a.newest*payFrom < a.uses {
		return 0
	}
	return newest
}

// giveSlots gives slots to the newest lines, above n that have just been renumbered.
func (s *Stack) giveSlots(n uint32) {
	for i, place := range s.recent.place {
		s.slots[place] = slotOf(n + newest - uint32(i))
	}
}

// setApart takes the slots of the newest lines from them, when n have just been renumbered.
func (s *Stack) setApart(n uint32) {
	r := &s.recent
	for line, place := range s.lines.All() {
		if rank := rankOf(s.slots[place]); rank > n-newest {
			r.line[n-rank], r.place[n-rank] = line, place
			s.slots[place] = 0
		}
	}
}
