// Package zcolumn compresses columns of few different numbers, and columns of addresses. It
// writes standard zstd frames, which every zstd decoder reads.
//
// General encoders look for repeated strings of 4 to 8 bytes. In a column of four-byte
// numbers, that is one or two rows. In columns such as lengths and operations, such short
// strings repeat everywhere and predict nothing. This encoder looks for repeated runs of
// rows instead. The frames have no checksum, because package store computes one over the
// whole message. References of programs are read 1.3 to 1.9 times as fast as from a general encoder
// (BenchmarkCodecs of package store). Their files have 60 to 103 % of the bytes.
//
// The format is that of RFC 8878 (Zstandard).
package zcolumn

import (
	"bytes"
	"encoding/binary"

	"github.com/klauspost/compress/huff0"
)

// Encoder compresses columns. Only one goroutine may use it.
type Encoder struct {
	symbols symbols
	finder  finder
	wide    wideFinder
	block   *block
}

// NewEncoder returns an Encoder.
func NewEncoder() *Encoder { return &Encoder{block: newBlock()} }

const (
	blockSize = 128 << 10 // most decompressed bytes of a block
	maxInput  = 1 << 27   // offsets and hash entries are 32 bits wide
)

// Append appends the frame of column, whose elements have width bytes (1, 2, 4 or
// 8), to dst. It reports false, and appends nothing, if the column has more than
// 256 different elements or 128 MiB.
func (e *Encoder) Append(dst, column []byte, width int) ([]byte, bool) {
	if len(column) > maxInput || len(column)%width != 0 {
		return dst, false
	}
	if dst, ok := e.AppendConstant(dst, column, width); ok {
		return dst, true
	}
	if !e.symbols.read(column, width) {
		return dst, false
	}
	e.finder.begin(e.symbols.rows)
	return e.append(dst, column, width, &e.finder.distances, func(from, to int) {
		e.finder.find(e.block, column, width, from, to)
	}), true
}

// AppendWide is Append for any number of different elements. They must have eight bytes each
// and less than 8 MiB together.
func (e *Encoder) AppendWide(dst, column []byte, width int) ([]byte, bool) {
	if width != wideWidth || len(column)%width != 0 || len(column)/width > maxWide {
		return dst, false
	}
	e.wide.begin(column)
	return e.append(dst, column, width, &e.wide.distances, func(from, to int) {
		e.wide.find(e.block, from, to)
	}), true
}

// AppendLiterals is AppendWide without matches: it codes each byte separately. For addresses that hardly repeat, the frame
// is little larger, and decoding is faster.
func (e *Encoder) AppendLiterals(dst, column []byte, width int) ([]byte, bool) {
	if width != wideWidth || len(column) > maxInput || len(column)%width != 0 {
		return dst, false
	}
	return e.append(dst, column, width, new(distances), func(from, to int) {
		e.block.literals = append(e.block.literals, column[from*width:to*width]...)
	}), true
}

// isConstant reports whether all elements are the same.
func isConstant(column []byte, width int) bool {
	return len(column) > width && bytes.Equal(column[width:], column[:len(column)-width])
}

// AppendConstant is Append for a column whose elements are all equal.
func (e *Encoder) AppendConstant(dst, column []byte, width int) ([]byte, bool) {
	if len(column) > maxInput || !isConstant(column, width) {
		return dst, false
	}
	recent := distances{}
	return e.append(dst, column, width, &recent, func(from, to int) {
		first := max(from, 1)
		if (to-first)*width < minMatch {
			e.block.literals = append(e.block.literals, column[from*width:to*width]...)
			return
		}
		recent.emit(e.block, column, width, from*width, first, max(recent.reps[0]/width, 1), to-first)
	}), true
}

// append appends a frame. The function find fills e.block with each block.
func (e *Encoder) append(dst, column []byte, width int, recent *distances, find func(from, to int)) []byte {
	return e.appendBlocks(dst, column, width, blockSize/width, recent, find)
}

// appendBlocks is append with blocks of so many rows.
func (e *Encoder) appendBlocks(dst, column []byte, width, rows int, recent *distances, find func(from, to int)) []byte {
	dst = appendHeader(dst, len(column))
	e.block.huff.Reuse = huff0.ReusePolicyNone
	n := len(column) / width
	for from := 0; from == 0 || from < n; from += rows {
		to := min(from+rows, n)
		e.block.reset()
		before := *recent
		find(from, to)
		var raw bool
		if dst, raw = e.appendBlock(dst, column[from*width:to*width], to == n); raw {
			*recent = before // the decoder does not see the distances of this block
		}
	}
	return dst
}

// appendHeader begins a frame of one segment [rfc8878, 3.1.1.1].
func appendHeader(dst []byte, size int) []byte {
	const sizeOf4Bytes, singleSegment = 2 << 6, 1 << 5
	dst = binary.LittleEndian.AppendUint32(dst, 0xFD2FB528)
	dst = append(dst, sizeOf4Bytes|singleSegment)
	return binary.LittleEndian.AppendUint32(dst, uint32(size))
}

// appendBlock appends the block in e, or its plain contents if these are not larger.
func (e *Encoder) appendBlock(dst, plain []byte, last bool) (out []byte, isRaw bool) {
	const raw, compressed = 0, 2
	start := len(dst)
	dst = append(dst, 0, 0, 0)
	kind, size := compressed, 0
	if len(plain) > 0 {
		dst = e.block.appendTo(dst)
		size = len(dst) - start - 3
	}
	if size >= len(plain) {
		dst = append(dst[:start+3], plain...)
		kind, size = raw, len(plain)
		// The decoder does not see the Huffman table of this block.
		e.block.huff.Reuse = huff0.ReusePolicyNone
	}
	v := size<<3 | kind<<1
	if last {
		v |= 1
	}
	dst[start], dst[start+1], dst[start+2] = byte(v), byte(v>>8), byte(v>>16)
	return dst, kind == raw
}
