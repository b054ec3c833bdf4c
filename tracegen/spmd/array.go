package spmd

import (
	"reflect"
	"unsafe"

	"spoor/traces/trace"
)

// Element is what an Array may hold.
type Element interface {
	~float64 | ~float32 | ~complex128 | ~complex64 |
		~int | ~int64 | ~int32 | ~int16 | ~int8 |
		~uint | ~uint64 | ~uint32 | ~uint16 | ~uint8 | ~uintptr
}

// Array is one rank's access to a slice that has a place in the virtual address
// space. It is small and passed by value.
//
// It has four words because the compiler keeps a struct of at most four words in
// registers.
type Array[T Element] struct {
	data []T
	view *view // nil unless recording
}

// view is how one rank sees one named array while recording.
type view struct {
	rec   *recorder
	delta uint64 // virtual address minus heap address
	size  uint16 // bytes of one reference
	parts int    // references of one element: 2 for complex numbers
}

// SharedArray gives this rank access to a slice that all ranks share under a name.
// Every rank passes the same slice.
func SharedArray[T Element](r *Rank, name string, data []T) Array[T] {
	return place(r, shared, name, data)
}

// PrivateArray gives this rank access to a slice of its own; every rank may have one
// of that name.
func PrivateArray[T Element](r *Rank, name string, data []T) Array[T] {
	return place(r, r.id, name, data)
}

func place[T Element](r *Rank, owner int, name string, data []T) Array[T] {
	element := reflect.TypeFor[T]()
	size, parts := element.Size(), 1
	if k := element.Kind(); k == reflect.Complex64 || k == reflect.Complex128 {
		size, parts = size/2, 2
	}
	heap := unsafe.Pointer(unsafe.SliceData(data))
	base := r.space.place(owner, name, heap, uint64(len(data))*uint64(element.Size()), Home{})
	a := Array[T]{data: data}
	if r.rec != nil {
		a.view = &view{rec: r.rec, delta: base - uint64(uintptr(heap)), size: uint16(size), parts: parts}
	}
	return a
}

// Len is the number of elements.
func (a Array[T]) Len() int { return len(a.data) }

// At loads element i.
func (a Array[T]) At(i int) T {
	p := &a.data[i]
	if a.view != nil {
		a.view.touch(unsafe.Pointer(p), trace.Load)
	}
	return *p
}

// Set stores v in element i.
func (a Array[T]) Set(i int, v T) {
	p := &a.data[i]
	if a.view != nil {
		a.view.touch(unsafe.Pointer(p), trace.Store)
	}
	*p = v
}

// Slice is elements lo..hi-1; it touches no memory.
func (a Array[T]) Slice(lo, hi int) Array[T] { return Array[T]{a.data[lo:hi], a.view} }

// touch records the references of one element. The heap does not move, so
// that the distance between heap and virtual address is one number for an array.
//
//go:noinline
func (v *view) touch(p unsafe.Pointer, op trace.Op) {
	addr := uint64(uintptr(p)) + v.delta
	v.rec.add(addr, v.size, op)
	if v.parts == 2 {
		v.rec.add(addr+uint64(v.size), v.size, op)
	}
}
