package footprint

// counts summarises the windows of a processor.
type counts struct {
	current, currentShared uint64 // distinct blocks in the open window, and those shared within it
	windows                uint64
	blocks, maxBlocks      uint64 // sum over windows, and maximum
	shared, maxShared      uint64 // shared within the window
	maxPrivate             uint64
	traceShared            uint64 // sum over windows of the blocks shared over the trace
	total, totalShared     uint64 // distinct blocks of the trace
}

func (c *counts) close() {
	c.windows++
	c.blocks += c.current
	c.maxBlocks = max(c.maxBlocks, c.current)
	c.shared += c.currentShared
	c.maxShared = max(c.maxShared, c.currentShared)
	c.maxPrivate = max(c.maxPrivate, c.current-c.currentShared)
	c.current, c.currentShared = 0, 0
}

// addBlock adds a block, given the number of windows in which it was used.
func (c *counts) addBlock(visits uint64, shared bool) {
	if visits == 0 {
		return
	}
	c.total++
	if shared {
		c.totalShared++
		c.traceShared += visits
	}
}

// mean divides a sum over windows by their number.
func (c *counts) mean(sum uint64) float64 {
	if c.windows == 0 {
		return 0
	}
	return float64(sum) / float64(c.windows)
}
