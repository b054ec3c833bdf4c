package locality

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"spoor/analyze/internal/paramfile"
)

// A Point is the measured miss ratio of a fully associative LRU cache of X lines.
type point struct {
	X     float64 // lines
	Ratio float64 // 0..1
}

// law is the power law of locality [du2000, eq. 2.1]. The fraction
//
//	P(x) = 1 - (x/beta + 1)^-(alpha-1),  alpha > 1, beta > 1
//
// of all uses has a stack distance below x. So a cache of x lines has the miss ratio 1 - P(x).
type law struct{ Alpha, Beta float64 }

// Miss returns 1 - P(x), x in lines.
func (l law) Miss(x float64) float64 { return math.Exp(-(l.Alpha - 1) * math.Log1p(x/l.Beta)) }

// fit is a law fitted to points.
type fit struct {
	Alpha, Beta paramfile.Estimate
	N           int // number of points, or of uses
	Warnings    []error

	at     params
	pinned [2]bool // a and b at a bound, without intervals
}

// law returns the law with the fitted values.
func (f fit) Law() law { return law{f.Alpha.Value, f.Beta.Value} }

// The fit searches a = ln(alpha-1) and b = ln(beta), which ensures alpha > 1. Except minB, the bounds are far
// outside the values that a trace can distinguish: 1 - P then does not change in the fourth digit.
const (
	minA, maxA = -14, 14
	minB, maxB = 0, 40
)

// nearlyExponential is an alpha at which the law differs from exp(-(alpha-1) x/beta) by less than half a per
// cent.
const nearlyExponential = 100

var bounds = [2][2]float64{{minA, maxA}, {minB, maxB}}

// params are a and b.
type params [2]float64

// atBound reports which of a and b are at a bound. Values beyond it would fit at least as well.
func (p params) atBound() (atBound [2]bool) {
	for i, b := range bounds {
		atBound[i] = p[i] <= b[0] || p[i] >= b[1]
	}
	return atBound
}

func (p params) law() law { return law{1 + math.Exp(p[0]), math.Exp(p[1])} }

// fitLaw fits the law to points by least squares of the miss ratio. All points have the same weight. It uses
// the Levenberg-Marquardt method in (ln(alpha-1), ln beta) within the bounds, and starts at several scales.
//
// Intervals are those of the linearised least-squares problem: the standard errors of the two logarithms,
// times Student's t with n-2 degrees of freedom. They assume independent residuals. Neighbouring points of a
// curve are not independent, so that the intervals are lower limits of the uncertainty. A parameter at its
// bound has no interval. The interval of the other parameter is then conditional on that value.
func fitLaw(points []point) (fit, error) {
	if len(points) < 3 {
		return fit{}, tooFew(len(points))
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range points {
		if !(p.X > 0 && p.Ratio >= 0 && p.Ratio <= 1) {
			return fit{}, fmt.Errorf("a miss ratio of %g at %g lines is impossible", p.Ratio, p.X)
		}
		low, high = min(low, p.Ratio), max(high, p.Ratio)
	}
	if low == 1 {
		return fit{}, errNoReuse
	}
	if high == 0 {
		return fit{}, errors.New("no use of a line misses: there is no locality to fit")
	}
	f := leastSquares(points, new(memo))
	best, cost := search(f, points[len(points)-1].X)
	_, _, h := f(best)
	n := float64(len(points))
	width, err := halfWidths(h, best.atBound(), cost/(n-2), distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 2}.Quantile(0.975))
	fit := newFit(best, width, err)
	fit.N = len(points)
	return fit, nil
}

var errNoReuse = errors.New("no line is used twice: there is no locality to fit")

func tooFew(points int) error {
	size := "size"
	if points != 1 {
		size = "sizes"
	}
	return fmt.Errorf("a curve of %d cache %s does not determine two parameters; use a smaller line size or a program with more data", points, size)
}

// objective is the function that a fit minimises. It returns the gradient, and a positive definite matrix in
// place of the second derivatives.
type objective func(p params) (cost float64, gradient [2]float64, curvature [2][2]float64)

func leastSquares(points []point, m *memo) objective {
	return func(p params) (float64, [2]float64, [2][2]float64) { return residuals(points, m.points(p, points)) }
}

// search finds the minimum, from starts at scales up to the given one. Package optimize of gonum has no
// bounds, and these fits often end at a bound.
func search(f objective, scale float64) (best params, cost float64) {
	const enough = 1e-15 // relative to the parameters; below the resolution of the cost in doubles
	cost = math.Inf(1)
	for _, part := range []float64{0, 0.25, 0.5, 0.75, 1} {
		start := params{-1, part * math.Log(scale)}
		if p, c := descend(f, start.clamp(), enough); c < cost {
			best, cost = p, c
		}
	}
	return best, cost
}

func (p params) clamp() params {
	return params{min(max(p[0], minA), maxA), min(max(p[1], minB), maxB)}
}

// residuals returns the sum of squares, with its gradient and the Gauss-Newton matrix. terms are those of the
// points.
func residuals(points []point, terms []powerTerm) (cost float64, gradient [2]float64, hessian [2][2]float64) {
	for n, q := range points {
		d := &terms[n]
		r := d.miss - q.Ratio
		cost += r * r
		gradient[0] += d.byA * r
		gradient[1] += d.byB * r
		hessian[0][0] += d.byA * d.byA
		hessian[0][1] += d.byA * d.byB
		hessian[1][1] += d.byB * d.byB
	}
	hessian[1][0] = hessian[0][1]
	return cost, gradient, hessian
}

// descend minimises by the method of Levenberg and Marquardt. Each step of Gauss and Newton is damped until
// it lowers the cost, and is limited by the bounds. The last step is shorter than enough and is not
// evaluated: the returned cost is that before it.
func descend(f objective, start params, enough float64) (params, float64) {
	const maxSteps = 500
	p, damping := start, 1e-3
	cost, g, h := f(p)
	for range maxSteps {
		next := p.step(g, h, damping).clamp()
		if moved := math.Abs(next[0]-p[0]) + math.Abs(next[1]-p[1]); moved < enough {
			return next, cost
		}
		if nextCost, nextG, nextH := f(next); nextCost < cost {
			p, cost, g, h = next, nextCost, nextG, nextH
			damping = max(damping/9, 1e-15)
		} else if damping *= 11; damping > 1e15 {
			break
		}
	}
	return p, cost
}

// step solves the damped normal equations. A parameter that would leave its bound stays, and the other one
// moves alone.
func (p params) step(g [2]float64, h [2][2]float64, damping float64) params {
	var free [2]bool
	for i, bound := range bounds {
		free[i] = !(p[i] <= bound[0] && g[i] > 0 || p[i] >= bound[1] && g[i] < 0)
	}
	for i := range h {
		h[i][i] = h[i][i]*(1+damping) + math.SmallestNonzeroFloat64
	}
	if free[0] && free[1] {
		if det := h[0][0]*h[1][1] - h[0][1]*h[1][0]; det > 0 {
			return params{p[0] - (h[1][1]*g[0]-h[0][1]*g[1])/det, p[1] - (h[0][0]*g[1]-h[1][0]*g[0])/det}
		}
	}
	for i := range p {
		if free[i] && h[i][i] > 1e-300 {
			p[i] -= g[i] / h[i][i]
		}
	}
	return p
}

// betaAtBound is the warning of a beta of 1, in the unit of the fit.
const betaAtBound = "beta is at its bound 1: a smaller beta would fit the curve better"

// newFit adds intervals and warnings to parameters.
func newFit(p params, width [2]float64, err error) fit {
	f := fit{at: p}
	if err != nil {
		f.Warnings = append(f.Warnings, err)
	}
	f.setIntervals(width)
	if p[1] <= minB {
		f.Warnings = append(f.Warnings, errors.New(betaAtBound))
	}
	if f.Alpha.Value > nearlyExponential {
		f.Warnings = append(f.Warnings, errors.New("the curve falls at least as fast as an exponential: no power law fits it, and only the ratio of alpha and beta is meaningful"))
	}
	if p[0] <= minA {
		f.Warnings = append(f.Warnings, errors.New("alpha is at its bound 1: the miss ratio hardly depends on the cache size"))
	}
	return f
}

// pinnedWidth is the half width below which all replicates are at the bound. Their search ends at much smaller
// steps.
const pinnedWidth = 1e-3

// setIntervals sets alpha and beta from their logarithms, whose intervals have the given half widths. A
// parameter that is at its bound in all replicates gets no interval. The agreement of replicates does not
// show that values beyond the bound fit worse.
func (f *fit) setIntervals(width [2]float64) {
	p, law := f.at, f.at.law()
	for i, atBound := range p.atBound() {
		if f.pinned[i] = atBound && width[i] < pinnedWidth; f.pinned[i] {
			width[i] = 0
		}
	}
	f.Alpha = paramfile.Estimate{Value: law.Alpha, Lo: 1 + math.Exp(p[0]-width[0]), Hi: 1 + math.Exp(p[0]+width[0])}
	f.Beta = paramfile.Estimate{Value: law.Beta, Lo: max(1, math.Exp(p[1]-width[1])), Hi: math.Exp(p[1] + width[1])}
}

// warningTexts returns the warnings on the values and the intervals.
func (f *fit) warningTexts() (out []string) {
	for _, w := range f.Warnings {
		out = append(out, strings.TrimSpace(w.Error()))
	}
	for i, name := range []string{"alpha", "beta"} {
		if f.pinned[i] && !f.pinned[1-i] {
			out = append(out, fmt.Sprintf("%s is at its bound and has no interval: the interval of %s is conditional on it", name, [...]string{"beta", "alpha"}[i]))
		}
	}
	return out
}

// maxWidth limits half widths, so that files of parameters may have their exponentials: less than 1e100.
const maxWidth = 180

// halfWidths returns the half widths of the intervals of a and b. Each is t times the root of variance times
// a diagonal element of the inverse of h. A parameter at its bound gets 0, and the other one is inverted
// alone.
func halfWidths(h [2][2]float64, atBound [2]bool, variance, t float64) (width [2]float64, err error) {
	inverse := mat.NewDense(2, 2, nil)
	switch {
	case atBound[0] || atBound[1]:
		for i := range width {
			if !atBound[i] {
				inverse.Set(i, i, 1/h[i][i])
			}
		}
	default:
		if err := inverse.Inverse(mat.NewDense(2, 2, []float64{h[0][0], h[0][1], h[1][0], h[1][1]})); err != nil {
			return [2]float64{maxWidth, maxWidth}, errors.New("the curve does not determine alpha and beta separately: their intervals are unlimited")
		}
	}
	for i := range width {
		width[i] = min(t*math.Sqrt(max(0, inverse.At(i, i))*variance), maxWidth)
		if math.IsNaN(width[i]) {
			width[i] = maxWidth
		}
	}
	return width, nil
}
