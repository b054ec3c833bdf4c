package spmd

import (
	"fmt"
	"unsafe"

	"spoor/traces/trace"
)

// variables are flags or locks with consecutive numbers whose words are elements of a shared array.
type variables struct {
	kind   trace.Kind // WaitFlag or Lock
	first  int32
	count  int32
	base   unsafe.Pointer
	stride uintptr
}

// Flags says that the word of flag first+i is in element i of a shared array. The events of waits for it then have
// the address of the word, at which a waiting processor looks. A rank places the array before it waits.
func Flags[T any](r *Rank, first int32, words []T) {
	place(r, trace.WaitFlag, first, words, 1)
}

// Locks is [Flags] for locks. The word of lock first+i is in element i*each.
func Locks[T any](r *Rank, first int32, words []T, each int) {
	place(r, trace.Lock, first, words, each)
}

// place is not inlined, because the instructions of programs are counted.
//
//go:noinline
func place[T any](r *Rank, kind trace.Kind, first int32, words []T, each int) {
	if each < 1 {
		panic(fmt.Sprintf("the words of locks are %d elements apart", each))
	}
	r.variables = append(r.variables, variables{kind, first, int32((len(words) + each - 1) / each),
		unsafe.Pointer(unsafe.SliceData(words)), uintptr(each) * unsafe.Sizeof(*new(T))})
}

// wordOf returns the virtual address of the word of a flag or lock, or 0 if it is not known.
func (r *Rank) wordOf(kind trace.Kind, object int32) int64 {
	for i := range r.variables {
		v := &r.variables[i]
		if v.kind == kind && object >= v.first && object-v.first < v.count {
			if addr, ok := r.space.Virtual(unsafe.Add(v.base, uintptr(object-v.first)*v.stride)); ok {
				return int64(addr)
			}
		}
	}
	return 0
}
