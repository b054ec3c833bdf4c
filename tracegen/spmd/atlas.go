package spmd

import (
	"iter"
	"slices"
	"sort"
)

// atlas translates heap addresses to virtual ones. Memory is known by spans, which
// do not overlap: an allocation where another one was replaces it, because the
// other must have been freed. Memory that nobody made known has no address, or its
// pages are given virtual pages in the order of their first use.
type atlas struct {
	pages   map[uint64][]span // spans that touch a heap page, by address
	near    [nearSpans]span   // the latest answers, each at its page's slot
	all     bool              // unknown memory has addresses, too
	unknown map[uint64]uint64 // virtual page of heap pages that are unknown at least in part
}

// span is heap addresses lo..lo+bytes-1, which are virtual addresses from base on,
// or nowhere.
type span struct{ lo, bytes, base uint64 }

const (
	nearBits  = 8
	nearSpans = 1 << nearBits
	nowhere   = 0
)

// slot is the place of a page among nearSpans. Arrays of the same size, whose pages
// are a power of two apart, must not all fall on one: hence the golden ratio.
func slot(page uint64) uint64 { return page * 0x9e3779b97f4a7c15 >> (64 - nearBits) }

func newAtlas(all bool) *atlas {
	return &atlas{pages: map[uint64][]span{}, all: all, unknown: map[uint64]uint64{}}
}

// insert makes a span known.
func (a *atlas) insert(s span) {
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
		a.near[slot(page)] = span{} // which may say that the page is unknown
	}
}

// remove forgets a span.
func (a *atlas) remove(s span) {
	for page := range s.pages() {
		a.pages[page] = slices.DeleteFunc(a.pages[page], func(o span) bool { return o == s })
		if near := &a.near[slot(page)]; *near == s {
			*near = span{}
		}
	}
}

// pages are the heap pages that a span touches.
func (s span) pages() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for page := s.lo / pageSize; page <= (s.lo+s.bytes-1)/pageSize && yield(page); page++ {
		}
	}
}

// translate is the virtual address of a heap address, if it has one.
func (a *atlas) translate(addr uint64) (uint64, bool) {
	s := &a.near[slot(addr/pageSize)]
	if addr-s.lo >= s.bytes {
		*s = a.search(addr)
	}
	return addr - s.lo + s.base, s.base != nowhere
}

// search is the span of a heap address, or what is unknown around it.
func (a *atlas) search(addr uint64) span {
	page := addr / pageSize
	list := a.pages[page]
	i := sort.Search(len(list), func(i int) bool { return list[i].lo > addr })
	if i > 0 && addr-list[i-1].lo < list[i-1].bytes {
		return list[i-1]
	}
	hole := span{page * pageSize, pageSize, nowhere}
	if a.all {
		hole.base = a.anyway(page)
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

// address is where heap address lo of a span lies.
func (s span) address(lo uint64) uint64 {
	if s.base == nowhere {
		return nowhere
	}
	return s.base + lo - s.lo
}

// anyway is the start of the virtual page of a heap page that is unknown.
func (a *atlas) anyway(page uint64) uint64 {
	virtual, ok := a.unknown[page]
	if !ok {
		virtual = unknownBase + uint64(len(a.unknown))*pageSize
		a.unknown[page] = virtual
	}
	return virtual
}
