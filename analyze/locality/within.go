package locality

import (
	"math"

	"spoor/analyze/analysis"
	"spoor/analyze/reuse"
)

// A sample of the lines tells miss ratios within intervals. What is made of them is found anew from curves at the ends of these: all of
// the curve higher or lower, or its near part one way and its far part the other, which is what changes the slope. Half an interval is
// how far the farthest of these is from the value. So an interval is of what the sample does not know of the trace: it says nothing of
// what another run would do, for which a sample keeps no segments.
const byCurves = "interval from the ends of the intervals of sampled miss ratios, for this trace: not what other runs would change"

// leanings are where between the middle, 0, and the ends of intervals, -1 and 1, a curve lies, from its near end, 0, to its far end, 1.
var leanings = []func(far float64) float64{
	func(float64) float64 { return 1 },
	func(float64) float64 { return -1 },
	func(far float64) float64 { return 1 - 2*far },
	func(far float64) float64 { return 2*far - 1 },
}

// uncertain is the misses of all processors together at the starts of classes from the first one on, that of class 1, and the ends of
// their intervals.
type uncertain struct{ lo, at, hi []float64 }

// uncertainty adds up what is known of processors, up to the start of the class behind the last of so many. It is nil if all is exact.
func uncertainty(of []*reuse.Distances, classes int) *uncertain {
	u := &uncertain{make([]float64, classes), make([]float64, classes), make([]float64, classes)}
	starts := make([]int64, classes)
	for i := range starts {
		starts[i] = reuse.ClassStart(i + 1)
	}
	exact := true
	for _, d := range of {
		exact = exact && d.Within == nil
		total := float64(d.Total())
		for i, misses := range d.Misses(starts) {
			at := float64(misses)
			lo, hi := d.Interval(starts[i], at/max(1, total))
			u.lo[i] += min(lo*total, at)
			u.at[i] += at
			u.hi[i] += max(hi*total, at)
		}
	}
	if exact {
		return nil
	}
	return u
}

// ends are the sample as it would be by other curves.
func (u *uncertain) ends(s *sample) (out []sample) {
	total, n := s.total(), len(u.at)
	for _, lean := range leanings {
		other := sample{instr: s.instr, refs: s.refs, uses: make([]float64, n)}
		left := total
		for i := range n {
			by, to := lean(float64(i+1)/float64(n)), u.hi[i]
			if by < 0 {
				to = u.lo[i]
			}
			next := min(left, u.at[i]+math.Abs(by)*(to-u.at[i])) // misses never rise
			other.uses[i] = left - next
			left = next
		}
		other.cold = left
		more := left / max(1, s.cold)
		other.censored = addScaled(nil, s.censored, more)
		other.footprint = max(1, int64(math.Round(more*float64(s.footprint))))
		out = append(out, other)
	}
	return out
}

// widths is half the intervals of parameters, by how they are found of a sample.
func (u *uncertain) widths(s *sample, at params, of func(*sample) ([]float64, error)) (width [2]float64) {
	for _, other := range u.ends(s) {
		v, err := of(&other)
		for i := range width {
			if err != nil {
				width[i] = maxWidth
				continue
			}
			width[i] = min(max(width[i], math.Abs(v[i]-at[i])), maxWidth)
		}
	}
	return width
}

// share is the 95 % interval of a count of what is cold, n of all uses.
func (u *uncertain) share(n float64) analysis.Estimate {
	last := len(u.at) - 1
	all := max(1, u.at[last])
	return analysis.Estimate{Value: n, Lo: n * u.lo[last] / all, Hi: n * u.hi[last] / all}
}
