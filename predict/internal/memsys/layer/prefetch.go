package layer

import (
	"slices"

	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Prefetch configures the stream prefetcher of a processor.
type Prefetch struct {
	Lines   int        // lines to prefetch behind the last touched line of a stream; 0: none
	Streams int        // streams to follow at the same time
	Page    unit.Bytes // no stream crosses a page boundary
}

// prefetcher is a system whose processors prefetch lines when touches go from one line to the next, upwards or
// downwards. The stream prefetchers of present-day processors do so. Two misses on neighbouring lines of a page start
// a stream. Then the next Lines of it are prefetched, and with every touch of a prefetched line one more. A touch of
// a line that has not arrived yet waits for the line only. With more than Streams streams, the least recently touched
// one is dropped.
//
// Prefetches use the bus, network and directories, change the caches of others, and evict lines, as loads do. Their
// misses count as misses of the processor, but they do not count as touches.
//
// Differs: lines are brought into all private levels. Strides of more than one line are not detected, because that
// needs the addresses of instructions.
type prefetcher struct {
	touch.System
	Prefetch
	page  uint64 // in lines
	procs []procPrefetcher
}

// procPrefetcher is the prefetcher of one processor.
type procPrefetcher struct {
	streams []stream // the latest first
	buffer  prefetchBuffer
	loads   uint64 // made by prefetching

	requested touch.Counts // of prefetches that the program made
}

// stream is a sequence of touches of consecutive lines.
type stream struct {
	lastTouched uint64 // the last line that was touched
	lastFetched uint64 // the last line that was prefetched
	step        uint64 // 1, or -1 modulo 2^64; 0: only one line was touched
}

// prefetchBuffer holds the lines that were prefetched and have not been touched.
type prefetchBuffer struct {
	done   map[uint64]unit.Picos // when each arrives
	order  []bufferEntry         // in order of prefetching; entries that are no longer in done are stale
	filter [1 << 12]uint16       // number of entries by line modulo its length; mostly 0
}

// bufferEntry is a line that arrives at time done.
type bufferEntry struct {
	line uint64
	done unit.Picos
}

// arrival returns when a prefetched line arrives. It reports false for other lines.
func (c *prefetchBuffer) arrival(line uint64) (done unit.Picos, comes bool) {
	if c.filter[line%uint64(len(c.filter))] == 0 {
		return 0, false
	}
	done, comes = c.done[line]
	return done, comes
}

// add adds f. If there are more than `most` entries, it removes the oldest.
func (c *prefetchBuffer) add(f bufferEntry, most int) {
	if c.done == nil {
		c.done = map[uint64]unit.Picos{}
	}
	c.remove(f.line)
	for len(c.done) >= most {
		if first := c.order[0]; c.contains(first) {
			c.remove(first.line)
		}
		c.order = c.order[1:]
	}
	if len(c.order) >= 4*most {
		c.order = slices.DeleteFunc(c.order, func(f bufferEntry) bool { return !c.contains(f) })
	}
	c.done[f.line] = f.done
	c.filter[f.line%uint64(len(c.filter))]++
	c.order = append(c.order, f)
}

// contains reports whether f is still in the buffer.
func (c *prefetchBuffer) contains(f bufferEntry) bool {
	done, comes := c.done[f.line]
	return comes && done == f.done
}

// remove removes a line if it is in the buffer.
func (c *prefetchBuffer) remove(line uint64) {
	if _, comes := c.done[line]; comes {
		delete(c.done, line)
		c.filter[line%uint64(len(c.filter))]--
	}
}

// WithPrefetch returns s with processors that prefetch. s must be new.
func WithPrefetch(s touch.System, a Prefetch, processors int) touch.System {
	if a.Lines == 0 {
		return s
	}
	return &prefetcher{System: s, Prefetch: a, page: max(1, uint64(a.Page/s.Line())), procs: make([]procPrefetcher, processors)}
}

// Access touches a line. If the line belongs to a stream, it also prefetches others.
func (a *prefetcher) Access(now unit.Picos, p trace.Proc, line uint64, store bool) touch.Cost {
	f := &a.procs[p]
	cost := a.System.Access(now, p, line, store)
	done, comes := f.buffer.arrival(line)
	switch {
	case comes:
		cost.Latency += max(0, done-now-cost.Total())
		f.buffer.remove(line)
	case cost == (touch.Cost{}):
		return cost
	}
	if a.Lines == 0 { // only the program prefetches
		return cost
	}
	if s := f.findStream(line, a.page, a.Streams); s.step != 0 {
		a.prefetch(now, p, s)
	}
	return cost
}

// findStream returns the stream of a line and makes it the latest. Without one, it starts a new stream.
func (f *procPrefetcher) findStream(line, page uint64, most int) *stream {
	i := slices.IndexFunc(f.streams, func(s stream) bool { return s.continuesWith(line, page) })
	s := stream{lastTouched: line, lastFetched: line}
	switch {
	case i >= 0:
		s = f.streams[i]
		if s.step == 0 {
			s.step = line - s.lastTouched
			s.lastFetched = line
		}
		s.lastTouched = line
		f.streams = slices.Delete(f.streams, i, i+1)
	case len(f.streams) == most:
		f.streams = f.streams[:most-1]
	}
	f.streams = slices.Insert(f.streams, 0, s)
	return &f.streams[0]
}

// continuesWith reports whether a line continues s: a neighbour of its only line, or one of the prefetched lines.
func (s *stream) continuesWith(line, page uint64) bool {
	switch {
	case line/page != s.lastTouched/page:
		return false
	case s.step == 0:
		return line-s.lastTouched == 1 || s.lastTouched-line == 1
	default:
		steps := (line - s.lastTouched) * s.step // modulo 2^64: s.step is 1 or -1
		return steps-1 <= (s.lastFetched-s.lastTouched)*s.step
	}
}

// prefetch prefetches the lines of s up to p.Lines behind the last that was touched.
func (a *prefetcher) prefetch(now unit.Picos, p trace.Proc, s *stream) {
	f := &a.procs[p]
	for (s.lastFetched-s.lastTouched)*s.step < uint64(a.Lines) && (s.lastFetched+s.step)/a.page == s.lastTouched/a.page {
		s.lastFetched += s.step
		cost := a.System.Access(now, p, s.lastFetched, false)
		f.loads++
		if cost == (touch.Cost{}) {
			continue
		}
		f.buffer.add(bufferEntry{s.lastFetched, now + cost.Total()}, a.Lines*a.Streams)
	}
}

// Lookahead ends before a prefetched line that has not been touched.
func (a *prefetcher) Lookahead(p trace.Proc, b *trace.Refs, from, to int) (rows int, touches uint64) {
	if coming := &a.procs[p].buffer; len(coming.done) > 0 {
		to = from + coming.rowsBefore(b, from, to, a.Line().Shift())
	}
	return a.System.Lookahead(p, b, from, to)
}

// rowsBefore returns how many rows of b, starting at from, come before the first row that touches a line of the
// buffer.
func (c *prefetchBuffer) rowsBefore(b *trace.Refs, from, to int, shift uint) int {
	for i := from; i < to; i++ {
		if !b.Op[i].Data() {
			continue
		}
		line, last := b.Addr[i]>>shift, (b.Addr[i]+uint64(b.Size[i])-1)>>shift
		for ; line <= last; line++ {
			if _, comes := c.arrival(line); comes {
				return i - from
			}
		}
	}
	return to - from
}

// Counts counts only touches of the processor itself. It counts the misses of streams, but not those of prefetches
// that the program made.
func (a *prefetcher) Counts(p trace.Proc) touch.Counts {
	c, f := a.System.Counts(p), &a.procs[p]
	c.Loads -= f.loads
	c.Subtract(f.requested)
	c.Prefetches = f.requested.LoadMisses.Total()
	return c
}

// Flush also ends the wait for the line, if it was prefetched.
func (a *prefetcher) Flush(now unit.Picos, p trace.Proc, line uint64) touch.Cost {
	for q := range a.procs {
		a.procs[q].buffer.remove(line)
	}
	return a.System.Flush(now, p, line)
}
