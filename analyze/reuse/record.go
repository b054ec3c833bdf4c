package reuse

import (
	"encoding/binary"
	"encoding/json"
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

// countClasses makes a new stack count each use by class. Only for stacks that count on the caller's goroutine.
func (s *Stack) countClasses() { s.window.tally.byUse = new(classTally) }

// countedClasses returns the uses by class since countClasses or resetCounts. Distances must not have been called since.
func (s *Stack) countedClasses() []uint64 {
	out := slices.Clone(s.window.tally.byUse[:])
	for d, n := range s.tally.uses[:newest] {
		out[d] += n // class d is distance d
	}
	return out
}

// classCounts are numbers by class, of which most are zero: of each other one, the step of the class and the number.
type classCounts []byte

// sinceThen returns the difference of two counts.
func sinceThen(now, then []uint64) (out classCounts) {
	last := 0
	for class, n := range now {
		if class < len(then) {
			n -= then[class]
		}
		if n > 0 {
			out = binary.AppendUvarint(out, uint64(class-last))
			out = binary.AppendUvarint(out, n)
			last = class
		}
	}
	return out
}

// addTo adds the numbers to others.
func (c classCounts) addTo(uses []uint64) error {
	class := uint64(0)
	for len(c) > 0 {
		step, n := binary.Uvarint(c)
		more, m := binary.Uvarint(c[max(n, 0):])
		if class += step; n <= 0 || m <= 0 || class >= uint64(len(uses)) {
			return errors.New("its counts of uses are damaged")
		}
		uses[class] += more
		c = c[n+m:]
	}
	return nil
}

// lineList is a list of lines. Its JSON has the differences of neighbours, which are often small.
type lineList []uint64

// MarshalJSON encodes the list.
func (l lineList) MarshalJSON() ([]byte, error) {
	packed := make([]byte, 0, 4*len(l))
	last := uint64(0)
	for _, line := range l {
		packed = binary.AppendVarint(packed, int64(line-last))
		last = line
	}
	return json.Marshal(packed)
}

// UnmarshalJSON decodes it.
func (l *lineList) UnmarshalJSON(text []byte) error {
	var packed []byte
	if err := json.Unmarshal(text, &packed); err != nil {
		return err
	}
	*l = nil
	last := uint64(0)
	for len(packed) > 0 {
		step, n := binary.Varint(packed)
		if n <= 0 {
			return errors.New("its list of lines is damaged")
		}
		last += uint64(step)
		*l, packed = append(*l, last), packed[n:]
	}
	return nil
}
