package zcolumn

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// AppendLow is AppendWide, but compares each element only with the one before it: if their high bytes are equal, it codes
// the low ones. That is smaller for unordered numbers of a small range, because nearly all matches have the same code.
func (e *Encoder) AppendLow(dst, column []byte, width int) ([]byte, bool) {
	if width != wideWidth || len(column) > maxInput || len(column)%width != 0 {
		return dst, false
	}
	recent, rows := distances{}, elements(column)
	return e.append(dst, column, width, &recent, func(from, to int) {
		e.block.low(&recent, rows, from, to)
	}), true
}

// low fills b with elements from to to of rows.
func (b *block) low(recent *distances, rows []uint64, from, to int) {
	b.literals, b.sequences = slices.Grow(b.literals, (to-from+1)*wideWidth), slices.Grow(b.sequences, to-from)
	var before uint64
	if from > 0 {
		before = rows[from-1]
	}
	done, match := 0, 0 // literals in sequences; bytes after the other literals that equal those of the previous element
	for i, v := range rows[from:to] {
		same := bits.LeadingZeros64(v^before) / 8
		before = v
		if same == wideWidth && match > 0 { // the match continues over equal elements
			match += wideWidth
			continue
		}
		n := len(b.literals)
		if match > 0 {
			recent.next(b, n-done, match)
			done = n
		}
		if same = min(same, wideWidth-1); same < minMatch || from+i == 0 {
			same = 0
		}
		b.literals = binary.LittleEndian.AppendUint64(b.literals, v)[:n+wideWidth-same]
		match = same
	}
	if match > 0 {
		recent.next(b, len(b.literals)-done, match)
	}
}

// next is match for the distance of one element, after literals. Nearly always its code equals the last one.
func (f *distances) next(b *block, literals, n int) {
	if n > longOverlap || f.reps[0] != wideWidth {
		f.match(b, literals, wideWidth, n)
		return
	}
	b.sequences = append(b.sequences, sequence{uint32(literals), uint32(n), 1})
}
