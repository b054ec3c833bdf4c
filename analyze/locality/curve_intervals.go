package locality

import (
	"math"

	"spoor/analyze/internal/paramfile"
	"spoor/analyze/reuse"
)

// sampledInterval describes the intervals of parameters from a sample of lines. Its miss ratios have
// intervals. The parameters are fitted again to curves at the ends of these intervals. In two of them, the
// whole curve is higher or lower. In the other two, the near part and the far part move in opposite
// directions, which changes the slope. The half width is the largest distance of these results from the
// value. So an interval covers the sampling error only. It does not cover other runs, because a sample has no
// segments.
const sampledInterval = "interval from the ends of the intervals of sampled miss ratios, for this trace: without the variation between runs"

// curveShapes are the positions of curves in the intervals, by relative size from 0 (nearest) to 1
// (farthest). Position -1 is the lower end of an interval, 0 the estimate, 1 the upper end.
var curveShapes = []func(far float64) float64{
	func(float64) float64 { return 1 },
	func(float64) float64 { return -1 },
	func(far float64) float64 { return 1 - 2*far },
	func(far float64) float64 { return 2*far - 1 },
}

// curveIntervals has the misses of all processors at the starts of classes, from class 1 on, with the ends of
// their intervals.
type curveIntervals struct{ lo, at, hi []float64 }

// newCurveIntervals sums the misses of processors at the ends of the given number of classes. It returns nil
// if all are exact.
func newCurveIntervals(distances []*reuse.Distances, classes int) *curveIntervals {
	u := &curveIntervals{make([]float64, classes), make([]float64, classes), make([]float64, classes)}
	starts := make([]int64, classes)
	for i := range starts {
		starts[i] = reuse.ClassStart(i + 1)
	}
	exact := true
	for _, d := range distances {
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

// samples returns the sample that each of the curves would give.
func (u *curveIntervals) samples(s *sample) (out []sample) {
	total, n := s.total(), len(u.at)
	for _, shape := range curveShapes {
		other := sample{instr: s.instr, refs: s.refs, uses: make([]float64, n)}
		left := total
		for i := range n {
			position, end := shape(float64(i+1)/float64(n)), u.hi[i]
			if position < 0 {
				end = u.lo[i]
			}
			next := min(left, u.at[i]+math.Abs(position)*(end-u.at[i])) // misses never increase
			other.uses[i] = left - next
			left = next
		}
		other.cold = left
		scale := left / max(1, s.cold)
		other.censored = addScaled(nil, s.censored, scale)
		other.footprint = max(1, int64(math.Round(scale*float64(s.footprint))))
		out = append(out, other)
	}
	return out
}

// widths returns the half widths of the intervals of parameters. statistic computes the parameters of a
// sample.
func (u *curveIntervals) widths(s *sample, at params, statistic func(*sample) ([]float64, error)) (width [2]float64) {
	for _, other := range u.samples(s) {
		v, err := statistic(&other)
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

// share returns the 95 % interval of n, a number of first uses, or its share.
func (u *curveIntervals) share(n float64) paramfile.Estimate {
	last := len(u.at) - 1
	all := max(1, u.at[last])
	return paramfile.Estimate{Value: n, Lo: n * u.lo[last] / all, Hi: n * u.hi[last] / all}
}
