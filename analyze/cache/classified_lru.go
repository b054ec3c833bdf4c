package cache

import (
	"math/bits"

	"spoor/analyze/internal/lines"
)

// classifiedLRU simulates LRU sets together with the fully associative LRU cache of the same size,
// which determines the causes of misses. Both keep their state of a line in one word, indexed by
// the number of the line. A use finds there whether either cache has the line; no set is searched.
//
// The order of a set is that of [packed]. The fully associative cache uses the time (moment) of a
// line's latest use: it contains the lines whose moments are not before the oldest one. To evict,
// it continues from the oldest moment to the next one that is a line's latest use. When the moments
// are used up, all lines get new ones in the same order.
type classifiedLRU struct {
	geometry
	places *places
	lines  []classifiedLine // by line number
	orders []uint64         // by set
	held   []uint64         // by way: the number of its line above one dirty bit; 0: empty. The first entries belong to no set
	logWay uint             // log2 of the ways of each set in held
	last   uint             // shift of the way in the order that is evicted next
	names  *lines.Names     // nil if no level needs the addresses of evicted lines
	latest []uint64         // a bit for each moment, also for future ones: its line has not been used since
	now    uint32           // the next moment
	oldest uint32
	room   uint64 // lines that the fully associative cache can take before it evicts one

	found   []uint32 // memory for line numbers that were looked up
	left    []uint32 // numbers of the lines that were replaced
	touched uint32   // see touch
}

// classifiedLine is the state of one line.
type classifiedLine struct {
	used uint32 // moment of the latest use; 0: never; flushed
	way  uint32 // above one dirty bit; 0: in no set
}

const (
	flushed     = 1 // the moment of lines that a flush has removed
	firstMoment = 2 // the bits of moments before are clear
	fewMoments  = 1 << 12
	momentRoom  = 8       // minimum number of moments per line number; more moments mean fewer renewals
	nearLines   = 1 << 13 // the state of this many lines fits the host's caches if they hold nothing else
)

func newClassifiedLRU(g geometry, p *places) *classifiedLRU {
	c := &classifiedLRU{geometry: g, places: p, orders: make([]uint64, g.sets), logWay: uint(bits.Len64(g.ways - 1)), last: uint(4 * (g.ways - 1)),
		oldest: firstMoment, room: g.sets * g.ways, left: make([]uint32, missRoom)}
	c.held = make([]uint64, (g.sets+1)<<c.logWay)
	for s := range c.orders {
		c.orders[s] = inOrder
	}
	c.begin(fewMoments, firstMoment)
	return c
}

// begin makes moments available. The next one is now; those before now are latest uses of lines.
func (c *classifiedLRU) begin(moments int, now uint32) {
	if moments > 64*len(c.latest) {
		c.latest = make([]uint64, moments/64)
	}
	for i := range c.latest {
		c.latest[i] = 1<<64 - 1
	}
	c.latest[0] = 1<<64 - 1<<firstMoment
	c.now = now
}

// placesOf returns the line numbers of a batch, including those of written-back lines.
func (c *classifiedLRU) placesOf(b *batch, from, to int) []uint32 {
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

// use is like array.use for at most missRoom misses. It also counts their causes.
func (c *classifiedLRU) use(keys []key, places []uint32, out []miss, counts *Counts) (used, missed int) {
	if int(c.now) == 64*len(c.latest) {
		c.compact()
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

// touch loads the state of lines before it is needed, so that the loads overlap.
func (c *classifiedLRU) touch(places []uint32) {
	touched := c.touched
	for _, p := range places {
		touched += c.lines[p].used
	}
	c.touched = touched // or the compiler drops the loads
}

// take lets the fully associative cache miss and load a line that was last used at moment was. It
// returns the cause of the miss.
func (c *classifiedLRU) take(was uint32, counts *Counts) cause {
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

// mark makes a line in the cache dirty.
func (c *classifiedLRU) mark(x *classifiedLine, place uint32) {
	if x.way&1 == 0 {
		x.way |= 1
		c.held[x.way>>1] = uint64(place)<<1 | 1 // needs no load from memory
	}
}

// fill loads a line into its set. It returns the line's way, the key that it replaces, and the
// number of that line.
func (c *classifiedLRU) fill(k key, of uint32) (way uint32, victim key, left uint32) {
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
		victim = held & 1 // the dirty state in held; the line's own word would have to be loaded
	}
	if c.names != nil {
		if left != 0 {
			victim |= c.names.Of(left) << 1
		}
		c.names.Set(of, k>>1)
	}
	return uint32(at)<<1 | uint32(k&1), victim, left
}

// compact gives all lines new moments.
func (c *classifiedLRU) compact() {
	before := make([]uint32, len(c.latest)) // the new moments of the first line of each word
	n := uint32(firstMoment)
	for i, word := range c.latest {
		before[i] = n
		n += uint32(bits.OnesCount64(word))
	}
	rank := func(t uint32) uint32 {
		return before[t>>6] + uint32(bits.OnesCount64(c.latest[t>>6]&(1<<(t&63)-1)))
	}
	for i := range c.lines {
		if x := &c.lines[i]; x.used >= firstMoment {
			x.used = rank(x.used)
		}
	}
	c.oldest = rank(c.oldest)
	const most = 1<<32 - 64 // a table has no more lines
	c.begin(min(momentRoom*(len(c.lines)+63)/64*64, most), n)
}

// hand appends the line numbers of the requests that misses cause at the next level.
func (c *classifiedLRU) hand(places []uint32, out []miss, to *batch) {
	at := to.spare(2 * len(out))
	n := 0
	for i := range out {
		m := &out[i]
		at[n], at[n+1] = places[m.at], c.left[i]
		n += 1 + int(m.victim&1)
	}
	to.places = to.places[:len(to.places)+n]
}
