package zcolumn

import (
	"math/bits"

	"github.com/klauspost/compress/huff0"
)

// sequence is some literals followed by a match, in bytes [rfc8878, 3.1.1.3.2].
type sequence struct {
	literals, match uint32
	offset          uint32 // the coded value: 1 to 3 repeat, else the distance + 3
}

// block gathers the sequences of one block and encodes it.
type block struct {
	literals  []byte
	sequences []sequence
	huff      *huff0.Scratch
	kinds     [3]coder // of literal lengths, offsets, match lengths
}

// coder is the codes of one kind in a block and their table.
type coder struct {
	table
	codes  []uint8
	maxLog uint
}

const (
	ofLiterals = iota
	ofOffsets
	ofMatches
)

func newBlock() *block {
	b := &block{huff: new(huff0.Scratch)}
	for i, log := range []uint{ofLiterals: 9, ofOffsets: 8, ofMatches: 9} {
		b.kinds[i].maxLog = log
	}
	return b
}

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
	for i := range b.kinds {
		k := &b.kinds[i]
		k.plan(k.codes, k.maxLog)
		mode := byte(2) // a table follows
		if k.rle {
			mode = 1
		}
		dst[modes] |= mode << (6 - 2*i)
		dst = k.describe(dst, k.codes[0])
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

// literalsHeader is the header of literals that are raw or one byte repeated.
func literalsHeader(dst []byte, kind, n int) []byte {
	switch {
	case n < 1<<5:
		return append(dst, byte(kind|n<<3))
	case n < 1<<12:
		return append(dst, byte(kind|1<<2|n<<4), byte(n>>4))
	}
	return append(dst, byte(kind|3<<2|n<<4), byte(n>>4), byte(n>>12))
}

// huffmanHeader is the header of n literals compressed to size bytes.
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

// code fills the codes of all sequences.
func (b *block) code() {
	for i := range b.kinds {
		b.kinds[i].codes = b.kinds[i].codes[:0]
	}
	l, o, m := &b.kinds[ofLiterals], &b.kinds[ofOffsets], &b.kinds[ofMatches]
	for _, s := range b.sequences {
		l.codes = append(l.codes, literalCode(s.literals))
		o.codes = append(o.codes, uint8(bits.Len32(s.offset)-1))
		m.codes = append(m.codes, matchCode(s.match))
	}
}

// appendSequences appends the bit stream, which is read from its end
// [rfc8878, 3.1.1.3.2.1.2].
func (b *block) appendSequences(dst []byte) []byte {
	l, o, m := &b.kinds[ofLiterals], &b.kinds[ofOffsets], &b.kinds[ofMatches]
	w := bitWriter{out: dst}
	i := len(b.sequences) - 1
	stateM, stateO, stateL := m.start(m.codes[i]), o.start(o.codes[i]), l.start(l.codes[i])
	for {
		s := b.sequences[i]
		lc, oc, mc := l.codes[i], o.codes[i], m.codes[i]
		w.add(uint64(s.literals-literalBase[lc]), uint(literalBits[lc]))
		w.add(uint64(s.match-matchBase[mc]), uint(matchBits[mc]))
		w.add(uint64(s.offset)&(1<<oc-1), uint(oc))
		if i == 0 {
			break
		}
		i--
		stateO = o.put(&w, stateO, o.codes[i])
		stateM = m.put(&w, stateM, m.codes[i])
		stateL = l.put(&w, stateL, l.codes[i])
	}
	m.finish(&w, stateM)
	o.finish(&w, stateO)
	l.finish(&w, stateL)
	w.add(1, 1)
	w.flush()
	return w.out
}

// Codes of lengths [rfc8878, tables 15 and 16]: each has a base and extra bits.
var (
	literalBits = [36]uint8{16: 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	matchBits   = [53]uint8{32: 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	literalBase = bases[[36]uint32](literalBits[:], 0)
	matchBase   = bases[[53]uint32](matchBits[:], minMatch)
)

const minMatch = 3

// bases adds up the ranges of codes with the given extra bits.
func bases[A [36]uint32 | [53]uint32](extra []uint8, first uint32) A {
	var a A
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
