package cache

import "spoor/traces/trace"

// op indexes counts by what the processor did.
type op uint8

const (
	load op = iota
	write
	ifetch
	ops
)

func opOf(o trace.Op) op { return op(o - trace.Load) }

// Counts is what happened at a level.
type Counts struct {
	Uses, Misses [ops]uint64 // of lines, by load, store, ifetch
	Split        uint64      // misses beyond the first of a reference that crosses lines

	Evictions     uint64 // lines that left for another one
	Invalidations uint64 // lines that left because an inclusive level evicted them
	Writebacks    uint64 // lines that were dirty when they left
	Writethroughs uint64 // writes passed on at once

	Compulsory, Capacity, Conflict uint64 // the misses by cause
	FullMisses                     uint64 // misses of a fully associative LRU cache of the same size
	OPTMisses                      uint64
}

func (c *Counts) add(d *Counts) {
	for i := range c.Uses {
		c.Uses[i] += d.Uses[i]
		c.Misses[i] += d.Misses[i]
	}
	c.Split += d.Split
	c.Evictions += d.Evictions
	c.Invalidations += d.Invalidations
	c.Writebacks += d.Writebacks
	c.Writethroughs += d.Writethroughs
	c.Compulsory += d.Compulsory
	c.Capacity += d.Capacity
	c.Conflict += d.Conflict
	c.FullMisses += d.FullMisses
	c.OPTMisses += d.OPTMisses
}

// total is the sum over the operations.
func total(n [ops]uint64) uint64 { return n[load] + n[write] + n[ifetch] }

// A request is what a level asks of the next one, or the processor of the first.
type request struct {
	addr  uint64 // of a byte of the line
	ref   uint64 // number of the reference, from 1
	op    op     // what the processor did
	fetch bool   // wants the line
	write bool   // has data to write
}

// level is one cache at work. A nil level is memory.
type level struct {
	*Level
	Counts
	shift   uint
	array   array
	next    *level
	above   []*level // of an inclusive level: all that may hold its lines
	classes *classes // nil if misses are not classified
	record  *record  // of an OPT level, or for WithOPT; else nil
	online  bool     // not an OPT level
	lastRef uint64   // latest reference that missed
	one     [1]key
}

// plain reports whether every use that misses brings the line, and none that hits goes on.
func (l *level) plain() bool { return l.record == nil && !l.WriteThrough && !l.NoAllocate }

// request serves a request of the level above, and reports whether the line comes dirty from an
// exclusive level.
func (l *level) request(r request) (dirty bool) {
	if l == nil {
		return false
	}
	l.Uses[r.op]++
	return l.serve(r)
}

// serve is request but for counting the use.
func (l *level) serve(r request) (dirty bool) {
	line := r.addr >> l.shift
	k := line << 1
	if r.write && !l.WriteThrough {
		k |= 1
	}
	if l.record != nil {
		if !l.online {
			l.one[0] = k
			l.record.use(k, &r, l.classes.use(l.one[:], true))
			if r.write && l.WriteThrough {
				l.Writethroughs++
			}
			return false
		}
		l.record.use(k, &r, 0)
	}
	switch {
	case l.Inclusion == Exclusive && r.fetch:
		return l.give(line, r)
	case l.NoAllocate && !r.fetch:
		l.offer(k, r)
		return false
	}
	l.one[0] = k
	miss, victim := l.array.use(l.one[:])
	if miss == 0 {
		l.missed(&r, l.classes.use(l.one[:], true), victim)
		return false
	}
	l.classes.use(l.one[:], false)
	if r.write && l.WriteThrough {
		l.Writethroughs++
		l.next.request(request{addr: r.addr, ref: r.ref, op: r.op, write: true})
	}
	return false
}

// run serves uses of a first level, which are counted already.
func (l *level) run(b *batch, from, to int) {
	if !l.plain() {
		for i := from; i < to; i++ {
			l.serve(b.request(i, l.shift))
		}
		return
	}
	start := from
	for from < to {
		n, victim := l.array.use(b.keys[from:to])
		if from += n; from == to {
			break
		}
		r := b.request(from, l.shift)
		l.missed(&r, l.classes.use(b.keys[start:from+1], true), victim)
		from++
		start = from
	}
	l.classes.use(b.keys[start:to], false)
}

// missed counts a miss for which the line was taken in, fetches it, and then sees the victim off.
func (l *level) missed(r *request, c cause, victim key) {
	l.count(r, c)
	through := r.write && l.WriteThrough
	if through {
		l.Writethroughs++
	}
	if l.next.request(request{addr: r.addr, ref: r.ref, op: r.op, fetch: true, write: through}) {
		l.array.mark(r.addr >> l.shift)
	}
	if victim != empty {
		l.evict(victim)
	}
}

// count counts a miss.
func (l *level) count(r *request, c cause) {
	l.Misses[r.op]++
	if r.ref == l.lastRef {
		l.Split++
	}
	l.lastRef = r.ref
	l.blame(c)
}

// blame counts a miss by its cause.
func (c *Counts) blame(why cause) {
	switch why {
	case compulsory:
		c.Compulsory++
	case capacity:
		c.Capacity++
	case conflict:
		c.Conflict++
	}
}

// offer writes to a level that does not fetch a line for that.
func (l *level) offer(k key, r request) {
	hit := l.array.hit(k)
	why := l.classes.offer(k)
	if !hit {
		l.count(&r, why)
	}
	if !hit || l.WriteThrough {
		l.Writethroughs++
		l.next.request(request{addr: r.addr, ref: r.ref, op: r.op, write: true})
	}
}

// give hands a line of an exclusive level to the level above.
func (l *level) give(line uint64, r request) (dirty bool) {
	k := l.array.drop(line)
	why := l.classes.give(line)
	if k != empty {
		return k&1 != 0
	}
	l.count(&r, why)
	return l.next.request(r)
}

// take puts what the level above evicted into an exclusive level.
func (l *level) take(k key) {
	l.one[0] = k
	_, victim := l.array.use(l.one[:])
	l.classes.take(k)
	if victim != empty {
		l.evict(victim)
	}
}

// evict sees off a line that another one replaced.
func (l *level) evict(k key) {
	l.Evictions++
	if l.Inclusion == Inclusive && l.invalidateAbove(k>>1<<l.shift) {
		k |= 1
	}
	dirty := k&1 != 0
	if dirty {
		l.Writebacks++
	}
	if l.next != nil && l.next.Inclusion == Exclusive {
		l.next.take(k)
	} else if dirty {
		l.next.writeback(k >> 1 << l.shift)
	}
}

// invalidateAbove takes a line out of all levels above, and reports whether any had it dirty.
func (l *level) invalidateAbove(addr uint64) (dirty bool) {
	for _, a := range l.above {
		first := addr >> a.shift
		for line := first; line < first+1<<(l.shift-a.shift); line++ {
			k := a.array.drop(line)
			if k == empty {
				continue
			}
			a.Invalidations++
			if k&1 != 0 {
				a.Writebacks++
				dirty = true
			}
		}
	}
	return dirty
}

// writeback makes a line dirty at the first level that has it and keeps dirty lines, else
// memory has it. That is no use of the line.
func (l *level) writeback(addr uint64) {
	switch {
	case l == nil:
	case !l.online && !l.WriteThrough:
		l.record.mark(addr >> l.shift)
	case l.WriteThrough || !l.array.mark(addr>>l.shift):
		l.next.writeback(addr)
	}
}
