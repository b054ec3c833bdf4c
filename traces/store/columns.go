package store

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// number is the type of the elements of columns of fixed width.
type number interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int32 | ~int64 | ~float64
}

// littleEndian reports whether numbers in memory are laid out as in Arrow files.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// rawBytes returns the memory of s, with its capacity.
func rawBytes[T number](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	size := int(unsafe.Sizeof(s[0]))
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), cap(s)*size)[:len(s)*size]
}

// littleBytes returns s as an Arrow buffer. It shares memory with s on little-endian machines.
func littleBytes[T number](s []T) []byte {
	b := rawBytes(s)
	if littleEndian || len(s) == 0 {
		return b
	}
	b = append([]byte(nil), b...)
	swapBytes(b, int(unsafe.Sizeof(s[0])))
	return b
}

// fromLittle converts memory that was filled from an Arrow buffer to numbers, in place.
func fromLittle[T number](s []T) {
	if !littleEndian && len(s) > 0 {
		swapBytes(rawBytes(s), int(unsafe.Sizeof(s[0])))
	}
}

func swapBytes(b []byte, width int) {
	for ; len(b) >= width; b = b[width:] {
		switch width {
		case 2:
			binary.NativeEndian.PutUint16(b, bits.ReverseBytes16(binary.NativeEndian.Uint16(b)))
		case 4:
			binary.NativeEndian.PutUint32(b, bits.ReverseBytes32(binary.NativeEndian.Uint32(b)))
		case 8:
			binary.NativeEndian.PutUint64(b, bits.ReverseBytes64(binary.NativeEndian.Uint64(b)))
		}
	}
}

// resize returns a slice of length n, in the memory of s if it suffices. Its contents are undefined.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// fillTo returns a slice of n times v, in the memory of s if it suffices.
func fillTo[T number](s []T, n int, v T) []T {
	s = resize(s, n)
	for i := range s {
		s[i] = v
	}
	return s
}

// put adds a column of plain numbers.
func put[T number](e *encoder, s []T) {
	e.column(len(s), 0)
	e.buffer(nil, 1)
	putBuffer(e, s)
}

// putBuffer adds a buffer of numbers.
func putBuffer[T number](e *encoder, s []T) {
	var v T
	e.buffer(littleBytes(s), int(unsafe.Sizeof(v)))
}

// get reads a column of n plain numbers into the memory of s.
func get[T number](d *decoder, s []T, n int) []T {
	s = resize(s, n+decodeSlack)[:n]
	d.noNulls(n)
	d.buffer(rawBytes(s))
	fromLittle(s)
	return s
}

// putList adds a column of lists with s as its only row.
func putList[T number](e *encoder, s []T) {
	e.column(1, 0)
	e.buffer(nil, 1)
	putBuffer(e, []int32{0, int32(len(s))})
	put(e, s)
}

// getList reads such a column of at most so many numbers into the memory of s.
func getList[T number](d *decoder, s []T, most int) []T {
	if length, nulls := d.node(); length != 1 || nulls != 0 {
		d.fail("a column has %d values and %d nulls in a batch of one row", length, nulls)
	}
	d.skipValidity()
	var ends [2]int32
	d.buffer(rawBytes(ends[:]))
	fromLittle(ends[:])
	n := int(ends[1])
	if d.err == nil && (ends[0] != 0 || n < 0 || n > most) {
		d.fail("a list is from %d to %d in a batch of %d references", ends[0], n, most)
	}
	if d.err != nil {
		n = 0
	}
	return get(d, s, n)
}
