package footprint

// counts is the windows of a processor.
type counts struct {
	now, sharedNow     uint64 // in the open window: distinct blocks, and those shared within it
	windows            uint64
	blocks, most       uint64 // sum over windows, and the most in one
	shared, mostShared uint64 // within the window
	mostPrivate        uint64
	traceShared        uint64 // sum over windows, by sharing over the trace
	total, totalShared uint64 // of the trace
}

func (c *counts) close() {
	c.windows++
	c.blocks += c.now
	c.most = max(c.most, c.now)
	c.shared += c.sharedNow
	c.mostShared = max(c.mostShared, c.sharedNow)
	c.mostPrivate = max(c.mostPrivate, c.now-c.sharedNow)
	c.now, c.sharedNow = 0, 0
}

// sum adds a block that was used in so many windows, if it was used.
func (c *counts) sum(visits uint64, shared bool) {
	if visits == 0 {
		return
	}
	c.total++
	if shared {
		c.totalShared++
		c.traceShared += visits
	}
}

// mean is a sum over windows, divided by their number.
func (c *counts) mean(sum uint64) float64 {
	if c.windows == 0 {
		return 0
	}
	return float64(sum) / float64(c.windows)
}
