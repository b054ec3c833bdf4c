package cache

// full is a fully associative LRU cache of numbered lines. Every use takes the next moment. A line
// is present while its latest use is not before the oldest moment. Therefore a hit moves nothing.
// To evict, full continues from the oldest moment to the next one that is a line's latest use. A
// ring records which line each moment belongs to. When the ring is full, the present lines get new
// moments in the same order.
type full struct {
	ways   uint32
	held   uint32   // number of lines present
	last   []uint32 // by line number: moment of the last use; 0: never, or removed
	ring   []uint32 // by the lowest bits of a moment: the number of the line used; the length is a power of two
	now    uint32   // the next moment
	oldest uint32
	there  []uint32 // line numbers, for makeRoom
	end    uint32   // the moment at which moments start again
}

const (
	firstRing  = 1 << 8
	ringRoom   = 4       // minimum number of moments per present line; more moments mean fewer renewals
	lastMoment = 1 << 31 // rings have at most 2^30 moments
)

func newFull(ways uint32) *full {
	return &full{ways: ways, ring: make([]uint32, firstRing), now: 1, oldest: 1, end: lastMoment}
}

// use uses lines in order and loads those that are absent. It appends their indices to missed. If
// the cache is full, each of them evicts another line.
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

// limit returns the first moment for which the ring has no room.
func (f *full) limit() uint32 { return min(f.oldest+uint32(len(f.ring)), f.end) }

// hit uses a line if it is present, and reports whether it is.
func (f *full) hit(place uint32) bool {
	if f.last[place] < f.oldest {
		return false
	}
	f.use([]uint32{place}, nil)
	return true
}

// drop removes a line, and reports whether it was present.
func (f *full) drop(place uint32) bool {
	if f.last[place] < f.oldest {
		return false
	}
	f.last[place] = 0
	f.held--
	return true
}

// makeRoom gives the present lines new moments.
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
