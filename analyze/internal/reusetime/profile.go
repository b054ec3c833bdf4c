package reusetime

import "sort"

// A Profile computes results for windows and caches of every size from the times of a stream. Counts and sums
// are interpolated between the ends of bins. The zero value is the profile of a stream without uses.
type Profile struct {
	Uses  float64 // n
	Lines float64 // m, distinct lines

	points []point // by window, from 0 to n
}

// point has the exact results for a window length w. They only need sums over times beyond w. The gaps of a
// stream are its reuse, first and last times.
type point struct {
	window    float64 // w, in uses
	gaps      float64 // number of gaps longer than w
	excess    float64 // sum of gap - w over these gaps
	misses    float64 // first uses, and uses with a reuse time longer than w
	filled    float64 // n times the sum of P(t) over t below w: the sum of min(reuse time, w) over all uses, w for first uses
	minGrowth float64 // smallest growth of the average footprint, at this and all smaller windows; at most 1
	working   float64 // n s(w): the sum of min(t, w) over all reuse and last times
}

func newProfile(reuse, first, last *Histogram) *Profile {
	lines := float64(first.total())
	p := &Profile{Uses: float64(reuse.total()) + lines, Lines: lines}
	if p.Uses == 0 {
		return p
	}
	p.points = pointsOf(p.Uses, reuse, first, last)
	r, f, l := p.sums(reuse), p.sums(first), p.sums(last)
	for k := range p.points {
		e := &p.points[k]
		e.gaps = r.over[k] + f.over[k] + l.over[k]
		e.excess = r.excess[k] + f.excess[k] + l.excess[k]
		e.misses = r.over[k] + p.Lines
		e.filled = r.covered[k] + p.Lines*e.window
		e.working = r.covered[k] + l.covered[k]
		e.minGrowth = 1
		if k > 0 {
			e.minGrowth = p.points[k-1].minGrowth
		}
		if e.window < p.Uses {
			e.minGrowth = min(e.minGrowth, p.growthAt(*e))
		}
	}
	return p
}

// pointsOf returns the ends of all bins that are not empty, and of the bins before them, from window 0 to all
// uses.
func pointsOf(uses float64, reuse, first, last *Histogram) []point {
	edges := []point{{window: 0}}
	add := func(w float64) {
		if w > edges[len(edges)-1].window {
			edges = append(edges, point{window: w})
		}
	}
	for i := range max(len(reuse.bins), len(first.bins), len(last.bins)) { // they have the same bin limits
		if reuse.has(i) || first.has(i) || last.has(i) {
			add(float64(binEnd(i - 1)))
			add(min(float64(binEnd(i)), uses))
		}
	}
	add(uses)
	return edges
}

// sums has sums over the times t of one histogram, by point w: the number of times over w, the sum of t - w
// over these, and the sum of min(t, w) over all times. All terms are positive, so that no value is a
// difference of large numbers.
type sums struct{ over, excess, covered []float64 }

func (p *Profile) sums(h *Histogram) sums {
	n := len(p.points)
	s := sums{make([]float64, n), make([]float64, n), make([]float64, n)}
	count, above := make([]float64, n), make([]float64, n) // of the bin that starts at a point: number of times, and sum of times less the point
	k := 0
	for b := range h.All() {
		for p.points[k].window < float64(b.Least-1) {
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

// width returns the number of windows from point k to the next.
func (p *Profile) width(k int) float64 { return p.points[k+1].window - p.points[k].window }

// search returns the last point for which holds is true, but never the very last point. If holds is true for
// a point, it must be true for all earlier ones.
func (p *Profile) search(holds func(e point) bool) int {
	return max(0, sort.Search(len(p.points)-1, func(i int) bool { return !holds(p.points[i]) })-1)
}

// interpolate returns the results for windows of w uses. They are exact if no time lies strictly between the
// two neighbouring points.
func (p *Profile) interpolate(w float64) point {
	k := p.search(func(e point) bool { return e.window <= w })
	a, b := p.points[k], p.points[k+1]
	x := min((w-a.window)/(b.window-a.window), 1)
	mix := func(a, b float64) float64 { return a + (b-a)*x }
	return point{window: w, gaps: mix(a.gaps, b.gaps), excess: mix(a.excess, b.excess), misses: mix(a.misses, b.misses),
		filled: mix(a.filled, b.filled), minGrowth: mix(a.minGrowth, b.minGrowth), working: mix(a.working, b.working)}
}
