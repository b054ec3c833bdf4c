package fit

import (
	"fmt"
	"math"
	"slices"
)

// Line is a linear model of times over sizes, y = At0 + Slope x.
type Line struct{ At0, Slope float64 }

// At returns the line's value at x.
func (l Line) At(x float64) float64 { return l.At0 + l.Slope*x }

// Segment is a range of points, First to Last, with the line that fits them.
type Segment struct {
	First, Last int
	Line        Line
}

const (
	// minSegment is the least number of points of a segment: two points always lie on a line.
	minSegment = 3
	// negligible is the relative error below which a difference does not start a new segment.
	negligible = 1e-4
	// maxCuts bounds the points at which a segment may start. With more points, only every second, third, ... is
	// tried.
	maxCuts = 1000
)

// Segments divides points of ascending x into segments, and fits a line to each. The number of segments, from 1 to
// most, minimizes
//
//	n ln(SSE/(n-p)) + 0.299 p (ln n)^2.1,  p = 3k-1
//
// [liu1997], with SSE the sum of squared relative errors of n points about k lines, which have 2k coefficients and
// k-1 ends. The lines need not meet: times jump where a protocol changes.
//
// Schwarz's criterion, ln n for each coefficient, finds segments in noise, because the ends are searched for, not
// given.
//
// Segments uses dynamic programming over all divisions. netgauge [hoefler2007] looks five points ahead for an
// error that doubles, and finds changes only where sizes are dense.
func Segments(x, y []float64, most int) ([]Segment, error) {
	if len(x) != len(y) {
		panic("fit: unequal lengths")
	}
	for i := range x {
		if !(y[i] > 0) || math.IsInf(y[i], 0) || i > 0 && !(x[i] > x[i-1]) {
			return nil, fmt.Errorf("point %d at %g with the value %g: sizes must ascend, and values must be above zero", i, x[i], y[i])
		}
	}
	if len(x) < 2 {
		return nil, &tooFewError{len(x), 1}
	}
	s := newSums(x, y, nil)
	best, least := []Segment(nil), math.Inf(1)
	for k, division := range s.divisions(most) {
		sse := 0.0
		for _, segment := range division {
			_, cost := s.line(segment.First, segment.Last)
			sse += cost
		}
		if c := criterion(sse, len(x), k+1); c < least {
			best, least = division, c
		}
	}
	if best == nil {
		return nil, fmt.Errorf("no line fits %d values from %g to %g: their squares are out of range", len(x), slices.Min(y), slices.Max(y))
	}
	return best, nil
}

// criterion returns the criterion of Segments for n points and k lines. Errors below negligible count as
// negligible.
func criterion(sse float64, n, k int) float64 {
	points, p := float64(n), float64(3*k-1)
	if n <= 3*k-1 {
		if k == 1 {
			return math.MaxFloat64 // the only choice
		}
		return math.Inf(1)
	}
	return points*math.Log((sse+points*negligible*negligible)/(points-p)) + 0.299*p*math.Pow(math.Log(points), 2.1)
}

// sums are prefix sums over the points. The line through any range of points follows from them.
type sums struct {
	cuts          []int // indices at which a segment may start, and the end
	w, x, y, xx   []float64
	xy, yy        []float64
	unit, shifted float64 // x is stored as (x-shifted)/unit, to keep digits
}

// newSums counts point i times[i] times; nil: once.
func newSums(x, y, times []float64) *sums {
	n := len(x)
	s := &sums{unit: x[n-1] - x[0], shifted: x[0]}
	for _, column := range []*[]float64{&s.w, &s.x, &s.y, &s.xx, &s.xy, &s.yy} {
		*column = make([]float64, n+1)
	}
	for i := range x {
		u, v := (x[i]-s.shifted)/s.unit, y[i]
		w := 1 / (v * v) // squares of relative errors
		if times != nil {
			w *= times[i]
		}
		s.w[i+1], s.x[i+1], s.y[i+1] = s.w[i]+w, s.x[i]+w*u, s.y[i]+w*v
		s.xx[i+1], s.xy[i+1], s.yy[i+1] = s.xx[i]+w*u*u, s.xy[i]+w*u*v, s.yy[i]+w*v*v
	}
	for i := 0; i < n; i += (n + maxCuts - 1) / maxCuts {
		s.cuts = append(s.cuts, i)
	}
	s.cuts = append(s.cuts, n)
	return s
}

// line returns the line of least squared relative errors through the points from first to last, and the sum of
// squares. The sum is infinite if rounding leaves no digit of it, because earlier points have much larger weights.
func (s *sums) line(first, last int) (Line, float64) {
	of := func(sum []float64) float64 { return sum[last+1] - sum[first] }
	w, x, y, xx, xy, yy := of(s.w), of(s.x), of(s.y), of(s.xx), of(s.xy), of(s.yy)
	spread := xx - x*x/w
	slope := 0.0
	if spread > 0 {
		slope = (xy - x*y/w) / spread
	}
	at := (y - slope*x) / w
	cost := yy - at*y - slope*xy
	if math.IsNaN(cost) || math.IsInf(cost, 0) {
		cost = math.Inf(1)
	}
	return Line{At0: at - slope/s.unit*s.shifted, Slope: slope / s.unit}, max(cost, 0)
}

// divisions returns the best divisions into 1, 2, ... segments, as far as there are enough points.
func (s *sums) divisions(most int) [][]Segment {
	cuts := len(s.cuts)
	cost := make([][]float64, most+1) // by number of segments and cut where they end
	from := make([][]int, most+1)     // the cut where the last of them begins
	cost[0] = filled(cuts, math.Inf(1))
	cost[0][0] = 0
	var all [][]Segment
	for k := 1; k <= most; k++ {
		cost[k], from[k] = filled(cuts, math.Inf(1)), make([]int, cuts)
		for end := 1; end < cuts; end++ {
			for begin := range end {
				if k > 1 && s.cuts[end]-s.cuts[begin] < minSegment || math.IsInf(cost[k-1][begin], 1) {
					continue
				}
				if k > 1 && begin > 0 && s.cuts[begin] < minSegment {
					continue // the first segment may be short only if it is the only one
				}
				_, c := s.line(s.cuts[begin], s.cuts[end]-1)
				if c += cost[k-1][begin]; c < cost[k][end] {
					cost[k][end], from[k][end] = c, begin
				}
			}
		}
		if math.IsInf(cost[k][cuts-1], 1) {
			break
		}
		all = append(all, s.division(from, k))
	}
	return all
}

// division follows the stored choices back from the end.
func (s *sums) division(from [][]int, k int) (list []Segment) {
	for end := len(s.cuts) - 1; k > 0; k-- {
		begin := from[k][end]
		line, _ := s.line(s.cuts[begin], s.cuts[end]-1)
		list = append(list, Segment{First: s.cuts[begin], Last: s.cuts[end] - 1, Line: line})
		end = begin
	}
	slices.Reverse(list)
	return list
}

// LineOf returns the line of least squared relative errors through points of ascending x. Point i counts drawn[i]
// times; nil: once. It needs two different points.
func LineOf(x, y []float64, drawn []int) (Line, error) {
	var u, v, times []float64
	for i := range x {
		switch {
		case drawn == nil:
			u, v, times = append(u, x[i]), append(v, y[i]), append(times, 1)
		case drawn[i] > 0:
			u, v, times = append(u, x[i]), append(v, y[i]), append(times, float64(drawn[i]))
		}
	}
	if len(u) < 2 {
		return Line{}, &tooFewError{len(u), 1}
	}
	line, _ := newSums(u, v, times).line(0, len(u)-1)
	if at := line.At0 + line.Slope; math.IsNaN(at) || math.IsInf(at, 0) {
		return Line{}, fmt.Errorf("no line fits %d values from %g to %g: their squares are out of range", len(v), slices.Min(v), slices.Max(v))
	}
	return line, nil
}
