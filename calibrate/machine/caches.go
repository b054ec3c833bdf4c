package machine

import (
	"fmt"

	"spoor/traces/unit"
)

func (r *reader) caches(list []cacheText) {
	if len(list) > maxLevels {
		r.fail(level(maxLevels), "is one level too many; a machine has at most %d", maxLevels)
	}
	for i, t := range list {
		c := r.cache(level(i), t)
		if r.err != nil {
			return
		}
		r.m.Caches = append(r.m.Caches, c)
	}
}

// cache reads a level. The levels nearer to the processor have been read.
func (r *reader) cache(at string, t cacheText) Cache {
	c := Cache{Size: r.size(at+".size", t.Size, 1), Line: r.size(at+".line", t.Line, minLine),
		Ways: r.count(at+".ways", t.Ways, maxWays), Latency: r.ofMemory(at+".latency", t.Latency, r.reach())}
	if r.err != nil {
		return c
	}
	r.geometry(at, c)
	if n := len(r.m.Caches); n > 0 {
		r.behind(at, r.m.Caches[n-1], c)
	}
	return c
}

func (r *reader) sharedCache(t *cacheText) {
	const at = "shared_cache"
	if t == nil || r.err != nil {
		return
	}
	c := r.cache(at, *t)
	if len(r.m.Caches) == 0 {
		r.fail(at, "needs a [[cache]]: it is behind the private caches")
	}
	r.m.Shared = &c
}

func level(i int) string { return fmt.Sprintf("cache[%d]", i) }

func (r *reader) geometry(at string, c Cache) {
	way := c.Line * unit.Bytes(c.Ways)
	switch {
	case !c.Line.IsPowerOfTwo() || c.Line > maxLine:
		r.fail(at+".line", "%v is not a power of two from %v to %v", c.Line, minLine, maxLine)
	case c.Size > maxCache:
		r.fail(at+".size", "%v is more than %v", c.Size, maxCache)
	case c.Size%way != 0:
		r.fail(at+".size", "%v is not a multiple of line x ways = %v x %d = %v", c.Size, c.Line, c.Ways, way)
	case !unit.Bytes(c.Size / way).IsPowerOfTwo():
		r.fail(at+".size", "%v in %d ways of %v lines are %d sets, which is not a power of two", c.Size, c.Ways, c.Line, c.Size/way)
	}
}

// behind checks a level against the next nearer one: its line and its size must not be smaller.
func (r *reader) behind(at string, inner, outer Cache) {
	switch {
	case inner.Line > outer.Line:
		r.fail(at+".line", "%v is smaller than the %v line of the level before it", outer.Line, inner.Line)
	case inner.Size > outer.Size:
		r.fail(at+".size", "%v is less than the %v of the level before it; list the nearest first", outer.Size, inner.Size)
	}
}
