package spmd

import (
	"fmt"
	"sync"
	"unsafe"

	"spoor/traces/trace"
)

// The virtual address space: shared arrays from sharedBase up in the order of
// their first use; the private arrays of rank p from privateBase +
// p*privateStride up; what rank p allocates while it runs from heapBase +
// p*privateStride up, in the order of allocation; memory that nobody made known
// from unknownBase up. Every array starts on a page. The strides between ranks are
// a page more than a power of two, so that the same array of two ranks does not
// fall on the same sets of a cache they share. All of it lies below 2^47.
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

// Region is where a named array lies.
type Region = trace.Region

// space places arrays. Ranks of the native backend use it concurrently; there the
// order of addresses is of no consequence.
type space struct {
	mu      sync.Mutex
	next    map[int]uint64 // first free address, by owner
	index   map[regionKey]int
	data    []unsafe.Pointer // of each region; held so that its heap address stays taken
	regions []Region
	made    map[string]any // slices of Alloc by name
	atlas   *atlas         // where heap addresses are; nil unless recording
	heap    []uint64       // bytes that each rank has allocated
}

type regionKey struct {
	owner int
	name  string
}

// newRecordedSpace is a space that knows heap addresses.
func newRecordedSpace(opt Options) *space {
	s := newSpace()
	s.atlas, s.heap = newAtlas(opt.Unplaced), make([]uint64, opt.Procs)
	return s
}

func newSpace() *space {
	return &space{next: map[int]uint64{}, index: map[regionKey]int{}, made: map[string]any{}}
}

// place returns the virtual address of the array called name, which is new
// or was placed before with the same data. It panics if the name stands
// for other data: the program is wrong.
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
	if s.atlas != nil {
		s.atlas.insert(span{uint64(uintptr(data)), bytes, base})
	}
	return base
}

// remedy is what a program should do in place of giving one name to several arrays of owner.
func remedy(owner int) string {
	if owner == shared {
		return "every rank passes the same slice to Shared: make it once, before spmd.Main, or call Alloc, which does"
	}
	return "each array of a rank has a name of its own"
}

// allocated gives memory that a rank allocated its place. A rank that has used up
// its addresses begins anew.
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
	s.atlas.insert(span{uint64(uintptr(p)), bytes, heapBase + uint64(rank)*privateStride + at})
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

// virtual is where the memory at p lies; false if nobody made it known.
func (s *space) virtual(p unsafe.Pointer) (uint64, bool) {
	return s.atlas.translate(uint64(uintptr(p)))
}

// once is what make returned the first time the name was asked for.
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
