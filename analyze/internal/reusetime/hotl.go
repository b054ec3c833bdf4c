package reusetime

// Footprint returns the average footprint of windows of w uses. This is the mean number of distinct lines
// over all n-w+1 windows of w consecutive uses [xiang2013]:
//
//	fp(w) = m - G(w)/(n-w+1),  G(w) = sum of t - w over all gaps t > w
//
// Gaps are the reuse times, first times and last times. The result is exact at the ends of bins and in empty
// bins. Within other bins G is interpolated, which makes the result too small. Windows longer than the stream
// have all lines.
func (p *Profile) Footprint(w float64) float64 {
	if w >= p.Uses {
		return p.Lines
	}
	return p.footprintAt(p.interpolate(w))
}

func (p *Profile) footprintAt(e point) float64 { return p.Lines - e.excess/(p.Uses-e.window+1) }

// WorkingSet returns Denning's average working-set size [denning1972]. It is the mean over all n uses of the
// number of distinct lines among the last w uses, or among all uses so far if these are fewer. With D(k)
// distinct lines among the first k uses,
//
//	n s(w) = (n-w+1) fp(w) + D(1) + ... + D(w-1)
//
// Therefore the two differ by at most (w-1)/n of the footprint.
func (p *Profile) WorkingSet(w float64) float64 {
	if p.Uses == 0 {
		return 0
	}
	return p.interpolate(min(w, p.Uses)).working / p.Uses
}

// Window returns the length of the windows with the given average footprint, at most n. It is the inverse of
// Footprint.
func (p *Profile) Window(lines float64) float64 {
	if lines >= p.Lines {
		return p.Uses
	}
	k := p.search(func(e point) bool { return p.footprintAt(e) <= lines })
	// G is linear in w here, G = excess - slope (w - window), and (m - lines)(n-w+1) = G.
	a := p.points[k]
	slope := (a.excess - p.points[k+1].excess) / p.width(k)
	missing := p.Lines - lines
	w := a.window
	if d := slope - missing; d > 0 {
		w += (a.excess - missing*(p.Uses-a.window+1)) / d
	}
	return min(max(a.window, w), p.points[k+1].window)
}

// Growth returns the growth of the average footprint when the window grows by one use:
//
//	fp(w+1) - fp(w) = (C(w) (n-w+1) - G(w)) / ((n-w) (n-w+1)),  C(w) = the number of gaps > w
//
// C and G are interpolated between whole window lengths. From n on it is 0.
func (p *Profile) Growth(w float64) float64 {
	if w >= p.Uses {
		return 0
	}
	return p.growthAt(p.interpolate(min(w, p.Uses-1)))
}

func (p *Profile) growthAt(e point) float64 {
	rest := p.Uses - e.window
	return (e.gaps*(rest+1) - e.excess) / (rest * (rest + 1))
}

// HOTL returns the miss ratio of a fully associative LRU cache by the higher-order theory of locality
// [xiang2013]: the growth of the average footprint at the window that just fits.
//
// Differs: the result is at least m/n, because first uses miss at every size. It is at most the miss ratio of
// any smaller size, because LRU caches have this property. Without these limits it is wrong near m lines:
// windows nearly as long as the stream are so few that their average is unreliable.
func (p *Profile) HOTL(lines float64) float64 { return p.missAt(p.Window(lines)) }

// missAt returns the miss ratio of a cache that the average window of w uses fills.
func (p *Profile) missAt(w float64) float64 {
	if p.Uses == 0 {
		return 0
	}
	cold := p.Lines / p.Uses
	if w >= p.Uses {
		return cold
	}
	return max(cold, p.interpolate(w).minGrowth)
}
