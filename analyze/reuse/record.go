package reuse

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
)

// classTally has uses by class of distance. A stack has fewer than 2^32 lines.
type classTally [128]uint64

// classStarts has the starts of the classes.
var classStarts = func() (starts32 [len(classTally{})]uint32) {
	for i := range starts32 {
		starts32[i] = uint32(min(starts[i], 1<<32-1))
	}
	return starts32
}()

// add counts uses. An octave has four classes, from 8 on.
func (t *classTally) add(dist []uint32) {
	for _, d := range dist {
		class := d
		if d >= 8 {
			class = 4*uint32(bits.Len32(d)) - 8
			next := classStarts[class&127:][:4]
			_, below1 := bits.Sub32(d, next[1], 0)
			_, below2 := bits.Sub32(d, next[2], 0)
			_, below3 := bits.Sub32(d, next[3], 0)
			class += 3 - below1 - below2 - below3
		}
		t[class&127]++
	}
}

// keepFirst adds the lines without old slots to the first uses.
func (s *Stack) keepFirst(lines []uint64, oldSlots []uint32) {
	for i, slot := range oldSlots {
		if slot == 0 {
			*s.first = append(*s.first, lines[i])
		}
	}
}

// countClasses makes a new stack count each use by class.
func (s *Stack) countClasses() {
	if s.workers != nil {
		s.workers.countClasses()
		return
	}
	s.window.tally.byUse = new(classTally)
}

// countedClasses returns the uses by class since countClasses or resetCounts. Distances must not have been called since.
// Only for stacks that count on the caller's goroutine.
func (s *Stack) countedClasses() []uint64 {
	out := slices.Clone(s.window.tally.byUse[:])
	for d, n := range s.tally.uses[:newest] {
		out[d] += n // class d is distance d
	}
	return out
}

// packedCounts are numbers by index, of which many are zero: of each other one, the step of the index and the number.
type packedCounts []byte

// packCounts packs now, less the counts in then, which may be shorter.
func packCounts(now, then []uint64) (out packedCounts) {
	last := 0
	for i, n := range now {
		if i < len(then) {
			n -= then[i]
		}
		if n > 0 {
			out = binary.AppendUvarint(out, uint64(i-last))
			out = binary.AppendUvarint(out, n)
			last = i
		}
	}
	return out
}

// addTo adds the numbers to others, which have room for indexes below most.
func (c packedCounts) addTo(counts []uint64, most int) ([]uint64, error) {
	i := uint64(0)
	for len(c) > 0 {
		step, n := binary.Uvarint(c)
		more, m := binary.Uvarint(c[max(n, 0):])
		if i += step; n <= 0 || m <= 0 || i >= uint64(most) {
			return nil, errors.New("its counts of uses are damaged")
		}
		if i >= uint64(len(counts)) {
			counts = grow(counts, int(i)+1)
		}
		counts[i] += more
		c = c[n+m:]
	}
	return counts, nil
}

var errDamagedLines = errors.New("its lists of lines are damaged")

// packedLines are lines: the differences of neighbours, which are often small.
type packedLines []byte

func packLines(lines []uint64) packedLines {
	out := make(packedLines, 0, 4*len(lines))
	last := uint64(0)
	for _, line := range lines {
		out = binary.AppendVarint(out, int64(line-last))
		last = line
	}
	return out
}

// unpack returns the lines, of which there must be n.
func (p packedLines) unpack(n uint64) ([]uint64, error) {
	out := make([]uint64, 0, min(n, uint64(len(p))))
	last := uint64(0)
	for len(p) > 0 {
		step, size := binary.Varint(p)
		if size <= 0 {
			break
		}
		last += uint64(step)
		out, p = append(out, last), p[size:]
	}
	if len(p) > 0 || uint64(len(out)) != n {
		return nil, errDamagedLines
	}
	return out, nil
}
