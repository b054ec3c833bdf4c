package reusetime

// Longer is P(t), the part of uses with a reuse time over t; that of first uses is infinite. It is exact where a bin
// ends and in bins without times; else it is interpolated.
func (p *Profile) Longer(t float64) float64 {
	if p.Uses == 0 {
		return 0
	}
	if t >= p.Uses {
		return p.Lines / p.Uses
	}
	return p.at(t).misses / p.Uses
}

// EvictionTime is T with
//
//	P(0) + P(1) + ... + P(T-1) = lines
//
// after which a line that is not used leaves a cache of so many lines, on average [hu2016]; the sum
// is interpolated between whole T. In every time step, a line moves one step towards the end of the LRU stack with
// the probability that the use then is of a line behind it. It is n at most.
func (p *Profile) EvictionTime(lines float64) float64 {
	target := lines * p.Uses
	if last := len(p.edges) - 1; last < 0 || target >= p.edges[last].filled {
		return p.Uses
	}
	k := p.last(func(e edge) bool { return e.filled <= target })
	a, b := p.edges[k], p.edges[k+1]
	return a.window + p.width(k)*max(0, target-a.filled)/(b.filled-a.filled)
}

// AET is the miss ratio of a fully associative LRU cache of so many lines by its average eviction time [hu2016],
// P(T), which is also that of StatStack's expected stack distances [eklov2010]. A cache that holds all
// lines misses the first uses alone.
func (p *Profile) AET(lines float64) float64 {
	if lines >= p.Lines {
		return p.Longer(p.Uses)
	}
	return p.Longer(p.EvictionTime(lines))
}
