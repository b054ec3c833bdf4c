package locality

import (
	"fmt"
	"math"
	"math/bits"

	"gonum.org/v1/gonum/stat/distuv"

	"spoor/analyze/reuse"
)

// The sizes of [logPoints]: from the smallest cache to the smaller memory of [du2000, sec. 4.3.1 and 5].
const (
	logFrom = 8 << 10  // bytes
	logTo   = 64 << 20 // bytes
)

// logPoints returns the miss ratio of all uses at the quarter octaves from logFrom to logTo bytes. First uses miss at every
// size. Beyond the footprint nothing else does, so that the law cannot fall to nothing where memories are.
// Sizes are in bytes. A replicate without first uses counts half a use as one.
func (s *sample) logPoints(line float64) []point {
	total := s.total()
	left := total - s.cold
	class := 0
	var out []point
	for i := range 4*bits.Len(logTo/logFrom) - 3 {
		x := math.Ldexp(logFrom*math.Pow(2, float64(i%4)/4), i/4)
		for class < len(s.uses) && float64(reuse.ClassStart(class+1))*line <= x*(1+1e-9) {
			left -= s.uses[class]
			class++
		}
		ratio := (max(0, left) + s.cold) / total
		out = append(out, point{x, max(ratio, 0.5/total)})
	}
	return out
}

// fitLogLaw fits the law by least squares of the logarithm of the miss ratio, with sizes in bytes. It is otherwise as
// [fitLaw].
func (s *sample) fitLogLaw(line float64) (fit, error) {
	if s.total() == s.cold {
		return fit{}, errNoReuse
	}
	if n := len(s.points()); n < 3 {
		return fit{}, tooFew(n)
	}
	return fitLog(s.logPoints(line)), nil
}

func fitLog(points []point) fit {
	f := logSquares(points)
	best, cost := search(f, points[len(points)-1].X)
	_, _, h := f(best)
	n := float64(len(points))
	width, err := halfWidths(h, best.atBound(), cost/(n-2), distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 2}.Quantile(0.975))
	fit := newFit(best, width, err)
	fit.N = len(points)
	return fit
}

// logSquares is the sum of squares of ln S(x) - ln ratio, with ln S(x) = -e^a ln(1 + x e^-b).
func logSquares(points []point) objective {
	return func(p params) (cost float64, g [2]float64, h [2][2]float64) {
		e, beta := -math.Exp(p[0]), math.Exp(p[1])
		for _, q := range points {
			at := newLogTerm(q.X, beta)
			var s logProb
			s.tail(&at, e)
			r := s.value - math.Log(q.Ratio)
			cost += r * r
			g[0] += s.a * r
			g[1] += s.b * r
			h[0][0] += s.a * s.a
			h[0][1] += s.a * s.b
			h[1][1] += s.b * s.b
		}
		h[1][0] = h[0][1]
		return cost, g, h
	}
}

// toLines converts a fit to sizes in bytes, whose bound of beta is 1 byte, to lines.
func (f *fit) toLines(line float64) {
	f.Beta.Value, f.Beta.Lo, f.Beta.Hi = f.Beta.Value/line, f.Beta.Lo/line, f.Beta.Hi/line
	for i, w := range f.Warnings {
		if w.Error() == betaAtBound {
			f.Warnings[i] = fmt.Errorf("beta is at its bound of 1 byte: a smaller beta would fit the curve better")
		}
	}
}
