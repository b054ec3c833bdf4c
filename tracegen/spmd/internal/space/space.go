// Package space has the virtual addresses of arrays and of other memory.
package space

import (
	"fmt"
	"sync"
	"unsafe"

	"spoor/traces/trace"
)

// The virtual address space has four parts. Each holds arrays in the order given.
//
//   - From sharedBase: shared arrays, in the order of their first use.
//   - From privateBase + p*privateStride: private arrays of rank p, in the order of their first use.
//   - From heapBase + p*privateStride: memory that rank p allocates while it runs, in the order of allocation.
//   - From unknownBase: pages of unknown memory, in the order of their first use.
//
// Every named array starts on a page. The stride between ranks is a power of two plus a page. Otherwise the same
// array of two ranks would map to the same sets of a shared cache. All addresses are below 2^47.
const (
	PageSize      = 1 << 12
	SharedBase    = 1 << 28
	UnknownBase   = 1 << 43
	HeapBase      = 1 << 44
	PrivateBase   = 1 << 46
	privateSpan   = 1 << 33
	PrivateStride = privateSpan + PageSize
)

// Shared is the owner of arrays that belong to all ranks.
const Shared = int(trace.Everyone)

// Space places arrays. Ranks of the native backend use it concurrently; there the order of addresses does not
// matter.
type Space struct {
	mu        sync.Mutex
	next      map[int]uint64 // first free address, by owner
	index     map[regionKey]int
	data      []unsafe.Pointer // of each region; held so that the garbage collector does not reuse its address
	Regions   []trace.Region
	made      map[string]any // slices of Alloc by name
	Addresses *AddressMap    // maps heap addresses; nil unless recording
	heap      []uint64       // bytes of addresses that each rank has used
}

type regionKey struct {
	owner int
	name  string
}

// NewRecorded returns a space that maps heap addresses.
func NewRecorded(procs int, unplaced bool) *Space {
	s := New()
	s.Addresses, s.heap = newAddressMap(unplaced), make([]uint64, procs)
	return s
}

// New returns a space that maps no heap addresses.
func New() *Space {
	return &Space{next: map[int]uint64{}, index: map[regionKey]int{}, made: map[string]any{}}
}

// Place returns the virtual address of a named array. The array is new or was placed before with the same data.
// place panics if the name was used for other data, which is a mistake of the program.
func (s *Space) Place(owner int, name string, data unsafe.Pointer, bytes uint64, home trace.Home) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := regionKey{owner, name}
	if i, ok := s.index[key]; ok {
		if s.data[i] != data || s.Regions[i].Bytes != bytes {
			panic(fmt.Sprintf("array %q was placed before with other data; %s", name, remedy(owner)))
		}
		return s.Regions[i].Base
	}
	base, limit := s.bounds(owner)
	if free, ok := s.next[owner]; ok {
		base = free
	}
	room := max(bytes+PageSize-1, PageSize) &^ (PageSize - 1)
	if room < bytes || room > limit-base {
		panic(fmt.Sprintf("array %q of %d bytes does not fit the address space", name, bytes))
	}
	s.next[owner] = base + room
	s.index[key] = len(s.Regions)
	s.data = append(s.data, data)
	s.Regions = append(s.Regions, trace.Region{Name: name, Owner: trace.Proc(owner), Base: base, Bytes: bytes, Home: home})
	if s.Addresses != nil {
		s.Addresses.insert(span{uint64(uintptr(data)), bytes, base})
	}
	return base
}

// remedy tells the author of a program how to avoid one name for several arrays of owner.
func remedy(owner int) string {
	if owner == Shared {
		return "every rank passes the same slice to Shared: make it once, before spmd.Main, or call Alloc, which does"
	}
	return "each array of a rank has a name of its own"
}

// Allocated gives addresses to memory that a rank allocated. A rank that has used up its address range starts
// again.
func (s *Space) Allocated(rank int, p unsafe.Pointer, bytes uint64) {
	align := uint64(allocAlign)
	if bytes >= PageSize {
		align = PageSize
	}
	at := (s.heap[rank] + align - 1) &^ (align - 1)
	if bytes > privateSpan-at {
		at = 0
	}
	s.heap[rank] = at + bytes
	s.Addresses.insert(span{uint64(uintptr(p)), bytes, HeapBase + uint64(rank)*PrivateStride + at})
}

// allocAlign is the alignment of small allocations.
const allocAlign = 16

func (s *Space) bounds(owner int) (base, limit uint64) {
	if owner == Shared {
		return SharedBase, UnknownBase
	}
	base = PrivateBase + uint64(owner)*PrivateStride
	return base, base + privateSpan
}

// Virtual returns the virtual address of p, or false if its memory is unknown.
func (s *Space) Virtual(p unsafe.Pointer) (uint64, bool) {
	s.mu.Lock() // ranks may run at the same time
	defer s.mu.Unlock()
	return s.Addresses.Translate(uint64(uintptr(p)))
}

// Once returns the result of make from the first call with this name.
func (s *Space) Once(name string, make func() any) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	made, ok := s.made[name]
	if !ok {
		made = make()
		s.made[name] = made
	}
	return made
}
