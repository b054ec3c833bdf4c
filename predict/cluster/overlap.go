package cluster

// overlap is how far a processor runs on behind misses: see predict/memsys.
type overlap struct {
	outstanding float64 // misses under way at most; 0: it waits for each
	window      float64 // time that the instructions take for which there is room behind a miss
}

// waited is the part of a miss that the processor waits for, on average, if misses come at random with this mean time of
// instructions between them.
//
// After a miss, instructions go on until there is no more room behind it, or no more misses may be under way. Then the processor waits
// for it; those that came in the meantime have as much room left as they need time then, and are not waited for. So of 1 + window/gap
// misses, or as many as may be under way, one is waited for, and for what is left of it.
func (o overlap) waited(miss, gap float64) float64 {
	if o.outstanding == 0 || miss <= 0 {
		return 1
	}
	if gap <= 0 {
		return 1 / o.outstanding
	}
	together := min(o.outstanding, 1+o.window/gap)
	return max(0, miss-min(o.window, o.outstanding*gap)) / miss / together
}
