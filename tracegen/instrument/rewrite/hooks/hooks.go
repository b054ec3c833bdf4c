// Package hooks records what single statements of instrumented code do to more
// memory than a word of the tape can tell, or to memory that only exists afterwards.
// Code that uses its own copy of the tape's cursor closes it before.
package hooks

import (
	"unsafe"

	"spoor/tracegen/tape"
)

// None is no instructions.
const None uint64 = 0

// Work writes the word of n instructions without a reference.
func Work(base unsafe.Pointer, off uintptr, n uint64) { tape.Put(base, off, nil, n) }

// Sized records a reference of size bytes at the local cursor, and returns where
// the next goes. It is for generic code: size is a constant in each instance.
func Sized(t *tape.Tape, base unsafe.Pointer, off uintptr, p unsafe.Pointer, size uintptr, store bool) uintptr {
	if size-1 < tape.MaxSize {
		tape.Put(base, off, p, tape.Kind(store, size))
		return off + 8
	}
	return wide(t, off, p, size, store)
}

//go:noinline
func wide(t *tape.Tape, off uintptr, p unsafe.Pointer, size uintptr, store bool) uintptr {
	t.Close(off)
	t.Range(p, size, store)
	return t.Off()
}

// Byte is where byte i of a string lies.
func Byte[S ~string, I integer](s S, i I) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.StringData(string(s))), i)
}

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// Copy is copy(dst, src), recorded as a load and a store of what is copied.
func Copy[D ~[]T, S ~[]T, T any](t *tape.Tape, dst D, src S) int {
	return tape.Copy(t, []T(dst), []T(src))
}

// CopyString is copy(dst, src) of the bytes of a string.
func CopyString[D ~[]byte, S ~string](t *tape.Tape, dst D, src S) int {
	n := uintptr(min(len(dst), len(src)))
	t.Range(unsafe.Pointer(unsafe.StringData(string(src))), n, false)
	t.Range(unsafe.Pointer(unsafe.SliceData(dst)), n, true)
	return copy(dst, src)
}

// Append records that appending to old made it grown: the new elements are stored,
// and all old ones are copied if the array is a new one. It returns grown.
func Append[S ~[]T, T any](t *tape.Tape, old, grown S) S {
	size := unsafe.Sizeof(*new(T))
	from, to := unsafe.Pointer(unsafe.SliceData(old)), unsafe.Pointer(unsafe.SliceData(grown))
	if from != to && cap(grown) > 0 {
		tape.Made(t, []T(grown))
		t.Range(from, size*uintptr(len(old)), false)
		t.Range(to, size*uintptr(len(old)), true)
	}
	if len(grown) > len(old) {
		store(t, unsafe.Add(to, size*uintptr(len(old))), size*uintptr(len(grown)-len(old)))
	}
	return grown
}

// store records a store of bytes bytes, by one word if they fit.
func store(t *tape.Tape, p unsafe.Pointer, bytes uintptr) {
	if bytes-1 >= tape.MaxSize {
		t.Range(p, bytes, true)
		return
	}
	t.Room()
	base, off, _ := t.Open()
	tape.Put(base, off, p, tape.Kind(true, bytes))
	t.Close(off + 8)
}

// Clear records that all elements of s are set to zero.
func Clear[S ~[]T, T any](t *tape.Tape, s S) S {
	t.Range(unsafe.Pointer(unsafe.SliceData(s)), unsafe.Sizeof(*new(T))*uintptr(len(s)), true)
	return s
}

// Made gives the array of a slice that was just allocated its place.
func Made[S ~[]T, T any](t *tape.Tape, s S) S {
	tape.Made(t, []T(s))
	return s
}

// Listed is Made for a slice literal, whose elements have been stored.
func Listed[S ~[]T, T any](t *tape.Tape, s S) S {
	tape.Made(t, []T(s))
	t.Range(unsafe.Pointer(unsafe.SliceData(s)), unsafe.Sizeof(*new(T))*uintptr(len(s)), true)
	return s
}

// Elements records a load of all elements of s, as a conversion to a string does.
func Elements[S ~[]T, T any](t *tape.Tape, s S) S {
	t.Range(unsafe.Pointer(unsafe.SliceData(s)), unsafe.Sizeof(*new(T))*uintptr(len(s)), false)
	return s
}

// Bytes records a load of all bytes of s, as a conversion to a slice does.
func Bytes[S ~string](t *tape.Tape, s S) S {
	t.Range(unsafe.Pointer(unsafe.StringData(string(s))), uintptr(len(s)), false)
	return s
}

// New gives a variable that was just allocated its place.
func New[T any](t *tape.Tape, p *T) *T {
	if unsafe.Sizeof(*p) > 0 {
		tape.Fresh(t, p)
	}
	return p
}

// Text gives the bytes of a string that was just made their place, and records
// that they were stored.
func Text[S ~string](t *tape.Tape, s S) S {
	bytes := unsafe.Slice(unsafe.StringData(string(s)), len(s))
	Listed(t, bytes)
	return s
}
