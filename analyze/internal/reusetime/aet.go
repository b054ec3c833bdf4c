package reusetime

// Longer returns P(t), the share of uses with a reuse time over t. First uses have an infinite reuse time. It
// is exact at the ends of bins and in empty bins; elsewhere it is interpolated.
func (p *Profile) Longer(t float64) float64 {
	if p.Uses == 0 {
		return 0
	}
	if t >= p.Uses {
		return p.Lines / p.Uses
	}
	return p.interpolate(t).misses / p.Uses
}

// EvictionTime returns the average time T after which an unused line leaves a cache of the given lines
// [hu2016]:
//
//	P(0) + P(1) + ... + P(T-1) = lines
//
// The sum is interpolated between whole T. In every time step, a line moves one step down the LRU stack if
// the use is of a line further down, or of a new one. P is the probability of that. The result is at most n.
func (p *Profile) EvictionTime(lines float64) float64 {
	target := lines * p.Uses
	if last := len(p.points) - 1; last < 0 || target >= p.points[last].filled {
		return p.Uses
	}
	k := p.search(func(e point) bool { return e.filled <= target })
	a, b := p.points[k], p.points[k+1]
	return a.window + p.width(k)*max(0, target-a.filled)/(b.filled-a.filled)
}

// AET returns the miss ratio of a fully associative LRU cache from its average eviction time T [hu2016]:
// P(T). This is also the miss ratio from StatStack's expected stack distances [eklov2010]. A cache that holds
// all lines misses only first uses.
func (p *Profile) AET(lines float64) float64 {
	if lines >= p.Lines {
		return p.Longer(p.Uses)
	}
	return p.Longer(p.EvictionTime(lines))
}
