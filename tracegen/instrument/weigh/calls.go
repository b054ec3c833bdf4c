package weigh

import "math"

// A callGraph guesses how often each function is called, from where it is called.
type callGraph struct {
	callers map[uint64][]callSite // by the function's address
	guesses map[uint64]float64
}

// A callSite is a call: from which function, and how often in each call of that.
type callSite struct {
	from  uint64
	often float64
}

func newCallGraph() *callGraph {
	return &callGraph{callers: map[uint64][]callSite{}, guesses: map[uint64]float64{}}
}

func (c *callGraph) add(from, to uint64, often float64) {
	c.callers[to] = append(c.callers[to], callSite{from, often})
}

// guess returns how often a function is called if what nobody calls directly is
// called once, and recursive calls do not count.
func (c *callGraph) guess(to uint64) float64 {
	if n, ok := c.guesses[to]; ok {
		return n
	}
	c.guesses[to] = 0 // while its callers are looked at
	sum := 0.0
	for _, s := range c.callers[to] {
		sum += c.guess(s.from) * s.often
	}
	if sum == 0 {
		sum = 1
	}
	c.guesses[to] = sum
	return sum
}

// guess returns how often a block is executed if every loop has ten iterations.
func (b *block) guess() float64 { return math.Pow(10, float64(b.loop.depth())) }
