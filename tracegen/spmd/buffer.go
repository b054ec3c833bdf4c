package spmd

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

// Vector is a layout of elements in a slice: Count blocks of Block elements, whose
// starts are Stride elements apart. A column of a row-major matrix of rows x cols
// elements is Vector{Count: rows, Block: 1, Stride: cols}, and b of its columns
// side by side are Vector{rows, b, cols}.
type Vector struct {
	Count, Block, Stride int
}

// buffer is the memory of a message: where the program has it, or a copy.
type buffer struct {
	base   unsafe.Pointer
	elem   reflect.Type
	size   int // bytes of an element
	layout Vector
}

// hold makes b the memory of data, for messages of r. It is written in place,
// because copies of buffers cost more than the rest of a short message.
func hold[T any](b *buffer, r *Rank, data []T) {
	b.base, b.elem, b.size = unsafe.Pointer(unsafe.SliceData(data)), reflect.TypeFor[T](), int(unsafe.Sizeof(*new(T)))
	b.layout.Count, b.layout.Block, b.layout.Stride = 1, len(data), len(data)
	if b.elem != r.carried {
		r.carry(b.elem)
	}
}

// contiguous is the memory of data.
func contiguous[T any](r *Rank, data []T) (b buffer) {
	hold(&b, r, data)
	return b
}

// holdVector makes b a vector of data; it panics if the vector reaches beyond data
// or its blocks overlap.
func holdVector[T any](b *buffer, r *Rank, data []T, v Vector) {
	hold(b, r, data)
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

// elements is how many there are in all blocks.
func (b *buffer) elements() int { return b.layout.Count * b.layout.Block }

// bytes is the length of the message that b holds.
func (b *buffer) bytes() int { return b.elements() * b.size }

// clone is a contiguous copy, in room if that is large enough and else in new memory, which it returns, too.
func (b *buffer) clone(room []byte) (buffer, []byte) {
	n := b.elements()
	c := buffer{elem: b.elem, size: b.size, layout: Vector{1, n, n}}
	if b.layout.Count == 1 { // append does not clear what it is about to fill
		room = append(room[:0], b.span(0, n)...)
		c.base = unsafe.Pointer(unsafe.SliceData(room))
		return c, room
	}
	room = slices.Grow(room[:0], b.bytes())
	c.base = unsafe.Pointer(unsafe.SliceData(room))
	copyElements(&c, b, n)
	return c, room
}

// plural is n elements in words.
func plural(n int) string {
	if n == 1 {
		return "1 element"
	}
	return fmt.Sprintf("%d elements", n)
}

// span is the bytes of n elements from the at-th of the memory.
func (b *buffer) span(at, n int) []byte {
	if n*b.size == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Add(b.base, at*b.size)), n*b.size)
}

// copyElements copies the first n elements of src to those of dst, each in its
// own layout, run by run.
func copyElements(dst, src *buffer, n int) {
	if dst.layout.Count == 1 && src.layout.Count == 1 {
		copy(dst.span(0, n), src.span(0, n))
		return
	}
	d, s := run{v: dst.layout}, run{v: src.layout}
	for n > 0 {
		k := min(n, d.left(), s.left())
		copy(dst.span(d.at(), k), src.span(s.at(), k))
		d.skip(k)
		s.skip(k)
		n -= k
	}
}

// run is a place in a layout.
type run struct {
	v             Vector
	block, offset int
}

func (r *run) at() int   { return r.block*r.v.Stride + r.offset }
func (r *run) left() int { return r.v.Block - r.offset }

func (r *run) skip(n int) {
	if r.offset += n; r.offset == r.v.Block {
		r.block, r.offset = r.block+1, 0
	}
}

// carry panics if a message cannot carry elements of type t: ranks have no memory
// in common as far as messages go, so a pointer means nothing to the receiver.
func (r *Rank) carry(t reflect.Type) {
	if holdsPointers(t) {
		panic(fmt.Sprintf("a message carries values: elements of type %s hold pointers", t))
	}
	r.carried = t
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
