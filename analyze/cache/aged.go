package cache

import (
	"math/bits"

	"spoor/analyze/lines"
)

// aged is LRU sets, and the fully associative LRU cache of the same size that tells the causes of their misses, of lines that are known by
// their places: what both know of a line is in one word, in which a use finds whether either has it, and no set is searched.
//
// The order of a set is that of [packed]. The fully associative cache goes by the moment of a line's latest use: it has the lines whose moments
// are not before the oldest, and the one that leaves is found by going on from there. When there is no moment left, all lines get
// new ones, in their order.
type aged struct {
	geometry
	places *places
	lines  []agedLine   // by place
	orders []uint64     // by set
	held   []uint64     // by way: the place of its line above one bit that says whether it is dirty; 0: it has none. Those of no set come first
	logWay uint         // log2 of the ways that each set has in held
	last   uint         // shift of the way in the order that leaves next
	names  *lines.Names // nil if nobody asks what lines leave
	latest []uint64     // by moment, a bit: its line has not been used since; of moments to come, too
	now    uint32       // the next moment
	oldest uint32
	room   uint64 // lines that the fully associative cache can take before one has to leave

	found   []uint32 // where places that had to be found are kept
	left    []uint32 // places of the lines that were replaced
	touched uint32   // see touch
}

// agedLine is what is known of one line.
type agedLine struct {
	used uint32 // moment of the latest use; 0: never
	way  uint32 // above one bit that says whether it is dirty; 0: no set has it
}

const (
	firstMoment = 1 // the bit of moment 0 is clear
	fewMoments  = 1 << 12
	momentRoom  = 8       // moments for each place, at least: the more, the less often lines get new ones
	nearLines   = 1 << 13 // what is known of so many is near enough in the host's caches, as long as nobody else uses these
)

func newAged(g geometry, p *places) *aged {
	c := &aged{geometry: g, places: p, orders: make([]uint64, g.sets), logWay: uint(bits.Len64(g.ways - 1)), last: uint(4 * (g.ways - 1)),
		oldest: firstMoment, room: g.sets * g.ways, left: make([]uint32, missRoom)}
	c.held = make([]uint64, (g.sets+1)<<c.logWay)
	for s := range c.orders {
		c.orders[s] = inOrder
	}
	c.begin(fewMoments, firstMoment)
	return c
}

// begin makes moments, of which the next one is now and those before are lines' latest uses.
func (c *aged) begin(moments int, now uint32) {
	if moments > 64*len(c.latest) {
		c.latest = make([]uint64, moments/64)
	}
	for i := range c.latest {
		c.latest[i] = 1<<64 - 1
	}
	c.latest[0] = 1<<64 - 1<<firstMoment
	c.now = now
}

// placesOf is the places of keys of a batch, those written back too.
func (c *aged) placesOf(b *batch, from, to int) []uint32 {
	at := b.places
	if b.placed {
		at = at[from:to]
	} else {
		c.found = c.places.find(b.keys[from:to], true, c.found)
		at = c.found
	}
	c.lines = lines.Extend(c.lines, c.places.room)
	if c.names != nil {
		c.names.Reach(c.places.room)
	}
	return at
}

// use is as that of an array, of missRoom misses at most, whose causes it counts.
func (c *aged) use(keys []key, places []uint32, out []miss, counts *Counts) (used, missed int) {
	if int(c.now) == 64*len(c.latest) {
		c.condense()
	}
	keys = keys[:min(len(keys), 64*len(c.latest)-int(c.now))]
	places = places[:len(keys)]
	if len(c.lines) > nearLines {
		c.touch(places[:min(len(places), len(out))])
	}
	all, latest, orders, logWay, now := c.lines, c.latest, c.orders, c.logWay, c.now // in registers
	for i, k := range keys {
		x := &all[places[i]]
		if k >= back {
			if x.way != 0 {
				c.mark(x, places[i])
				continue
			}
			out[missed] = miss{i, empty}
		} else {
			was, way := x.used, x.way
			x.used = now
			latest[was>>6] &^= 1 << (was & 63)
			now++
			why := conflict
			if was < c.oldest {
				why = c.take(was, counts)
			}
			if way != 0 {
				if k&1 != 0 {
					c.mark(x, places[i])
				}
				order := &orders[way>>1>>(logWay&31)-1]
				if w := way >> 1 & (1<<(logWay&31) - 1); uint32(*order&15) != w {
					*order = toFront(*order, place(*order, int(w)))
				}
				continue
			}
			counts.blame(why)
			out[missed].at = i
			x.way, out[missed].victim, c.left[missed] = c.fill(k, places[i])
		}
		if missed++; missed == len(out) {
			c.now = now
			return i + 1, missed
		}
	}
	c.now = now
	return len(keys), missed
}

// touch loads what is known of lines: loads that nothing waits for overlap.
func (c *aged) touch(places []uint32) {
	touched := c.touched
	for _, p := range places {
		touched += c.lines[p].used
	}
	c.touched = touched // or the compiler drops the loads
}

// take has the fully associative cache miss and take in a line, whose use before was then, and is the cause of the miss.
func (c *aged) take(was uint32, counts *Counts) cause {
	counts.FullMisses++
	if c.room > 0 {
		c.room--
	} else {
		at := c.oldest >> 6
		word := c.latest[at] >> (c.oldest & 63) << (c.oldest & 63)
		for word == 0 {
			at++
			word = c.latest[at]
		}
		c.oldest = at<<6 + uint32(bits.TrailingZeros64(word)) + 1
	}
	if was == 0 {
		return compulsory
	}
	return capacity
}

// mark makes a line dirty that is there.
func (c *aged) mark(x *agedLine, place uint32) {
	if x.way&1 == 0 {
		x.way |= 1
		c.held[x.way>>1] = uint64(place)<<1 | 1 // nothing that waits for memory
	}
}

// fill takes a line into its set, and returns its way, what it replaces, and the place of that.
func (c *aged) fill(k key, of uint32) (way uint32, victim key, left uint32) {
	set := c.set(k >> 1)
	order := c.orders[set]
	w := order >> (c.last & 63) & 15
	c.orders[set] = order<<4 | w
	at := (set+1)<<(c.logWay&63) | w
	held := c.held[at]
	c.held[at] = uint64(of)<<1 | k&1
	left, victim = uint32(held>>1), empty
	if left != 0 {
		c.lines[left].way = 0
		victim = held & 1 // as is in its word, too, for which one would wait
	}
	if c.names != nil {
		if left != 0 {
			victim |= c.names.Of(left) << 1
		}
		c.names.Set(of, k>>1)
	}
	return uint32(at)<<1 | uint32(k&1), victim, left
}

// condense gives all lines new moments.
func (c *aged) condense() {
	before := make([]uint32, len(c.latest)) // the new moments of the first lines of words
	n := uint32(firstMoment)
	for i, word := range c.latest {
		before[i] = n
		n += uint32(bits.OnesCount64(word))
	}
	rank := func(t uint32) uint32 {
		return before[t>>6] + uint32(bits.OnesCount64(c.latest[t>>6]&(1<<(t&63)-1)))
	}
	for i := range c.lines {
		if x := &c.lines[i]; x.used != 0 {
			x.used = rank(x.used)
		}
	}
	c.oldest = rank(c.oldest)
	const most = 1<<32 - 64 // a table has no more lines
	c.begin(min(momentRoom*(len(c.lines)+63)/64*64, most), n)
}

// hand appends the places of what misses ask of the next level.
func (c *aged) hand(places []uint32, out []miss, to *batch) {
	at := to.spare(2 * len(out))
	n := 0
	for i := range out {
		m := &out[i]
		at[n], at[n+1] = places[m.at], c.left[i]
		n += 1 + int(m.victim&1)
	}
	to.places = to.places[:len(to.places)+n]
}
