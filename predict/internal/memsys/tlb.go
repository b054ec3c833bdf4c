package memsys

import (
	"fmt"

	lru "spoor/analyze/cache"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// TLB is a translation buffer with LRU replacement within a set.
type TLB struct {
	Entries, Ways int
	Page          unit.Bytes
	Latency       unit.Picos // of a miss
}

func (t *TLB) check(line unit.Bytes, processors int) error {
	switch {
	case t.Ways < 1 || t.Entries < t.Ways || t.Entries%t.Ways != 0 || !unit.Bytes(t.Entries/t.Ways).IsPowerOfTwo():
		return fmt.Errorf("the TLB has %d entries in sets of %d; the number of sets must be a power of two", t.Entries, t.Ways)
	case t.Entries > maxLines/processors:
		return fmt.Errorf("%d TLBs of %d entries have more than the %d that can be simulated", processors, t.Entries, maxLines)
	case !t.Page.IsPowerOfTwo() || t.Page < line:
		return fmt.Errorf("the page size is %v; it must be a power of two and at least the line of %v", t.Page, line)
	}
	return checkTime("TLB latency", t.Latency)
}

// translatedCaches is coherent caches behind translation buffers.
type translatedCaches struct {
	*coherent
	latency unit.Picos
	shift   uint       // log2 of the lines of a page
	pages   []cache    // by processor
	delay   unit.Picos // from the begin of the present touch until it reaches the caches
	misses  []uint64
}

func newTranslated(t *TLB, s *coherent) *translatedCaches {
	tr := &translatedCaches{coherent: s, latency: t.Latency, shift: t.Page.Shift() - s.shift, misses: make([]uint64, len(s.private))}
	for range s.private {
		tr.pages = append(tr.pages, newCache(Cache{Size: unit.Bytes(t.Entries), Line: 1, Ways: t.Ways}))
	}
	return tr
}

// Access translates first.
func (s *translatedCaches) Access(now unit.Picos, p trace.Proc, line uint64, store bool) touch.Cost {
	page := line >> s.shift
	set := s.pages[p].Set(page)
	w := lru.FindCopy(set, page)
	if w == 0 {
		return s.coherent.Access(now, p, line, store)
	}
	if w > 0 {
		lru.ToFront(set, w, set[w])
		return s.coherent.Access(now, p, line, store)
	}
	s.misses[p]++
	lru.ToFront(set, lru.Victim(set), page<<lru.PermissionBits|lru.MayLoad)
	s.delay = s.latency
	cost := s.coherent.Access(now+s.delay, p, line, store)
	s.delay = 0
	cost.Latency += s.latency
	return cost
}

// OnInvalidate reports invalidations at the time of the touch.
func (s *translatedCaches) OnInvalidate(onInvalidate touch.InvalidateFunc) {
	s.coherent.OnInvalidate(func(q trace.Proc, c touch.Invalidation) {
		c.At -= s.delay
		onInvalidate(q, c)
	})
}

// Lookahead finds hits in pages that are in the buffer.
func (s *translatedCaches) Lookahead(p trace.Proc, b *trace.Refs, from, to int) (rows int, touches uint64) {
	rows, touches = s.coherent.Lookahead(p, b, from, to)
	shift := s.shift + s.coherent.shift
	there := ^uint64(0) // the page last found
	for i := from; i < from+rows; i++ {
		if !b.Op[i].Data() {
			continue
		}
		for page := b.Addr[i] >> shift; page <= (b.Addr[i]+uint64(b.Size[i])-1)>>shift; page++ {
			if page != there && !s.pages[p].holds(page, false) {
				return s.coherent.Lookahead(p, b, from, i)
			}
			there = page
		}
	}
	return rows, touches
}

// Commit touches the pages too.
func (s *translatedCaches) Commit(p trace.Proc, b *trace.Refs, from int) (refs int, ok bool) {
	to := from + s.private[p].lookahead.rows
	s.pages[p].commit(s.shift+s.coherent.shift, b.Addr[from:to], b.Size[from:to], b.Op[from:to])
	return s.coherent.Commit(p, b, from)
}

// Counts adds the misses of the buffer.
func (s *translatedCaches) Counts(p trace.Proc) touch.Counts {
	c := s.coherent.Counts(p)
	c.TLBMisses = s.misses[p]
	return c
}
