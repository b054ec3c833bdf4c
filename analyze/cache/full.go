package cache

// full is one fully associative LRU cache of lines that are known by their places. Every use takes the next moment, and a line
// is there as long as its latest use is not before the oldest moment: so a use that hits moves nothing, and the line
// that leaves is found by going on from the oldest moment to the next one that is a line's latest use. What the moments were
// used for is kept in a ring. When that is full, the lines that are there take new moments, in their order.
type full struct {
	ways   uint32
	held   uint32   // lines that are there
	last   []uint32 // by place: when the line was used last; 0: never, or it was taken out
	ring   []uint32 // by moment, the lowest bits: the place of the line that was used; a power of two long
	now    uint32   // the next moment
	oldest uint32
	there  []uint32 // places, for makeRoom
	end    uint32   // the moment at which they begin again
}

const (
	firstRing  = 1 << 8
	ringRoom   = 4       // moments of a ring for each line that is there, at least: the more, the less often it is condensed
	lastMoment = 1 << 31 // rings are of 2^30 moments at most
)

func newFull(ways uint32) *full {
	return &full{ways: ways, ring: make([]uint32, firstRing), now: 1, oldest: 1, end: lastMoment}
}

// use uses lines in order, takes in those that are not there, and appends their indices to missed. For each, another line leaves
// if there are too many.
func (f *full) use(places, missed []uint32) []uint32 {
	last, ring, now, oldest, limit := f.last, f.ring, f.now, f.oldest, f.limit()
	for i, p := range places {
		if now == limit {
			f.now, f.oldest = now, oldest
			f.makeRoom()
			ring, now, oldest, limit = f.ring, f.now, f.oldest, f.limit()
		}
		before := last[p]
		last[p] = now
		ring[int(now)&(len(ring)-1)] = p
		now++
		if before >= oldest {
			continue
		}
		missed = append(missed, uint32(i))
		if f.held < f.ways {
			f.held++
			continue
		}
		for last[ring[int(oldest)&(len(ring)-1)]] != oldest {
			oldest++
		}
		oldest++
		limit = min(oldest+uint32(len(ring)), f.end)
	}
	f.now, f.oldest = now, oldest
	return missed
}

// limit is the moment for which there is no room.
func (f *full) limit() uint32 { return min(f.oldest+uint32(len(f.ring)), f.end) }

// hit uses a line if it is there, and reports whether it is.
func (f *full) hit(place uint32) bool {
	if f.last[place] < f.oldest {
		return false
	}
	f.use([]uint32{place}, nil)
	return true
}

// drop takes a line out, and reports whether it was there.
func (f *full) drop(place uint32) bool {
	if f.last[place] < f.oldest {
		return false
	}
	f.last[place] = 0
	f.held--
	return true
}

// makeRoom gives the lines that are there new moments.
func (f *full) makeRoom() {
	f.there = f.there[:0]
	for t := f.oldest; t != f.now; t++ {
		if p := f.ring[int(t)&(len(f.ring)-1)]; f.last[p] == t {
			f.there = append(f.there, p)
		}
	}
	if ringRoom*len(f.there) > len(f.ring) && len(f.ring) < lastMoment/2 {
		f.ring = make([]uint32, 2*len(f.ring))
	}
	if int(f.now)+len(f.there) >= int(f.end) {
		clear(f.last)
		f.now = 1
	}
	f.oldest = f.now
	for _, p := range f.there {
		f.last[p], f.ring[int(f.now)&(len(f.ring)-1)] = f.now, p
		f.now++
	}
}
