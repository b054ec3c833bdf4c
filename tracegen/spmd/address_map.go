package spmd

import (
	"iter"
	"slices"
	"sort"
)

// addressMap translates heap addresses to virtual ones. It holds spans that do not overlap. A new span replaces any
// span that it overlaps, because the older memory must have been freed. Unknown memory has no address, or its pages
// get virtual pages in the order of their first use.
type addressMap struct {
	pages        map[uint64][]span // spans that touch a heap page, by address
	recent       [recentSpans]span // the latest results, each at its page's slot
	mapUnknown   bool              // unknown memory has addresses too
	unknownPages map[uint64]uint64 // virtual page of each heap page that is at least partly unknown
}

// span maps heap addresses lo..lo+bytes-1 to virtual addresses from base. A base of unmapped means that they have
// none.
type span struct{ lo, bytes, base uint64 }

const (
	recentBits  = 8
	recentSpans = 1 << recentBits
	unmapped    = 0
)

// slot returns the index of a page in recent. Arrays of equal size, whose pages are a power of two apart, must not
// share a slot; hence the golden ratio.
func slot(page uint64) uint64 { return page * 0x9e3779b97f4a7c15 >> (64 - recentBits) }

func newAddressMap(all bool) *addressMap {
	return &addressMap{pages: map[uint64][]span{}, mapUnknown: all, unknownPages: map[uint64]uint64{}}
}

// insert adds a span.
func (a *addressMap) insert(s span) {
	if s.bytes == 0 {
		return
	}
	for page := range s.pages() {
		for _, o := range slices.Clone(a.pages[page]) {
			if o.lo < s.lo+s.bytes && s.lo < o.lo+o.bytes {
				a.remove(o)
			}
		}
		list := a.pages[page]
		at := sort.Search(len(list), func(i int) bool { return list[i].lo > s.lo })
		a.pages[page] = slices.Insert(list, at, s)
		a.recent[slot(page)] = span{} // it may hold the page as unknown
	}
}

// remove deletes a span.
func (a *addressMap) remove(s span) {
	for page := range s.pages() {
		a.pages[page] = slices.DeleteFunc(a.pages[page], func(o span) bool { return o == s })
		if near := &a.recent[slot(page)]; *near == s {
			*near = span{}
		}
	}
}

// pages yields the heap pages that a span touches.
func (s span) pages() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for page := s.lo / pageSize; page <= (s.lo+s.bytes-1)/pageSize && yield(page); page++ {
		}
	}
}

// translate returns the virtual address of a heap address, and whether it has one.
func (a *addressMap) translate(addr uint64) (uint64, bool) {
	s := &a.recent[slot(addr/pageSize)]
	if addr-s.lo >= s.bytes {
		*s = a.lookup(addr)
	}
	return addr - s.lo + s.base, s.base != unmapped
}

// lookup returns the span that contains a heap address, or the unknown gap around it.
func (a *addressMap) lookup(addr uint64) span {
	page := addr / pageSize
	list := a.pages[page]
	i := sort.Search(len(list), func(i int) bool { return list[i].lo > addr })
	if i > 0 && addr-list[i-1].lo < list[i-1].bytes {
		return list[i-1]
	}
	hole := span{page * pageSize, pageSize, unmapped}
	if a.mapUnknown {
		hole.base = a.unknownPage(page)
	}
	if i > 0 {
		end := list[i-1].lo + list[i-1].bytes
		hole = span{end, hole.lo + hole.bytes - end, hole.address(end)}
	}
	if i < len(list) {
		hole.bytes = list[i].lo - hole.lo
	}
	return hole
}

// address returns the virtual address of heap address lo, which is in the span.
func (s span) address(lo uint64) uint64 {
	if s.base == unmapped {
		return unmapped
	}
	return s.base + lo - s.lo
}

// unknownPage returns the start of the virtual page for an unknown heap page.
func (a *addressMap) unknownPage(page uint64) uint64 {
	virtual, ok := a.unknownPages[page]
	if !ok {
		virtual = unknownBase + uint64(len(a.unknownPages))*pageSize
		a.unknownPages[page] = virtual
	}
	return virtual
}
