package cache

import "math/rand/v2"

var lruPolicy = policy{Name: "lru", Doc: "the least recently used line leaves",
	make: func(g geometry, _ *rand.Rand) array { return newQueue(g, true) }}

// newQueue creates sets that evict lines in the order of their last use, or of their arrival.
func newQueue(g geometry, onUse bool) array {
	switch {
	case g.ways <= shortWays:
		return newShort(g, onUse)
	case g.ways <= pairWays && onUse:
		return newPairs(g)
	case g.ways <= packedWays:
		return newPacked(g, onUse)
	}
	return newList(g, onUse)
}
