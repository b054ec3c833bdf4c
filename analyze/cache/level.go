package cache

// request is the purpose of a request for a line. Above that it holds the number of bytes to write,
// if they are counted.
type request uint32

const (
	fetch request = 1 << iota // the line is needed
	write                     // there is data to write

	requestBytes = 2 // shift
)

// bytes returns the number of bytes to write.
func (a request) bytes() uint64 { return uint64(a >> requestBytes) }

// level simulates one cache. A nil level is memory.
type level struct {
	Counts
	description *Level
	traits
	shift         uint
	array         array          // nil for OPT, or if classifiedLRU is set
	classifiedLRU *classifiedLRU // replaces array and classes
	next          *level
	above         []*level // of an inclusive level: all levels that may hold its lines
	classes       *classes // nil if misses are not classified
	record        *record  // of an OPT level, or for WithOPT; else nil
	memory        *memory  // set for the level that stands for memory, if its requests are needed; else nil
	lastRef       uint64   // latest reference that missed
	out           [missRoom]miss
	ahead         int    // number of misses handled together; one if a miss changes the contents
	handed        bool   // the numbers of lines come from another level or analysis
	lastUse       uint32 // in a sweep: the index + 1 of the latest reference that missed in this batch
}

// traits are properties of the description, for fast access.
type traits struct {
	swept                bool // levels are simulated one after the other
	plain                bool // every miss loads the line, and no hit goes to the next level
	inclusive, exclusive bool
	through              bool // write-through
	allocate             bool // writes that miss load the line
	later                bool // OPT
}

// request serves a request of the level above for the line of an address. It reports whether the
// line comes dirty from an exclusive level. ref is the number of the reference, from 1; o is its
// operation.
func (l *level) request(addr, ref uint64, o op, a request) (dirty bool) {
	if l == nil {
		return false
	}
	l.Uses[o]++
	return l.serve(addr, ref, o, a)
}

// serve is request without counting the use.
func (l *level) serve(addr, ref uint64, o op, a request) (dirty bool) {
	k := addr >> (l.shift & 63) << 1
	if a&write != 0 {
		k |= 1
	}
	if !l.plain {
		return l.special(k, ref, o, a)
	}
	if victim, missed := l.use(k); missed {
		l.missed(addr, ref, o, 0, l.classes.use(k>>1, true), victim)
	} else if l.classes != nil {
		l.classes.use(k>>1, false)
	}
	return false
}

// special serves a use of a level that is not plain.
func (l *level) special(k key, ref uint64, o op, a request) (dirty bool) {
	addr := k >> 1 << l.shift
	if l.through {
		k &^= 1
	}
	switch {
	case l.memory != nil:
		l.memory.request(addr, o)
		return false
	case l.later:
		l.record.use(k, ref, o, l.classes.use(k>>1, true))
		if l.through && a&write != 0 {
			l.passOn(a)
		}
		return false
	case l.exclusive && a&fetch != 0:
		return l.give(k>>1, ref, o, a)
	case !l.allocate && a&fetch == 0:
		l.offer(k, ref, o, a)
		return false
	case l.record != nil:
		l.record.use(k, ref, o, 0)
	}
	var through request
	if l.through && a&write != 0 {
		through = a &^ fetch
		l.passOn(through)
	}
	victim, missed := l.use(k)
	why := l.classes.use(k>>1, missed)
	if missed {
		l.missed(addr, ref, o, through, why, victim)
	} else if through != 0 {
		l.next.request(addr, ref, o, through)
	}
	return false
}

// run serves uses of a first level. They have been counted.
func (l *level) run(b *batch, from, to int) {
	if !l.plain {
		for i := from; i < to; i++ {
			o := b.op(i)
			a := o.request()
			if o == stores && l.description.passes() {
				a = b.store()
			}
			l.serve(b.keys[i]>>1<<l.shift, b.ref(i), o, a)
		}
		return
	}
	l.classes.begin(b, from, to)
	for from < to {
		used, n := l.array.use(b.keys[from:to], l.out[:l.ahead])
		seen := -1
		for _, m := range l.out[:n] {
			i := from + m.at
			line := b.keys[i] >> 1
			l.missed(line<<l.shift, b.ref(i), b.op(i), 0, l.classes.miss(m.at-seen, line), m.victim)
			seen = m.at
		}
		from += used
		l.classes.hits(used - seen - 1)
	}
}

// request returns the request that an operation makes.
func (o op) request() request {
	if o == stores {
		return write
	}
	return fetch
}

// missed counts a miss that loaded the line, fetches the line, and then evicts the victim. It also
// passes on the write, if through is set.
func (l *level) missed(addr, ref uint64, o op, through request, why cause, victim key) {
	l.count(ref, o, why)
	if l.next != nil && l.next.request(addr, ref, o, fetch|through) {
		l.array.mark(addr >> l.shift)
	}
	if victim != empty {
		l.evict(victim)
	}
}

// count counts a miss.
func (l *level) count(ref uint64, o op, why cause) {
	l.Misses[o]++
	if ref == l.lastRef {
		l.Split++
	}
	l.lastRef = ref
	if why != 0 {
		l.blame(why)
	}
}

// passOn counts a write that is passed on at once.
func (l *level) passOn(a request) {
	l.Writethroughs++
	l.Through += a.bytes()
}

// offer writes to a level that does not load a line for a write.
func (l *level) offer(k key, ref uint64, o op, a request) {
	hit := l.array.hit(k)
	why := l.classes.offer(k >> 1)
	if !hit {
		l.count(ref, o, why)
		l.Around++
	}
	if !hit || l.through {
		l.passOn(a)
		l.next.request(k>>1<<l.shift, ref, o, a)
	}
}

// give moves a line from an exclusive level to the level above.
func (l *level) give(line, ref uint64, o op, a request) (dirty bool) {
	k := l.array.drop(line)
	why := l.classes.give(line)
	if k != empty {
		return k&1 != 0
	}
	l.count(ref, o, why)
	return l.next.request(line<<l.shift, ref, o, a)
}

// take stores a line that the level above evicted in an exclusive level.
func (l *level) take(k key) {
	victim, _ := l.use(k)
	l.classes.take(k >> 1)
	if victim != empty {
		l.evict(victim)
	}
}

// use uses one line.
func (l *level) use(k key) (victim key, missed bool) {
	if l.array.hit(k) {
		return empty, false
	}
	return l.array.fill(k), true
}

// evict handles a line that another one replaced.
func (l *level) evict(k key) {
	l.Evictions++
	if l.inclusive && l.invalidateAbove(k>>1<<l.shift) {
		k |= 1
	}
	l.Writebacks += k & 1
	switch {
	case l.next == nil:
	case l.next.exclusive:
		l.Clean += 1 - k&1
		l.next.take(k)
	case k&1 != 0:
		l.next.writeback(k>>1<<l.shift, l.shift)
	}
}

// invalidateAbove removes a line from all levels above, and reports whether one of them had it
// dirty.
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

// writeback makes a line of 2^size bytes dirty at the first level that has it and keeps dirty
// lines, or in memory. It is not a use of the line.
func (l *level) writeback(addr uint64, size uint) {
	for ; l != nil && !l.keepsWriteback(addr, size); l = l.next {
		l.Passed += 1 << size
	}
}

// keepsWriteback makes the line of a write-back dirty if the level has it and keeps dirty lines. It
// reports false if the write-back goes on to the next level.
func (l *level) keepsWriteback(addr uint64, size uint) bool {
	switch {
	case l.through:
		return false
	case l.memory != nil:
		l.memory.writeback(addr)
		return true
	case l.later:
		l.record.mark(addr>>l.shift, size)
		return true
	}
	return l.array.mark(addr >> (l.shift & 63))
}
