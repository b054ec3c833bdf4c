package reuse

import (
	"encoding/binary"
	"math"
	"slices"
)

// QuarterOctaves returns the powers of the fourth root of two, rounded to whole numbers, below limit, and
// limit.
func QuarterOctaves(limit uint64) []int64 {
	var out []int64
	for i := 0; ; i++ {
		x := math.Round(math.Exp2(float64(i) / 4))
		if x >= float64(limit) {
			return append(out, int64(limit))
		}
		if n := int64(x); len(out) == 0 || n > out[len(out)-1] {
			out = append(out, n)
		}
	}
}

// starts has the start of each class. The last value is above every distance, also above estimated ones.
var starts = slices.Concat([]int64{0}, QuarterOctaves(1<<53))

// ClassStart returns the smallest distance of a class. Class 0 is distance 0; each later class is a quarter
// octave.
func ClassStart(class int) int64 { return starts[class] }

// width returns one more than the largest distance so far, or newest if that is more. Only for stacks that count on
// the caller's goroutine.
func (s *Stack) width() int { return max(s.tally.width(), s.window.tally.width()) }

// classes returns the counts so far. Stacks with workers must count classes.
func (s *Stack) classes() useCounts {
	if s.workers != nil {
		s.settle()
		return s.workers.counted.counts(s.recentCounts())
	}
	uses := classesOf(s.tally.flush())
	for i, n := range s.window.tally.byClass() {
		uses[i] += n
	}
	cold := s.tally.cold + s.window.tally.cold
	return useCounts{trimmed(uses), cold, cold}
}

// classesOf converts uses by distance to uses by class.
func classesOf(uses []uint64) []uint64 {
	out := make([]uint64, len(starts)-1)
	for i := range out {
		from, end := starts[i], min(starts[i+1], int64(len(uses)))
		if from >= end {
			break
		}
		for _, n := range uses[from:end] {
			out[i] += n
		}
	}
	return out
}

// byClass returns the uses so far. After the first call, carries are also counted by class. Then only bytes
// need to be summed.
func (t *tally) byClass() []uint64 {
	if t.classes == nil {
		t.classes = classesOf(t.uses)
	}
	out := slices.Clone(t.classes)
	for i := range out {
		from, end := starts[i], min(starts[i+1], int64(len(t.bytes)))
		if from >= end {
			break
		}
		out[i] += sum(t.bytes[from:end])
	}
	return out
}

// classOf returns the class of a distance.
func classOf(distance uint32) int {
	i, _ := slices.BinarySearch(starts, int64(distance)+1)
	return i - 1
}

// sum adds bytes, eight at a time.
func sum(bytes []uint8) (n uint64) {
	const even = 0x00FF00FF00FF00FF
	for ; len(bytes) >= 8; bytes = bytes[8:] {
		word := binary.NativeEndian.Uint64(bytes)
		n += (word&even + word>>8&even) * 0x0001000100010001 >> 48
	}
	for _, b := range bytes {
		n += uint64(b)
	}
	return n
}
