package footprint

import "spoor/analyze/lines"

// tally counts, of processes that share a cache, the distinct blocks that they use of each of its sets in a span. All its
// counts are zero between groups of processes.
type tally struct {
	of    [][]inSet // by processor: blocks used in the span
	lost  []uint64  // blocks, by the first of the numbers of sharers to which they are
	own   []uint32  // by set: blocks of one process
	all   []uint32  // by set: distinct blocks of all
	users []uint8   // by place of a block: how many use it
}

// inSet is a block that a process uses, with how many of its blocks are in the same set.
type inSet struct{ place, set, own uint32 }

// Users of a block.
const (
	alone = 1
	more  = 3
)

// count counts the blocks of spans that end, for a shape and groups of every size. Of as many processes as there are, and of more, one group has
// all that there are, and so many times what the others use. The names are of the blocks that have places.
func (s *spans) count(shape int, ending []*level, names *lines.Names) {
	t := &s.tallies[shape]
	for _, l := range ending {
		if !l.open {
			continue
		}
		t.sort(l.of, names, s.shapes[shape].Sets)
		for j, k := range s.sharers {
			if k >= s.procs {
				s.group(l, shape, j, len(s.sharers), t.of)
				break
			}
			for first := 0; first+k <= s.procs; first += k {
				s.group(l, shape, j, j+1, t.of[first:first+k])
			}
		}
	}
}

// sort finds the sets of all blocks.
func (t *tally) sort(of [][]uint32, names *lines.Names, sets int) {
	t.own, t.all = grown(t.own, sets), grown(t.all, sets)
	t.users = grown(t.users, names.Places())
	t.of = grown(t.of, len(of))
	setOf := modulo(sets)
	for p, places := range of {
		blocks := t.of[p][:0]
		for _, place := range places {
			set := uint32(setOf.of(names.Of(place)))
			t.own[set]++
			blocks = append(blocks, inSet{place: place, set: set})
		}
		for i := range blocks {
			blocks[i].own = t.own[blocks[i].set]
		}
		for _, b := range blocks {
			t.own[b.set] = 0
		}
		t.of[p] = blocks
	}
}

// grown is a slice with n elements at least, new ones zero.
func grown[T any](s []T, n int) []T {
	if n > len(s) {
		s = append(s, make([]T, n-len(s))...)
	}
	return s
}

// group counts the blocks of processes that share a cache, for some of the numbers of sharers.
func (s *spans) group(l *level, shape, from, to int, members [][]inSet) {
	t := &s.tallies[shape]
	for _, of := range members {
		for _, b := range of {
			u := t.users[b.place]
			if u == 0 {
				t.all[b.set]++
			}
			t.users[b.place] = u<<1&more | alone
		}
	}
	counts, times, ways := l.losses[shape][from:to], s.times[from:to], uint32(s.shapes[shape].Ways)
	t.lost = grown(t.lost, len(counts)+1)
	lost := t.lost[:len(counts)+1]
	clear(lost)
	blocks := 0
	for _, of := range members {
		blocks += len(of)
		for _, b := range of {
			if b.own <= ways && t.users[b.place] == alone {
				lost[firstLoss(times, ways, b.own, t.all[b.set]-b.own)]++
			}
		}
	}
	for _, of := range members {
		for _, b := range of {
			t.users[b.place], t.all[b.set] = 0, 0
		}
	}
	weight, sum := float64(uint64(1)<<l.thin), uint64(0)
	for j := range counts {
		sum += lost[j]
		counts[j].uses += weight * float64(blocks)
		counts[j].lost += weight * float64(sum)
	}
}

// firstLoss is the first of the numbers of processes to which the block of one is lost that has so many in its set, where the others
// have so many: those use more than there are ways, as do all larger numbers. It is their length if there is none.
func firstLoss(times []float64, ways, own, others uint32) int {
	if others == 0 {
		return len(times)
	}
	if own+others > ways { // whatever times it is
		return 0
	}
	j := 0
	for j < len(times) && float64(own)+times[j]*float64(others) <= float64(ways) {
		j++
	}
	return j
}
