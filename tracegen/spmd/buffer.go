package spmd

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

// Vector selects elements of a slice: Count blocks of Block elements, whose starts are Stride elements apart. A
// column of a row-major matrix of rows x cols elements is Vector{Count: rows, Block: 1, Stride: cols}. A block of b
// neighbouring columns is Vector{rows, b, cols}.
type Vector struct {
	Count, Block, Stride int
}

// buffer is the memory of a message: the program's own memory, or a copy.
type buffer struct {
	base   unsafe.Pointer
	elem   reflect.Type
	size   int // bytes of an element
	layout Vector
}

// setBuffer makes b the memory of data, for messages of r. It writes to b in place, because copying a buffer costs
// more than the rest of a short message.
func setBuffer[T any](b *buffer, r *Rank, data []T) {
	b.base, b.elem, b.size = unsafe.Pointer(unsafe.SliceData(data)), reflect.TypeFor[T](), int(unsafe.Sizeof(*new(T)))
	b.layout.Count, b.layout.Block, b.layout.Stride = 1, len(data), len(data)
	if b.elem != r.checkedType {
		r.checkElements(b.elem)
	}
}

// contiguous returns a buffer for the memory of data.
func contiguous[T any](r *Rank, data []T) (b buffer) {
	setBuffer(&b, r, data)
	return b
}

// setVector makes b a vector of data. It panics if the vector does not fit data or its blocks overlap.
func setVector[T any](b *buffer, r *Rank, data []T, v Vector) {
	setBuffer(b, r, data)
	switch {
	case v.Count < 0 || v.Block < 0:
		panic(fmt.Sprintf("vector of %d blocks of %d elements", v.Count, v.Block))
	case v.Stride < v.Block && v.Count > 1:
		panic(fmt.Sprintf("vector of %d blocks of %d elements, %d apart: blocks must not overlap", v.Count, v.Block, v.Stride))
	case v.Count == 0 || v.Block == 0:
		v = Vector{1, 0, 0}
	case v.Block > len(data) || v.Count > 1 && v.Count-1 > (len(data)-v.Block)/v.Stride:
		panic(fmt.Sprintf("vector of %d blocks of %d elements, %d apart, does not fit %d elements", v.Count, v.Block, v.Stride, len(data)))
	case v.Count == 1 || v.Stride == v.Block:
		v = Vector{1, v.Count * v.Block, v.Count * v.Block}
	}
	b.layout = v
}

// elements returns the number of elements in all blocks.
func (b *buffer) elements() int { return b.layout.Count * b.layout.Block }

// bytes returns the length of the message in bytes.
func (b *buffer) bytes() int { return b.elements() * b.size }

// clone returns a contiguous copy, and the memory of the copy: room if that is large enough, else new memory.
func (b *buffer) clone(room []byte) (buffer, []byte) {
	n := b.elements()
	c := buffer{elem: b.elem, size: b.size, layout: Vector{1, n, n}}
	if b.layout.Count == 1 { // append does not clear the memory that it fills
		room = append(room[:0], b.span(0, n)...)
		c.base = unsafe.Pointer(unsafe.SliceData(room))
		return c, room
	}
	room = slices.Grow(room[:0], b.bytes())
	c.base = unsafe.Pointer(unsafe.SliceData(room))
	copyElements(&c, b, n)
	return c, room
}

// elementsText returns "1 element" or "n elements".
func elementsText(n int) string {
	if n == 1 {
		return "1 element"
	}
	return fmt.Sprintf("%d elements", n)
}

// span returns the bytes of n elements, starting at element at of the memory.
func (b *buffer) span(at, n int) []byte {
	if n*b.size == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Add(b.base, at*b.size)), n*b.size)
}

// copyElements copies the first n elements of src to dst. Each has its own layout. It copies one contiguous piece
// at a time.
func copyElements(dst, src *buffer, n int) {
	if dst.layout.Count == 1 && src.layout.Count == 1 {
		copy(dst.span(0, n), src.span(0, n))
		return
	}
	d, s := layoutCursor{v: dst.layout}, layoutCursor{v: src.layout}
	for n > 0 {
		k := min(n, d.left(), s.left())
		copy(dst.span(d.at(), k), src.span(s.at(), k))
		d.skip(k)
		s.skip(k)
		n -= k
	}
}

// layoutCursor is a position in a layout.
type layoutCursor struct {
	v             Vector
	block, offset int
}

func (r *layoutCursor) at() int   { return r.block*r.v.Stride + r.offset }
func (r *layoutCursor) left() int { return r.v.Block - r.offset }

func (r *layoutCursor) skip(n int) {
	if r.offset += n; r.offset == r.v.Block {
		r.block, r.offset = r.block+1, 0
	}
}

// checkElements panics if a message cannot carry elements of type t. A pointer means nothing to the receiver,
// because messages assume that ranks share no memory.
func (r *Rank) checkElements(t reflect.Type) {
	if holdsPointers(t) {
		panic(fmt.Sprintf("a message cannot carry elements of type %s, which hold pointers", t))
	}
	r.checkedType = t
}

func holdsPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && holdsPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return t.Kind() > reflect.Complex128
}
