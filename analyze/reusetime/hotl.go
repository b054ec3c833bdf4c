package reusetime

// Footprint is the average footprint of windows of w uses: the mean, over all n-w+1 windows of w
// consecutive uses, of the number of distinct lines in it [xiang2013]:
//
//	fp(w) = m - G(w)/(n-w+1),  G(w) = sum of t - w over all gaps t > w
//
// where the gaps are the reuse times, first times and last times. It is exact where a bin ends and in bins without
// times; within others, G is interpolated, which errs to the small side. Windows longer than the stream
// have all lines.
func (p *Profile) Footprint(w float64) float64 {
	if w >= p.Uses {
		return p.Lines
	}
	return p.footprint(p.at(w))
}

func (p *Profile) footprint(e edge) float64 { return p.Lines - e.excess/(p.Uses-e.window+1) }

// WorkingSet is Denning's average working-set size [denning1972]: the mean, over all n uses, of the number of
// distinct lines among the w uses that end there, or among all uses so far if they are
// fewer. With D(k) distinct lines among the first k uses,
//
//	n s(w) = (n-w+1) fp(w) + D(1) + ... + D(w-1)
//
// so that the two differ by (w-1)/n of the footprint at most.
func (p *Profile) WorkingSet(w float64) float64 {
	if p.Uses == 0 {
		return 0
	}
	return p.at(min(w, p.Uses)).working / p.Uses
}

// Window is the length of the windows whose average footprint is so many lines: the inverse of Footprint, n at
// most.
func (p *Profile) Window(lines float64) float64 {
	if lines >= p.Lines {
		return p.Uses
	}
	k := p.last(func(e edge) bool { return p.footprint(e) <= lines })
	// G is linear in w here, G = excess - slope (w - window), and (m - lines)(n-w+1) = G.
	a := p.edges[k]
	slope := (a.excess - p.edges[k+1].excess) / p.width(k)
	missing := p.Lines - lines
	w := a.window
	if d := slope - missing; d > 0 {
		w += (a.excess - missing*(p.Uses-a.window+1)) / d
	}
	return min(max(a.window, w), p.edges[k+1].window)
}

// Growth is by how many lines the average footprint grows when the window does by one use:
//
//	fp(w+1) - fp(w) = (C(w) (n-w+1) - G(w)) / ((n-w) (n-w+1)),  C(w) = the number of gaps > w
//
// Between whole window lengths, C and G are interpolated. From n on it is 0.
func (p *Profile) Growth(w float64) float64 {
	if w >= p.Uses {
		return 0
	}
	return p.growth(p.at(min(w, p.Uses-1)))
}

func (p *Profile) growth(e edge) float64 {
	rest := p.Uses - e.window
	return (e.gaps*(rest+1) - e.excess) / (rest * (rest + 1))
}

// HOTL is the miss ratio of a fully associative LRU cache of so many lines by the higher-order theory of
// locality [xiang2013]: the growth of the average footprint at the window that just fits.
//
// Differs: it is never less than m/n, as first uses miss whatever the size, and never more than at a
// smaller size, which LRU rules out. Without these, it is wrong near m lines: windows nearly as long as the stream are
// so few that their average says little.
func (p *Profile) HOTL(lines float64) float64 { return p.missAt(p.Window(lines)) }

// missAt is the miss ratio of a cache that the average window of w uses fills.
func (p *Profile) missAt(w float64) float64 {
	if p.Uses == 0 {
		return 0
	}
	cold := p.Lines / p.Uses
	if w >= p.Uses {
		return cold
	}
	return max(cold, p.at(w).leastGrowth)
}
