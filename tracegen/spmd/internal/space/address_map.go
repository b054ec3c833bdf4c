package space

import (
	"iter"
	"slices"
	"sort"
)

// AddressMap translates heap addresses to virtual ones. It holds spans that do not overlap. A new span replaces any
// span that it overlaps, because the older memory must have been freed. Unknown memory has no address, or its pages
// get virtual pages in the order of their first use.
type AddressMap struct {
	pages        map[uint64][]span // spans that touch a heap page, by address
	Recent       [recentSpans]span // the latest results, each at its page's slot
	mapUnknown   bool              // unknown memory has addresses too
	unknownPages map[uint64]uint64 // virtual page of each heap page that is at least partly unknown
}

// span maps heap addresses lo..lo+bytes-1 to virtual addresses from base. A base of unmapped means that they have
// none.
type span struct{ Lo, Bytes, Base uint64 }

const (
	recentBits  = 8
	recentSpans = 1 << recentBits
	Unmapped    = 0 // the base of a span without addresses
)

// Slot returns the index of a page in recent. Arrays of equal size, whose pages are a power of two apart, must not
// share a slot; hence the golden ratio.
func Slot(page uint64) uint64 { return page * 0x9e3779b97f4a7c15 >> (64 - recentBits) }

func newAddressMap(all bool) *AddressMap {
	return &AddressMap{pages: map[uint64][]span{}, mapUnknown: all, unknownPages: map[uint64]uint64{}}
}

// insert adds a span.
func (a *AddressMap) insert(s span) {
	if s.Bytes == 0 {
		return
	}
	for page := range s.pages() {
		for _, o := range slices.Clone(a.pages[page]) {
			if o.Lo < s.Lo+s.Bytes && s.Lo < o.Lo+o.Bytes {
				a.remove(o)
			}
		}
		list := a.pages[page]
		at := sort.Search(len(list), func(i int) bool { return list[i].Lo > s.Lo })
		a.pages[page] = slices.Insert(list, at, s)
		a.Recent[Slot(page)] = span{} // it may hold the page as unknown
	}
}

// remove deletes a span.
func (a *AddressMap) remove(s span) {
	for page := range s.pages() {
		a.pages[page] = slices.DeleteFunc(a.pages[page], func(o span) bool { return o == s })
		if near := &a.Recent[Slot(page)]; *near == s {
			*near = span{}
		}
	}
}

// pages yields the heap pages that a span touches.
func (s span) pages() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for page := s.Lo / PageSize; page <= (s.Lo+s.Bytes-1)/PageSize && yield(page); page++ {
		}
	}
}

// Translate returns the virtual address of a heap address, and whether it has one.
func (a *AddressMap) Translate(addr uint64) (uint64, bool) {
	s := &a.Recent[Slot(addr/PageSize)]
	if addr-s.Lo >= s.Bytes {
		*s = a.lookup(addr)
	}
	return addr - s.Lo + s.Base, s.Base != Unmapped
}

// lookup returns the span that contains a heap address, or the unknown gap around it.
func (a *AddressMap) lookup(addr uint64) span {
	page := addr / PageSize
	list := a.pages[page]
	i := sort.Search(len(list), func(i int) bool { return list[i].Lo > addr })
	if i > 0 && addr-list[i-1].Lo < list[i-1].Bytes {
		return list[i-1]
	}
	hole := span{page * PageSize, PageSize, Unmapped}
	if a.mapUnknown {
		hole.Base = a.unknownPage(page)
	}
	if i > 0 {
		end := list[i-1].Lo + list[i-1].Bytes
		hole = span{end, hole.Lo + hole.Bytes - end, hole.address(end)}
	}
	if i < len(list) {
		hole.Bytes = list[i].Lo - hole.Lo
	}
	return hole
}

// address returns the virtual address of heap address lo, which is in the span.
func (s span) address(lo uint64) uint64 {
	if s.Base == Unmapped {
		return Unmapped
	}
	return s.Base + lo - s.Lo
}

// unknownPage returns the start of the virtual page for an unknown heap page.
func (a *AddressMap) unknownPage(page uint64) uint64 {
	virtual, ok := a.unknownPages[page]
	if !ok {
		virtual = UnknownBase + uint64(len(a.unknownPages))*PageSize
		a.unknownPages[page] = virtual
	}
	return virtual
}
