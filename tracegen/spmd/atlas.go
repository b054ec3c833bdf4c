package spmd

import (
	"iter"
	"slices"
	"sort"
)

// atlas translates heap addresses to virtual ones. Memory is known by spans, which
// do not overlap: an allocation where another one was replaces it, because the
// other must have been freed. Pages of memory that nobody made known are given
// virtual pages in the order of their first use.
type atlas struct {
	pages   map[uint64][]span // spans that touch a heap page, by address
	near    [nearSpans]span   // the latest answers, each at its page's place
	unknown map[uint64]uint64 // virtual page of heap pages without spans
}

// span is heap addresses lo..lo+bytes-1, which are virtual addresses from base on.
type span struct{ lo, bytes, base uint64 }

const nearSpans = 64

func newAtlas() *atlas {
	return &atlas{pages: map[uint64][]span{}, unknown: map[uint64]uint64{}}
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
	}
}

// remove forgets a span.
func (a *atlas) remove(s span) {
	for page := range s.pages() {
		a.pages[page] = slices.DeleteFunc(a.pages[page], func(o span) bool { return o == s })
		if near := &a.near[page%nearSpans]; *near == s {
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

// translate is the virtual address of a heap address, if it is in a span.
func (a *atlas) translate(addr uint64) (uint64, bool) {
	if s := &a.near[addr/pageSize%nearSpans]; addr-s.lo < s.bytes {
		return addr - s.lo + s.base, true
	}
	return a.search(addr)
}

//go:noinline
func (a *atlas) search(addr uint64) (uint64, bool) {
	list := a.pages[addr/pageSize]
	i := sort.Search(len(list), func(i int) bool { return list[i].lo > addr }) - 1
	if i < 0 || addr-list[i].lo >= list[i].bytes {
		return 0, false
	}
	a.near[addr/pageSize%nearSpans] = list[i]
	return addr - list[i].lo + list[i].base, true
}

// anyway is the virtual address of a heap address that is in no span.
func (a *atlas) anyway(addr uint64) uint64 {
	page, ok := a.unknown[addr/pageSize]
	if !ok {
		page = unknownBase/pageSize + uint64(len(a.unknown))
		a.unknown[addr/pageSize] = page
	}
	return page*pageSize + addr%pageSize
}
