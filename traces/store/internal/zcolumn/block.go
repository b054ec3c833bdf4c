package zcolumn

import (
	"math/bits"
	"slices"

	"github.com/klauspost/compress/huff0"
)

// sequence is some literals followed by a match, in bytes [rfc8878, 3.1.1.3.2].
type sequence struct {
	literals, match uint32
	offset          uint32 // the coded value: 1 to 3 repeat, else the distance + 3
}

// block collects the sequences of one block and encodes it.
type block struct {
	literals  []byte
	sequences []sequence
	huff      *huff0.Scratch
	codes     [][3]uint8 // of the sequences
	tables    [3]table
}

// The kinds of codes: literal lengths, offsets, match lengths.
const (
	ofLiterals = iota
	ofOffsets
	ofMatches
)

// maxLogs are log2 of the most states of each kind.
var maxLogs = [3]uint{9, 8, 9}

func newBlock() *block { return &block{huff: new(huff0.Scratch)} }

func (b *block) reset() { b.literals, b.sequences = b.literals[:0], b.sequences[:0] }

// appendTo appends the contents of a compressed block.
func (b *block) appendTo(dst []byte) []byte {
	dst = b.appendLiterals(dst)
	dst = appendCount(dst, len(b.sequences))
	if len(b.sequences) == 0 {
		return dst
	}
	b.code()
	modes := len(dst)
	dst = append(dst, 0)
	for i := range b.tables {
		t := &b.tables[i]
		t.plan(len(b.codes), maxLogs[i])
		mode := byte(2) // a table follows
		if t.rle {
			mode = 1
		}
		dst[modes] |= mode << (6 - 2*i)
		dst = t.describe(dst, b.codes[0][i])
	}
	return b.appendSequences(dst)
}

// appendCount appends the number of sequences [rfc8878, 3.1.1.3.2.1].
func appendCount(dst []byte, n int) []byte {
	const wide = 0x7f00
	switch {
	case n < 128:
		return append(dst, byte(n))
	case n < wide:
		return append(dst, byte(n>>8)+128, byte(n))
	}
	return append(dst, 255, byte(n-wide), byte((n-wide)>>8))
}

// appendLiterals appends the literals section [rfc8878, 3.1.1.3.1].
func (b *block) appendLiterals(dst []byte) []byte {
	const raw, rle, huffman, treeless = 0, 1, 2, 3
	n := len(b.literals)
	if n < 64 {
		return append(literalsHeader(dst, raw, n), b.literals...)
	}
	var out []byte
	var again bool
	var err error
	single := n < 1024
	if single {
		out, again, err = huff0.Compress1X(b.literals, b.huff)
	} else {
		out, again, err = huff0.Compress4X(b.literals, b.huff)
	}
	switch {
	case err == huff0.ErrUseRLE:
		return append(literalsHeader(dst, rle, n), b.literals[0])
	case err != nil || len(out)+5 >= n:
		// A table that the decoder will not see must not be used again.
		b.huff.Reuse = huff0.ReusePolicyNone
		return append(literalsHeader(dst, raw, n), b.literals...)
	}
	b.huff.Reuse = huff0.ReusePolicyAllow
	kind := uint64(huffman)
	if again {
		kind = treeless
	}
	return append(huffmanHeader(dst, kind, single, n, len(out)), out...)
}

// literalsHeader appends the header of literals that are raw or one repeated byte.
func literalsHeader(dst []byte, kind, n int) []byte {
	switch {
	case n < 1<<5:
		return append(dst, byte(kind|n<<3))
	case n < 1<<12:
		return append(dst, byte(kind|1<<2|n<<4), byte(n>>4))
	}
	return append(dst, byte(kind|3<<2|n<<4), byte(n>>4), byte(n>>12))
}

// huffmanHeader appends the header of n literals that were compressed to size bytes.
func huffmanHeader(dst []byte, kind uint64, single bool, n, size int) []byte {
	format, width := uint64(3), uint(18)
	switch most := max(n, size); {
	case single && most < 1<<10:
		format, width = 0, 10
	case most < 1<<10:
		format, width = 1, 10
	case most < 1<<14:
		format, width = 2, 14
	}
	v := kind | format<<2 | uint64(n)<<4 | uint64(size)<<(4+width)
	for range (4 + 2*width) / 8 {
		dst = append(dst, byte(v))
		v >>= 8
	}
	return dst
}

// code fills the codes of all sequences and counts them.
func (b *block) code() {
	n := len(b.sequences)
	if cap(b.codes) < n {
		b.codes = make([][3]uint8, n)
	}
	b.codes = b.codes[:n]
	l, o, m := &b.tables[ofLiterals].count, &b.tables[ofOffsets].count, &b.tables[ofMatches].count
	clear(l[:])
	clear(o[:])
	clear(m[:])
	for i, s := range b.sequences {
		c := [3]uint8{literalCode(s.literals), uint8(bits.Len32(s.offset) - 1), matchCode(s.match)}
		b.codes[i] = c
		l[c[ofLiterals]%maxCodes]++
		o[c[ofOffsets]%maxCodes]++
		m[c[ofMatches]%maxCodes]++
	}
}

// appendSequences appends the bit stream, which decoders read backwards
// [rfc8878, 3.1.1.3.2.1.2].
func (b *block) appendSequences(dst []byte) []byte {
	l, o, m := &b.tables[ofLiterals], &b.tables[ofOffsets], &b.tables[ofMatches]
	const mostBytes = 11 // of a sequence
	w := bitWriter{out: slices.Grow(dst, len(b.sequences)*mostBytes+8)}
	i := len(b.sequences) - 1
	c := b.codes[i]
	stateL, stateO, stateM := l.start(c[ofLiterals]), o.start(c[ofOffsets]), m.start(c[ofMatches])
	for {
		s := b.sequences[i]
		lc, mc := c[ofLiterals]%maxCodes, c[ofMatches]%maxCodes
		w.add(uint64(s.literals-literalBase[lc]), uint(literalBits[lc]))
		w.add(uint64(s.match-matchBase[mc]), uint(matchBits[mc]))
		w.makeRoom(31) // most codes have no such bits
		oc := c[ofOffsets] & 31
		w.add(uint64(s.offset)&(1<<oc-1), uint(oc))
		if i == 0 {
			break
		}
		i--
		c = b.codes[i]
		w.makeRoom(3 * maxLog)
		if !o.rle { // an rle table has one state without bits; likewise below
			stateO = o.put(&w, stateO, c[ofOffsets])
		}
		if !m.rle {
			stateM = m.put(&w, stateM, c[ofMatches])
		}
		if !l.rle {
			stateL = l.put(&w, stateL, c[ofLiterals])
		}
		w.move()
	}
	w.move()
	m.finish(&w, stateM)
	o.finish(&w, stateO)
	l.finish(&w, stateL)
	w.add(1, 1)
	w.flush()
	return w.out
}

// Codes of lengths [rfc8878, tables 15 and 16]: each has a base and extra bits.
var (
	literalBits = [maxCodes]uint8{16: 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	matchBits   = [maxCodes]uint8{32: 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	literalBase = bases(literalBits, 0)
	matchBase   = bases(matchBits, minMatch)
)

const minMatch = 3

// bases returns the base of each code by summing the ranges of codes with the given extra bits.
func bases(extra [maxCodes]uint8, first uint32) (a [maxCodes]uint32) {
	for i, n := range extra {
		a[i] = first
		first += 1 << n
	}
	return a
}

func literalCode(n uint32) uint8 {
	if n < 16 {
		return uint8(n)
	}
	if n < 64 {
		return smallLiteral[n]
	}
	return uint8(bits.Len32(n)) + 18
}

func matchCode(n uint32) uint8 {
	n -= minMatch
	if n < 32 {
		return uint8(n)
	}
	if n < 128 {
		return smallMatch[n]
	}
	return uint8(bits.Len32(n)) + 35
}

// The codes of short lengths, whose ranges are not powers of two.
var (
	smallLiteral = codesBelow[[64]uint8](literalBase[:], 0)
	smallMatch   = codesBelow[[128]uint8](matchBase[:], minMatch)
)

func codesBelow[A [64]uint8 | [128]uint8](base []uint32, first uint32) A {
	var a A
	c := 0
	for n := range len(a) {
		for c+1 < len(base) && base[c+1] <= uint32(n)+first {
			c++
		}
		a[n] = uint8(c)
	}
	return a
}
