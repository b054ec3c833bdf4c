package spmd

import (
	"fmt"
	"unsafe"

	"spoor/traces/trace"
)

// Shared places data, which all ranks share, under a name in the virtual address
// space, and returns it. Every rank passes the same slice. In a recording the
// addresses of its elements are those of that place, wherever the heap put it.
func Shared[T any](r *Rank, name string, data []T, home ...Home) []T {
	placeSlice(r, shared, name, data, home)
	return data
}

// Private places data that this rank alone uses; every rank may have an array of
// that name.
func Private[T any](r *Rank, name string, data []T) []T {
	placeSlice(r, r.id, name, data, nil)
	return data
}

// Alloc is a shared array of n zeroes: the first rank that asks for the name makes
// it, and all get the same.
func Alloc[T any](r *Rank, name string, n int, home ...Home) []T {
	made := r.space.once(name, func() any { return make([]T, n) })
	data, ok := made.([]T)
	if !ok || len(data) != n {
		panic(fmt.Sprintf("array %q was made before as another %T", name, made))
	}
	return Shared(r, name, data, home...)
}

// placeSlice is kept out of programs, whose instructions are counted.
//
//go:noinline
func placeSlice[T any](r *Rank, owner int, name string, data []T, home []Home) {
	var h Home
	if len(home) > 0 {
		h = home[0]
	}
	if r.rec != nil {
		r.rec.sync() // what came before concerns memory that had no place
	}
	heap := unsafe.Pointer(unsafe.SliceData(data))
	r.space.place(owner, name, heap, uint64(len(data))*uint64(unsafe.Sizeof(*new(T))), h)
}

// Home says which rank's memory holds which part of a shared array, on machines
// whose memory is distributed. The zero Home leaves it to the machine.
type Home = trace.Home

// Blocked deals an array in contiguous parts of equal size, one for each rank.
func Blocked() Home { return Home{Kind: trace.BlockHome} }

// Cyclic deals an array in turn, bytes at a time.
func Cyclic(bytes uint64) Home { return Home{Kind: trace.CyclicHome, Bytes: bytes} }

// Homes deals an array in contiguous parts of equal size, the i-th to ranks[i].
func Homes(ranks ...int) Home {
	h := Home{Kind: trace.ExplicitHome}
	for _, r := range ranks {
		h.Procs = append(h.Procs, trace.Proc(r))
	}
	return h
}
