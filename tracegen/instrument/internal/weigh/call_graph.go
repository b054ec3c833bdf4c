package weigh

import "math"

// A callGraph estimates how often each function is called, from its call sites.
type callGraph struct {
	callers   map[uint64][]callSite // by the function's address
	estimates map[uint64]float64
}

// A callSite is a call: the calling function, and the number of calls in one execution of that function.
type callSite struct {
	from      uint64
	frequency float64
}

func newCallGraph() *callGraph {
	return &callGraph{callers: map[uint64][]callSite{}, estimates: map[uint64]float64{}}
}

func (c *callGraph) add(from, to uint64, frequency float64) {
	c.callers[to] = append(c.callers[to], callSite{from, frequency})
}

// estimate returns how often a function is called. It assumes that functions without direct callers are called
// once, and ignores recursive calls.
func (c *callGraph) estimate(to uint64) float64 {
	if n, ok := c.estimates[to]; ok {
		return n
	}
	c.estimates[to] = 0 // while its callers are visited
	sum := 0.0
	for _, s := range c.callers[to] {
		sum += c.estimate(s.from) * s.frequency
	}
	if sum == 0 {
		sum = 1
	}
	c.estimates[to] = sum
	return sum
}

// estimate returns how often a block is executed if every loop has ten iterations.
func (b *block) estimate() float64 { return math.Pow(10, float64(b.loop.depth())) }
