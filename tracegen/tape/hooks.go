package tape

import "unsafe"

// The functions of this file record references that one word cannot hold, or to memory that exists only after the
// statement. Instrumented code that uses a local copy of the cursor closes it before it calls one.

// None is zero instructions.
const None uint64 = 0

// Work writes the word of n instructions without a reference.
func Work(base unsafe.Pointer, off uintptr, n uint64) { Put(base, off, nil, n) }

// Sized records a reference of size bytes at the local cursor, and returns the offset of the next word. It is for
// generic code: size is a constant in each instance.
func Sized(t *Tape, base unsafe.Pointer, off uintptr, p unsafe.Pointer, size uintptr, store bool) uintptr {
	if size-1 < maxSize {
		Put(base, off, p, Kind(store, size))
		return off + 8
	}
	return putWide(t, off, p, size, store)
}

//go:noinline
func putWide(t *Tape, off uintptr, p unsafe.Pointer, size uintptr, store bool) uintptr {
	t.Close(off)
	t.Range(p, size, store)
	return t.Off()
}

// Byte returns the address of byte i of a string.
func Byte[S ~string, I integer](s S, i I) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.StringData(string(s))), i)
}

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// Copy is copy(dst, src), recorded as a load and a store of the copied elements.
func Copy[D ~[]T, S ~[]T, T any](t *Tape, dst D, src S) int {
	n := min(len(dst), len(src))
	bytes := uintptr(n) * unsafe.Sizeof(*new(T))
	t.Range(unsafe.Pointer(unsafe.SliceData(src)), bytes, false)
	t.Range(unsafe.Pointer(unsafe.SliceData(dst)), bytes, true)
	return copy(dst, src)
}

// CopyString is copy(dst, src) for the bytes of a string.
func CopyString[D ~[]byte, S ~string](t *Tape, dst D, src S) int {
	n := uintptr(min(len(dst), len(src)))
	t.Range(unsafe.Pointer(unsafe.StringData(string(src))), n, false)
	t.Range(unsafe.Pointer(unsafe.SliceData(dst)), n, true)
	return copy(dst, src)
}

// Append records an append to old with result grown, and returns grown. It records a store of the new elements. If
// the array is new, it also records a copy of the old elements.
func Append[S ~[]T, T any](t *Tape, old, grown S) S {
	size := unsafe.Sizeof(*new(T))
	from, to := unsafe.Pointer(unsafe.SliceData(old)), unsafe.Pointer(unsafe.SliceData(grown))
	if from != to && cap(grown) > 0 {
		Made(t, grown)
		t.Range(from, size*uintptr(len(old)), false)
		t.Range(to, size*uintptr(len(old)), true)
	}
	if len(grown) > len(old) {
		putStored(t, unsafe.Add(to, size*uintptr(len(old))), size*uintptr(len(grown)-len(old)))
	}
	return grown
}

// putStored records a store of the given number of bytes, as one word if they fit.
func putStored(t *Tape, p unsafe.Pointer, bytes uintptr) {
	if bytes-1 >= maxSize {
		t.Range(p, bytes, true)
		return
	}
	t.Room()
	base, off, _ := t.Open()
	Put(base, off, p, Kind(true, bytes))
	t.Close(off + 8)
}

// Clear records that all elements of s are set to zero.
func Clear[S ~[]T, T any](t *Tape, s S) S {
	t.Range(unsafe.Pointer(unsafe.SliceData(s)), unsafe.Sizeof(*new(T))*uintptr(len(s)), true)
	return s
}

// Made gives an address to the array of a slice that was just allocated.
func Made[S ~[]T, T any](t *Tape, s S) S {
	if t.place != nil {
		t.Drain()
		t.place(unsafe.Pointer(unsafe.SliceData(s)), uint64(cap(s))*uint64(unsafe.Sizeof(*new(T))))
	}
	return s
}

// Listed is Made for a slice literal. It also records a store of the elements.
func Listed[S ~[]T, T any](t *Tape, s S) S {
	Made(t, s)
	t.Range(unsafe.Pointer(unsafe.SliceData(s)), unsafe.Sizeof(*new(T))*uintptr(len(s)), true)
	return s
}

// Elements records a load of all elements of s, as in a conversion to a string.
func Elements[S ~[]T, T any](t *Tape, s S) S {
	t.Range(unsafe.Pointer(unsafe.SliceData(s)), unsafe.Sizeof(*new(T))*uintptr(len(s)), false)
	return s
}

// Bytes records a load of all bytes of s, as in a conversion to a slice.
func Bytes[S ~string](t *Tape, s S) S {
	t.Range(unsafe.Pointer(unsafe.StringData(string(s))), uintptr(len(s)), false)
	return s
}

// New gives an address to a variable that was just allocated.
func New[T any](t *Tape, p *T) *T {
	if unsafe.Sizeof(*p) > 0 {
		Fresh(t, p)
	}
	return p
}

// Text gives an address to the bytes of a string that was just made, and records a store of them.
func Text[S ~string](t *Tape, s S) S {
	bytes := unsafe.Slice(unsafe.StringData(string(s)), len(s))
	Listed(t, bytes)
	return s
}

// Shape returns a number of the size and the kind of T: 32 times the size, plus reflect.Kind. It costs three loads.
func Shape[T any]() uint64 {
	var p any = (*T)(nil)
	pointer := *(*unsafe.Pointer)(unsafe.Pointer(&p))
	elem := *(*unsafe.Pointer)(unsafe.Add(pointer, elemOffset))
	return uint64(unsafe.Sizeof(*new(T)))<<5 + uint64(*(*uint8)(unsafe.Add(elem, kindOffset))&kindMask)
}

// Places in the type descriptors of package internal/abi: field Kind_ of Type, and field Elem of PtrType. The first
// five bits of the kind are reflect.Kind.
const (
	kindOffset = 2*unsafe.Sizeof(uintptr(0)) + 7
	elemOffset = 4*unsafe.Sizeof(uintptr(0)) + 16
	kindMask   = 1<<5 - 1
)

// Cost returns the instructions of a routine in assembly for n elements, from pairs of a length and a cost. Between and
// beyond two lengths the cost is linear. One pair is the cost of any length.
func Cost(points [][2]int64, n int) uint64 {
	i := 1
	for i < len(points)-1 && int64(n) > points[i][0] {
		i++
	}
	if len(points) == 1 || int64(n) <= points[0][0] {
		return uint64(points[0][1])
	}
	a, b := points[i-1], points[i]
	return uint64(a[1] + (b[1]-a[1])*(int64(n)-a[0])/(b[0]-a[0]))
}

// Moved counts the instructions of a routine in assembly for the bytes of n elements of s.
func Moved[S ~[]T, T any](t *Tape, points [][2]int64, s S, n int) {
	if n > 0 {
		t.N += Cost(points, n*int(unsafe.Sizeof(*new(T))))
	}
}

// Shorter returns the shorter of two lengths. A package may have a function min of its own.
func Shorter(a, b int) int { return min(a, b) }

// Scanned returns how many of n elements a search has looked at that returned an index, or -1.
func Scanned(n, index int) int {
	if index >= 0 {
		return min(index+1, n)
	}
	return n
}

// Common returns the number of equal bytes at the start of a and b, and one more for a difference.
func Common[S ~string | ~[]byte](a, b S) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i + 1
		}
	}
	return n
}
