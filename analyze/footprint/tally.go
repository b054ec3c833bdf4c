package footprint

import "spoor/analyze/internal/lines"

// tally counts the distinct blocks that processes sharing a cache use in each of its sets in a span. All
// counts are zero between groups of processes.
type tally struct {
	blocks   [][]inSet // by processor: blocks used in the span
	evicted  []uint64  // blocks, by the first number of sharers for which they are evicted
	ownInSet []uint32  // by set: blocks of one process
	allInSet []uint32  // by set: distinct blocks of all processes
	users    []uint8   // by place of a block: oneUser, or more bits for several users
}

// inSet is a block of a process. own is the number of the process's blocks in the same set.
type inSet struct{ place, set, own uint32 }

// Users of a block.
const (
	oneUser  = 1
	userMask = 3
)

// count counts the blocks of spans that end, for a shape and for groups of every size. If the number of
// sharers is at least the number of processors, there is one group with all processors. The blocks of the
// others are then scaled. names has the numbers of the blocks at places.
func (s *spanModel) count(shape int, ending []*spanLevel, names *lines.Names) {
	t := &s.tallies[shape]
	for _, l := range ending {
		if !l.open {
			continue
		}
		t.findSets(l.places, names, s.shapes[shape].Sets)
		for j, k := range s.sharers {
			if k >= s.procs {
				s.countGroup(l, shape, j, len(s.sharers), t.blocks)
				break
			}
			for first := 0; first+k <= s.procs; first += k {
				s.countGroup(l, shape, j, j+1, t.blocks[first:first+k])
			}
		}
	}
}

// findSets finds the sets of all blocks.
func (t *tally) findSets(of [][]uint32, names *lines.Names, sets int) {
	t.ownInSet, t.allInSet = extend(t.ownInSet, sets), extend(t.allInSet, sets)
	t.users = extend(t.users, names.Places())
	t.blocks = extend(t.blocks, len(of))
	setOf := modulo(sets)
	for p, places := range of {
		blocks := t.blocks[p][:0]
		for _, place := range places {
			set := uint32(setOf.setOf(names.Of(place)))
			t.ownInSet[set]++
			blocks = append(blocks, inSet{place: place, set: set})
		}
		for i := range blocks {
			blocks[i].own = t.ownInSet[blocks[i].set]
		}
		for _, b := range blocks {
			t.ownInSet[b.set] = 0
		}
		t.blocks[p] = blocks
	}
}

// extend returns a slice with at least n elements; new ones are zero.
func extend[T any](s []T, n int) []T {
	if n > len(s) {
		s = append(s, make([]T, n-len(s))...)
	}
	return s
}

// countGroup counts the blocks of processes that share a cache, for some numbers of sharers.
func (s *spanModel) countGroup(l *spanLevel, shape, from, to int, members [][]inSet) {
	t := &s.tallies[shape]
	for _, of := range members {
		for _, b := range of {
			u := t.users[b.place]
			if u == 0 {
				t.allInSet[b.set]++
			}
			t.users[b.place] = u<<1&userMask | oneUser
		}
	}
	counts, times, ways := l.evictions[shape][from:to], s.scales[from:to], uint32(s.shapes[shape].Ways)
	t.evicted = extend(t.evicted, len(counts)+1)
	lost := t.evicted[:len(counts)+1]
	clear(lost)
	blocks := 0
	for _, of := range members {
		blocks += len(of)
		for _, b := range of {
			if b.own <= ways && t.users[b.place] == oneUser {
				lost[firstEviction(times, ways, b.own, t.allInSet[b.set]-b.own)]++
			}
		}
	}
	for _, of := range members {
		for _, b := range of {
			t.users[b.place], t.allInSet[b.set] = 0, 0
		}
	}
	weight, sum := float64(uint64(1)<<l.thinning), uint64(0)
	for j := range counts {
		sum += lost[j]
		counts[j].uses += weight * float64(blocks)
		counts[j].evicted += weight * float64(sum)
	}
}

// firstEviction returns the index of the first number of processes for which a block is evicted. own and
// others are the numbers of blocks in its set. With larger numbers of processes it is evicted too. The result
// is len(times) if there is none.
func firstEviction(times []float64, ways, own, others uint32) int {
	if others == 0 {
		return len(times)
	}
	if own+others > ways { // for every factor
		return 0
	}
	j := 0
	for j < len(times) && float64(own)+times[j]*float64(others) <= float64(ways) {
		j++
	}
	return j
}
