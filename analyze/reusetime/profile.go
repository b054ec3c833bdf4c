package reusetime

import "sort"

// A Profile is what the times of a stream say of windows and caches of every size. Between the ends of
// bins, counts and sums are interpolated. The
// zero value is that of a stream without uses.
type Profile struct {
	Uses  float64 // n
	Lines float64 // m, distinct

	edges []edge // by window, from 0 to n
}

// edge is what is known exactly of a window length w: nothing but sums over times beyond w. The gaps of a
// stream are its reuse, first and last times.
type edge struct {
	window      float64 // w, in uses
	gaps        float64 // longer than w
	excess      float64 // of those gaps over w, their sum
	misses      float64 // uses that are first ones or have a longer reuse time than w
	filled      float64 // n times the sum of P(t) for t below w, that is of min(reuse time, w) over all uses, first ones w
	leastGrowth float64 // of the average footprint, at this and all smaller windows; at most 1
	working     float64 // n s(w): the sum of min(t, w) over all reuse and last times
}

func newProfile(reuse, first, last *Histogram) *Profile {
	lines := float64(first.total())
	p := &Profile{Uses: float64(reuse.total()) + lines, Lines: lines}
	if p.Uses == 0 {
		return p
	}
	p.edges = edgesOf(p.Uses, reuse, first, last)
	r, f, l := p.sums(reuse), p.sums(first), p.sums(last)
	for k := range p.edges {
		e := &p.edges[k]
		e.gaps = r.over[k] + f.over[k] + l.over[k]
		e.excess = r.excess[k] + f.excess[k] + l.excess[k]
		e.misses = r.over[k] + p.Lines
		e.filled = r.covered[k] + p.Lines*e.window
		e.working = r.covered[k] + l.covered[k]
		e.leastGrowth = 1
		if k > 0 {
			e.leastGrowth = p.edges[k-1].leastGrowth
		}
		if e.window < p.Uses {
			e.leastGrowth = min(e.leastGrowth, p.growth(*e))
		}
	}
	return p
}

// edgesOf are the ends of all bins that are not empty, and of the windows before the first and after the last.
func edgesOf(uses float64, reuse, first, last *Histogram) []edge {
	edges := []edge{{window: 0}}
	add := func(w float64) {
		if w > edges[len(edges)-1].window {
			edges = append(edges, edge{window: w})
		}
	}
	for i := range max(len(reuse.bins), len(first.bins), len(last.bins)) { // they share their limits
		if reuse.has(i) || first.has(i) || last.has(i) {
			add(float64(end(i - 1)))
			add(min(float64(end(i)), uses))
		}
	}
	add(uses)
	return edges
}

// sums is, for the times t of one histogram, by edge w: how many are over w, the sum of
// t - w of those, and the sum of min(t, w) of all. Every one is added up from positive terms, so
// that none is a difference of large numbers.
type sums struct{ over, excess, covered []float64 }

func (p *Profile) sums(h *Histogram) sums {
	n := len(p.edges)
	s := sums{make([]float64, n), make([]float64, n), make([]float64, n)}
	count, above := make([]float64, n), make([]float64, n) // of the bin that begins at an edge: its times, and their sum over the edge
	k := 0
	for b := range h.All() {
		for p.edges[k].window < float64(b.Least-1) {
			k++
		}
		count[k], above[k] = float64(b.Count), float64(b.Sum-b.Count*(b.Least-1))
	}
	for k := n - 2; k >= 0; k-- {
		s.over[k] = s.over[k+1] + count[k]
		s.excess[k] = s.excess[k+1] + s.over[k+1]*p.width(k) + above[k]
	}
	for k := range n - 1 {
		s.covered[k+1] = s.covered[k] + s.over[k+1]*p.width(k) + above[k]
	}
	return s
}

// width is the number of windows from edge k to the next.
func (p *Profile) width(k int) float64 { return p.edges[k+1].window - p.edges[k].window }

// last is the last edge, but never the very last one, for which something holds that holds up to there.
func (p *Profile) last(holds func(e edge) bool) int {
	return max(0, sort.Search(len(p.edges)-1, func(i int) bool { return !holds(p.edges[i]) })-1)
}

// at is what is known of windows of w uses by interpolation between edges: exact where no time
// lies strictly between the two.
func (p *Profile) at(w float64) edge {
	k := p.last(func(e edge) bool { return e.window <= w })
	a, b := p.edges[k], p.edges[k+1]
	x := min((w-a.window)/(b.window-a.window), 1)
	mix := func(a, b float64) float64 { return a + (b-a)*x }
	return edge{window: w, gaps: mix(a.gaps, b.gaps), excess: mix(a.excess, b.excess), misses: mix(a.misses, b.misses),
		filled: mix(a.filled, b.filled), leastGrowth: mix(a.leastGrowth, b.leastGrowth), working: mix(a.working, b.working)}
}
