package zcolumn

import (
	"encoding/binary"
	"math/bits"
)

// finder looks for repeated runs of symbols.
type finder struct {
	rows []byte
	seen [1 << hashBits]uint32 // row + 1 of the last run with a hash
	distances
}

// distances are those of the last matches in bytes, most recent first.
type distances struct{ reps [3]int }

// Odd multipliers for hashes, those of XXH64.
const (
	prime1 uint64 = 0x9E3779B185EBCA87
	prime2 uint64 = 0xC2B2AE3D27D4EB4F
	prime3 uint64 = 0x165667B19E3779F9
)

const (
	hashBits = 14
	hashRun  = 16 // rows of a hash
)

// begin starts a column.
func (f *finder) begin(rows []byte) {
	f.rows = rows
	clear(f.seen[:])
	f.distances = distances{}
}

// find fills b with rows from to to of the column.
func (f *finder) find(b *block, column []byte, width, from, to int) {
	next := from // first row not yet in b
	for i := from; i+hashRun <= to; {
		at := f.candidate(i, width)
		if at < 0 {
			i += 1 + (i-next)>>6
			continue
		}
		for i > next && at > 0 && f.rows[i-1] == f.rows[at-1] {
			i--
			at--
		}
		n := f.extend(at, i, to)
		f.emit(b, column, width, next*width, i, i-at, n)
		next = i + n
		// Matches grow backwards too, so a sparse sample finds them again.
		for j, step := i+hashRun, 4+n/64; j < next && j+hashRun <= to; j += step {
			f.seen[f.hash(j)] = uint32(j + 1)
		}
		i = next
	}
	b.literals = append(b.literals, column[next*width:to*width]...)
}

// candidate returns an earlier row that starts a match with the rows from i on, or -1. It
// prefers the distance of the last match, which costs few bits. That distance is right if
// only one row differed.
func (f *finder) candidate(i, width int) int {
	h := f.hash(i)
	at := int(f.seen[h]) - 1
	f.seen[h] = uint32(i + 1)
	if again := i - f.reps[0]/width; again >= 0 && again < i && f.again(again, i, width) {
		return again
	}
	if at < 0 || !f.equal(at, i) {
		return -1
	}
	return at
}

// again reports whether a match at the last distance is worthwhile: its code must be shorter
// than the rows as literals. Literals of short elements are short.
func (f *finder) again(at, i, width int) bool {
	switch {
	case width == 1:
		return f.equal(at, i)
	case width == 2:
		return binary.LittleEndian.Uint64(f.rows[at:]) == binary.LittleEndian.Uint64(f.rows[i:])
	}
	return binary.LittleEndian.Uint32(f.rows[at:]) == binary.LittleEndian.Uint32(f.rows[i:])
}

func (f *finder) hash(i int) uint64 {
	a, c := binary.LittleEndian.Uint64(f.rows[i:]), binary.LittleEndian.Uint64(f.rows[i+8:])
	return (a*prime1 ^ bits.RotateLeft64(c*prime2, 29)) * prime3 >> (64 - hashBits)
}

func (f *finder) equal(i, j int) bool {
	return binary.LittleEndian.Uint64(f.rows[i:]) == binary.LittleEndian.Uint64(f.rows[j:]) &&
		binary.LittleEndian.Uint64(f.rows[i+8:]) == binary.LittleEndian.Uint64(f.rows[j+8:])
}

// extend returns the number of rows from i on that equal those from at on.
func (f *finder) extend(at, i, to int) int {
	n := 0
	for ; i+n+8 <= to; n += 8 {
		if x := binary.LittleEndian.Uint64(f.rows[at+n:]) ^ binary.LittleEndian.Uint64(f.rows[i+n:]); x != 0 {
			return n + bits.TrailingZeros64(x)/8
		}
	}
	for i+n < to && f.rows[at+n] == f.rows[i+n] {
		n++
	}
	return n
}

// emit adds the literals from byte from to row i, and a match of n rows at a distance. It
// extends the match backwards over equal bytes of the previous row: the high bytes of
// numbers are often equal.
func (f *distances) emit(b *block, column []byte, width, from, i, distance, n int) {
	to, back := i*width, distance*width
	for to > from && to > back && column[to-1] == column[to-1-back] {
		to--
	}
	b.literals = append(b.literals, column[from:to]...)
	f.match(b, to-from, distance*width, (i+n)*width-to)
}

// match adds a match of n bytes at a distance in bytes after so many literals.
func (f *distances) match(b *block, literals, distance, n int) {
	for n > longOverlap && distance < farEnough && 3*distance < n/2 {
		b.sequences = append(b.sequences, sequence{uint32(literals), uint32(3 * distance), f.offset(distance, literals > 0)})
		n -= 3 * distance
		distance *= 4
		literals = 0
	}
	b.sequences = append(b.sequences, sequence{uint32(literals), uint32(n), f.offset(distance, literals > 0)})
}

// A long match at a short distance is slow: decoders copy it byte by byte, or in words that
// depend on words just written. It is therefore split into several matches at growing
// distances.
const (
	longOverlap = 512  // bytes of such a match
	farEnough   = 1024 // bytes between reading and writing
)

// offset returns the code of a distance, and moves the distance to the front of the recent
// ones [rfc8878, 3.1.1.5]. Without literals, the code of the most recent distance has
// another meaning, because the previous match would have been longer.
func (f *distances) offset(distance int, literals bool) uint32 {
	r := &f.reps
	switch {
	case distance == r[0] && literals:
		return 1
	case distance == r[1]:
		r[0], r[1] = r[1], r[0]
		if literals {
			return 2
		}
		return 1
	case distance == r[2]:
		r[0], r[1], r[2] = r[2], r[0], r[1]
		if literals {
			return 3
		}
		return 2
	}
	r[0], r[1], r[2] = distance, r[0], r[1]
	return uint32(distance) + 3
}
