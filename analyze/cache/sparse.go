package cache

import "math/bits"

// mostDense is how many lines the caches of one level hold together at most, of all processors, before their sets are made when
// they are first used: what is made at once takes about ten bytes for each.
const mostDense = 1 << 23

// sparse is sets that are made when a line first belongs to them, with their neighbours, so that memory is bounded by the lines
// that are used. Which lines leave is as without; a use takes longer.
type sparse struct {
	geometry
	parts []array // by sets / neighbours: they, nil if none has had a line
	near  geometry
	of    func(g geometry) array
}

// roomy is sets that are made at once if they have so many lines at most, else when they are first used.
func roomy(g geometry, dense int64, of func(geometry) array) array {
	if g.sets*g.ways <= uint64(dense) {
		return of(g)
	}
	return newSparse(g, of)
}

// linesAtOnce is of neighbouring sets that are made together, if their number is a power of two.
const linesAtOnce = 128

func newSparse(g geometry, of func(geometry) array) *sparse {
	c := &sparse{geometry: g, near: newGeometry(1, int64(g.ways)), of: of}
	if !g.odd() {
		some := uint64(1) << (bits.Len64(max(linesAtOnce/g.ways, 1)) - 1)
		c.near = newGeometry(int64(min(some, g.sets)), int64(g.ways))
	}
	c.parts = make([]array, g.sets/c.near.sets)
	return c
}

// part is the sets around that of a line, nil if none has had one.
func (c *sparse) part(line uint64) *array { return &c.parts[c.set(line)/c.near.sets] }

func (c *sparse) use(keys []key, out []miss) (used, missed int) { return useEach(c, keys, out) }

func (c *sparse) hit(k key) bool {
	p := *c.part(k >> 1)
	return p != nil && p.hit(k)
}

func (c *sparse) fill(k key) (victim key) {
	p := c.part(k >> 1)
	if *p == nil {
		*p = c.of(c.near)
	}
	return (*p).fill(k)
}

func (c *sparse) mark(line uint64) bool {
	p := *c.part(line)
	return p != nil && p.mark(line)
}

func (c *sparse) drop(line uint64) key {
	p := *c.part(line)
	if p == nil {
		return empty
	}
	return p.drop(line)
}
