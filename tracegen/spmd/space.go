package spmd

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
	pageSize      = 1 << 12
	sharedBase    = 1 << 28
	unknownBase   = 1 << 43
	heapBase      = 1 << 44
	privateBase   = 1 << 46
	privateSpan   = 1 << 33
	privateStride = privateSpan + pageSize
)

// shared is the owner of arrays that belong to all ranks.
const shared = int(trace.Everyone)

// Region is the address range of a named array.
type Region = trace.Region

// space places arrays. Ranks of the native backend use it concurrently; there the order of addresses does not
// matter.
type space struct {
	mu        sync.Mutex
	next      map[int]uint64 // first free address, by owner
	index     map[regionKey]int
	data      []unsafe.Pointer // of each region; held so that the garbage collector does not reuse its address
	regions   []Region
	made      map[string]any // slices of Alloc by name
	addresses *addressMap    // maps heap addresses; nil unless recording
	heap      []uint64       // bytes of addresses that each rank has used
}

type regionKey struct {
	owner int
	name  string
}

// newRecordedSpace returns a space that maps heap addresses.
func newRecordedSpace(opt Options) *space {
	s := newSpace()
	s.addresses, s.heap = newAddressMap(opt.Unplaced), make([]uint64, opt.Procs)
	return s
}

func newSpace() *space {
	return &space{next: map[int]uint64{}, index: map[regionKey]int{}, made: map[string]any{}}
}

// place returns the virtual address of a named array. The array is new or was placed before with the same data.
// place panics if the name was used for other data, which is a mistake of the program.
func (s *space) place(owner int, name string, data unsafe.Pointer, bytes uint64, home Home) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := regionKey{owner, name}
	if i, ok := s.index[key]; ok {
		if s.data[i] != data || s.regions[i].Bytes != bytes {
			panic(fmt.Sprintf("array %q was placed before with other data; %s", name, remedy(owner)))
		}
		return s.regions[i].Base
	}
	base, limit := s.bounds(owner)
	if free, ok := s.next[owner]; ok {
		base = free
	}
	room := max(bytes+pageSize-1, pageSize) &^ (pageSize - 1)
	if room < bytes || room > limit-base {
		panic(fmt.Sprintf("array %q of %d bytes does not fit the address space", name, bytes))
	}
	s.next[owner] = base + room
	s.index[key] = len(s.regions)
	s.data = append(s.data, data)
	s.regions = append(s.regions, Region{Name: name, Owner: trace.Proc(owner), Base: base, Bytes: bytes, Home: home})
	if s.addresses != nil {
		s.addresses.insert(span{uint64(uintptr(data)), bytes, base})
	}
	return base
}

// remedy tells the author of a program how to avoid one name for several arrays of owner.
func remedy(owner int) string {
	if owner == shared {
		return "every rank passes the same slice to Shared: make it once, before spmd.Main, or call Alloc, which does"
	}
	return "each array of a rank has a name of its own"
}

// allocated gives addresses to memory that a rank allocated. A rank that has used up its address range starts
// again.
func (s *space) allocated(rank int, p unsafe.Pointer, bytes uint64) {
	align := uint64(allocAlign)
	if bytes >= pageSize {
		align = pageSize
	}
	at := (s.heap[rank] + align - 1) &^ (align - 1)
	if bytes > privateSpan-at {
		at = 0
	}
	s.heap[rank] = at + bytes
	s.addresses.insert(span{uint64(uintptr(p)), bytes, heapBase + uint64(rank)*privateStride + at})
}

// allocAlign is the alignment of small allocations.
const allocAlign = 16

func (s *space) bounds(owner int) (base, limit uint64) {
	if owner == shared {
		return sharedBase, unknownBase
	}
	base = privateBase + uint64(owner)*privateStride
	return base, base + privateSpan
}

// virtual returns the virtual address of p, or false if its memory is unknown.
func (s *space) virtual(p unsafe.Pointer) (uint64, bool) {
	return s.addresses.translate(uint64(uintptr(p)))
}

// once returns the result of make from the first call with this name.
func (s *space) once(name string, make func() any) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	made, ok := s.made[name]
	if !ok {
		made = make()
		s.made[name] = made
	}
	return made
}
