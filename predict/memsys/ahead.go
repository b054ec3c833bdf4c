package memsys

import (
	"slices"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Ahead says which lines a processor fetches before it touches them.
type Prefetch struct {
	Lines   int        // fetched behind the last of a stream that was touched; 0: none
	Streams int        // that it follows at once
	Page    unit.Bytes // which no stream leaves
}

// ahead is a system whose processors fetch lines ahead of touches that go from one line to the next, upwards or
// downwards, as the stream prefetchers of present-day processors do. Two misses on neighbouring lines of a page are a
// stream. From then on the next Lines of it are fetched, and with every touch of a line that was fetched
// one more. A line that is touched before it has arrived is waited for, and nothing else is. Of more
// than Streams the one that has not been touched for longest is forgotten.
//
// What is fetched ahead holds bus, network and directories, changes others' caches, and pushes out lines, as loads do; its
// misses are counted among those of its processor, its touches are not.
//
// Differs: lines come into all private levels, and strides of more than a line are not seen, for which processors look at the
// addresses of instructions.
type prefetcher struct {
	System
	Prefetch
	page  uint64 // in lines
	procs []procPrefetcher
}

// follower is what a processor fetches ahead.
type procPrefetcher struct {
	streams []stream // the latest first
	buffer  prefetchBuffer
	loads   uint64 // made for what is fetched
}

// stream is touches of one line after the other.
type stream struct {
	lastTouched uint64 // that was touched
	lastFetched uint64 // the last that was fetched
	step        uint64 // 1, or -1 modulo 2^64; 0: only one line was touched
}

// coming is the lines that were fetched ahead and have not been touched.
type prefetchBuffer struct {
	done   map[uint64]unit.Picos // when each arrives
	order  []bufferEntry         // as they were fetched; those are past that done does not have so
	filter [1 << 12]uint16       // how many there are of each line modulo their number: mostly none
}

// fetched is a line that arrives when it is done.
type bufferEntry struct {
	line uint64
	done unit.Picos
}

// at is when line arrives, if it comes.
func (c *prefetchBuffer) arrival(line uint64) (done unit.Picos, comes bool) {
	if c.filter[line%uint64(len(c.filter))] == 0 {
		return 0, false
	}
	done, comes = c.done[line]
	return done, comes
}

// add adds f, and forgets the oldest of more than most.
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

// is reports whether f still comes.
func (c *prefetchBuffer) contains(f bufferEntry) bool {
	done, comes := c.done[f.line]
	return comes && done == f.done
}

// remove forgets line, if it comes.
func (c *prefetchBuffer) remove(line uint64) {
	if _, comes := c.done[line]; comes {
		delete(c.done, line)
		c.filter[line%uint64(len(c.filter))]--
	}
}

// FetchingAhead is s with processors that fetch lines before they touch them. s must be new.
func WithPrefetch(s System, a Prefetch, processors int) System {
	if a.Lines == 0 {
		return s
	}
	return &prefetcher{System: s, Prefetch: a, page: max(1, uint64(a.Page/s.Line())), procs: make([]procPrefetcher, processors)}
}

// Access touches a line, and fetches others if that belongs to a stream.
func (a *prefetcher) Access(now unit.Picos, p trace.Proc, line uint64, store bool) Cost {
	f := &a.procs[p]
	cost := a.System.Access(now, p, line, store)
	done, comes := f.buffer.arrival(line)
	switch {
	case comes:
		cost.Latency += max(0, done-now-cost.Total())
		f.buffer.remove(line)
	case cost == (Cost{}):
		return cost
	}
	if s := f.findStream(line, a.page, a.Streams); s.step != 0 {
		a.prefetch(now, p, s)
	}
	return cost
}

// follow is the stream that a line belongs to, which is the latest then; a new one if there is none.
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

// takes reports whether line goes on with s: next to the one that is alone, or among those that were fetched.
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

// fetch fetches the lines of s up to a.Lines behind the last that was touched.
func (a *prefetcher) prefetch(now unit.Picos, p trace.Proc, s *stream) {
	f := &a.procs[p]
	for (s.lastFetched-s.lastTouched)*s.step < uint64(a.Lines) && (s.lastFetched+s.step)/a.page == s.lastTouched/a.page {
		s.lastFetched += s.step
		cost := a.System.Access(now, p, s.lastFetched, false)
		f.loads++
		if cost == (Cost{}) {
			continue
		}
		f.buffer.add(bufferEntry{s.lastFetched, now + cost.Total()}, a.Lines*a.Streams)
	}
}

// Hits ends before a line that was fetched ahead and has not been touched.
func (a *prefetcher) Lookahead(p trace.Proc, b *trace.Refs, from, to int) (rows int, touches uint64) {
	if coming := &a.procs[p].buffer; len(coming.done) > 0 {
		to = from + coming.rowsBefore(b, from, to, a.Line().Shift())
	}
	return a.System.Lookahead(p, b, from, to)
}

// before is how many rows of b there are from one on before the first that touches a line that comes.
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

// Counts is of the touches that the processor makes itself, and of all misses.
func (a *prefetcher) Counts(p trace.Proc) Counts {
	c := a.System.Counts(p)
	c.Loads -= a.procs[p].loads
	return c
}
