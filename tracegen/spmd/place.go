package spmd

import (
	"fmt"
	"unsafe"

	"spoor/tracegen/spmd/internal/space"
	"spoor/traces/trace"
)

// Shared places data, which all ranks share, in the virtual address space under a name, and returns data. Every
// rank passes the same slice. A recording has the virtual addresses of its elements, which do not depend on the Go
// heap.
func Shared[T any](r *Rank, name string, data []T, home ...Home) []T {
	placeSlice(r, space.Shared, name, data, home)
	return data
}

// Private places data that only this rank uses. Every rank may have an array with the same name.
func Private[T any](r *Rank, name string, data []T) []T {
	placeSlice(r, r.id, name, data, nil)
	return data
}

// Alloc returns a shared array of n zeroes. The first rank that asks for the name makes the array; all get the same
// one.
func Alloc[T any](r *Rank, name string, n int, home ...Home) []T {
	made := r.space.Once(name, func() any { return make([]T, n) })
	data, ok := made.([]T)
	if !ok || len(data) != n {
		panic(fmt.Sprintf("array %q was made before as another %T", name, made))
	}
	return Shared(r, name, data, home...)
}

// placeSlice is not inlined, because the instructions of programs are counted.
//
//go:noinline
func placeSlice[T any](r *Rank, owner int, name string, data []T, home []Home) {
	var h Home
	if len(home) > 0 {
		h = home[0]
	}
	if r.rec != nil {
		r.rec.sync() // earlier references are to memory that had no place
	}
	heap := unsafe.Pointer(unsafe.SliceData(data))
	r.space.Place(owner, name, heap, uint64(len(data))*uint64(unsafe.Sizeof(*new(T))), h)
}

// Home says which rank's memory holds which part of a shared array, on machines with distributed memory. With the
// zero Home the machine decides.
type Home = trace.Home

// Blocked divides an array into contiguous parts of equal size, one for each rank.
func Blocked() Home { return Home{Kind: trace.BlockHome} }

// Cyclic distributes an array over the ranks in turn, bytes at a time.
func Cyclic(bytes uint64) Home { return Home{Kind: trace.CyclicHome, Bytes: bytes} }

// Homes divides an array into contiguous parts of equal size. Part i is in the memory of ranks[i].
func Homes(ranks ...int) Home {
	h := Home{Kind: trace.ExplicitHome}
	for _, r := range ranks {
		h.Procs = append(h.Procs, trace.Proc(r))
	}
	return h
}

// addressSpace gives places to named arrays.
type addressSpace = space.Space

// Region is the address range of a named array.
type Region = trace.Region
