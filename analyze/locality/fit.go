package locality

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"spoor/analyze/analysis"
)

// A Point is the measured miss ratio of a fully associative LRU cache of X lines.
type Point struct {
	X     float64 // lines
	Ratio float64 // 0..1
}

// Law is the power law of locality [du2000, eq. 2.1]: of all uses, the fraction
//
//	P(x) = 1 - (x/beta + 1)^-(alpha-1),  alpha > 1, beta > 1
//
// has a stack distance below x, so that a cache of x lines misses 1 - P(x).
type Law struct{ Alpha, Beta float64 }

// Miss is 1 - P(x), x in lines.
func (l Law) Miss(x float64) float64 { return math.Exp(-(l.Alpha - 1) * math.Log1p(x/l.Beta)) }

// Fit is a law fitted to points.
type Fit struct {
	Alpha, Beta analysis.Estimate
	N           int     // points, or uses
	Warnings    []error // reservations

	at   params
	held [2]bool // a and b without intervals, at a bound
}

// Law is the law with the fitted values.
func (f Fit) Law() Law { return Law{f.Alpha.Value, f.Beta.Value} }

// The fit looks for a = ln(alpha-1) and b = ln(beta), which makes alpha > 1 a matter
// of course. The other ends are far outside anything that a trace can tell apart:
// 1 - P then does not change in the fourth digit.
const (
	minA, maxA = -14, 14
	minB, maxB = 0, 40
)

// steep is an alpha at which the law differs from exp(-(alpha-1) x/beta) by less than
// half a per cent.
const steep = 100

var bounds = [2][2]float64{{minA, maxA}, {minB, maxB}}

// params are a and b.
type params [2]float64

// held says which of a and b are at a bound: what is beyond it would fit better, or as well.
func (p params) held() (held [2]bool) {
	for i, b := range bounds {
		held[i] = p[i] <= b[0] || p[i] >= b[1]
	}
	return held
}

func (p params) law() Law { return Law{1 + math.Exp(p[0]), math.Exp(p[1])} }

// FitLaw fits the law to points by least squares of the miss ratio, every point with
// the same weight: the Levenberg-Marquardt method in (ln(alpha-1), ln beta), held
// to the bounds, from starts at several scales. The intervals are those of the linearised
// least-squares problem, Student's t with n-2 degrees of freedom times the standard
// errors of the two logarithms; they take the residuals as independent, which
// neighbouring points of a curve are not, so that they are lower limits of the uncertainty. What is held at a bound has no
// interval, and the other one's is for that value.
func FitLaw(points []Point) (Fit, error) {
	if len(points) < 3 {
		return Fit{}, tooFew(len(points))
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range points {
		if !(p.X > 0 && p.Ratio >= 0 && p.Ratio <= 1) {
			return Fit{}, fmt.Errorf("a miss ratio of %g at %g lines is impossible", p.Ratio, p.X)
		}
		low, high = min(low, p.Ratio), max(high, p.Ratio)
	}
	if low == 1 {
		return Fit{}, errNoReuse
	}
	if high == 0 {
		return Fit{}, errors.New("no use of a line misses: there is no locality to fit")
	}
	f := leastSquares(points, new(memo))
	best, cost := search(f, points[len(points)-1].X)
	_, _, h := f(best)
	n := float64(len(points))
	width, err := inverted(h, best.held(), cost/(n-2), distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 2}.Quantile(0.975))
	fit := describe(best, width, err)
	fit.N = len(points)
	return fit, nil
}

var errNoReuse = errors.New("no line is used twice: there is no locality to fit")

func tooFew(points int) error {
	return fmt.Errorf("a curve of %d cache sizes cannot tell two parameters; use a smaller line size or a program with more data", points)
}

// objective is what a fit minimises, with its gradient and a positive definite matrix in place of its
// second derivatives.
type objective func(p params) (cost float64, gradient [2]float64, curvature [2][2]float64)

func leastSquares(points []Point, m *memo) objective {
	return func(p params) (float64, [2]float64, [2][2]float64) { return residuals(points, m.points(p, points)) }
}

// search finds the minimum, from starts at scales up to the given one. Package optimize of
// gonum has no bounds, at which these fits often end.
func search(f objective, scale float64) (best params, cost float64) {
	const enough = 1e-15 // relative to the parameters, below what doubles resolve in the cost
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

// residuals is the sum of squares, with the normal equations: gradient and the
// Gauss-Newton matrix. Terms are those of the points.
func residuals(points []Point, terms []powerTerm) (cost float64, gradient [2]float64, hessian [2][2]float64) {
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

// descend is Levenberg and Marquardt's method from start: a step of Gauss and Newton, damped
// until it lowers the cost, cut at the bounds. The last step is shorter than enough, and taken unseen: the cost is that before it.
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

// step solves the damped normal equations. At a bound, the parameter that would leave
// the region stays, and the other one moves alone.
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

// describe adds intervals and reservations.
func describe(p params, width [2]float64, err error) Fit {
	f := Fit{at: p}
	if err != nil {
		f.Warnings = append(f.Warnings, err)
	}
	f.setIntervals(width)
	if p[1] <= minB {
		f.Warnings = append(f.Warnings, errors.New("the bound beta > 1 binds: the curve would fit better with a smaller beta"))
	}
	if f.Alpha.Value > steep {
		f.Warnings = append(f.Warnings, errors.New("the curve falls as fast as an exponential or faster: no power law fits it, and of alpha and beta only the ratio means something"))
	}
	if p[0] <= minA {
		f.Warnings = append(f.Warnings, errors.New("the bound alpha > 1 binds: the miss ratio hardly depends on the size"))
	}
	return f
}

// still is half an interval of what is at a bound in all replicates, whose search ends at much smaller steps.
const still = 1e-3

// setIntervals makes alpha and beta from their logarithms, which have half intervals of width. What is at a bound, in all
// replicates too, has none: that they agree does not say that what is beyond were any worse.
func (f *Fit) setIntervals(width [2]float64) {
	p, law := f.at, f.at.law()
	for i, held := range p.held() {
		if f.held[i] = held && width[i] < still; f.held[i] {
			width[i] = 0
		}
	}
	f.Alpha = analysis.Estimate{Value: law.Alpha, Lo: 1 + math.Exp(p[0]-width[0]), Hi: 1 + math.Exp(p[0]+width[0])}
	f.Beta = analysis.Estimate{Value: law.Beta, Lo: max(1, math.Exp(p[1]-width[1])), Hi: math.Exp(p[1] + width[1])}
}

// reservations is what is to be said against the values and the intervals.
func (f *Fit) reservations() (out []string) {
	for _, w := range f.Warnings {
		out = append(out, strings.TrimSpace(w.Error()))
	}
	for i, name := range []string{"alpha", "beta"} {
		if f.held[i] && !f.held[1-i] {
			out = append(out, fmt.Sprintf("%s is held at its bound and has no interval: that of %s is for this %s", name, [...]string{"beta", "alpha"}[i], name))
		}
	}
	return out
}

// maxWidth keeps an interval that the points do not limit within doubles.
const maxWidth = 300

// inverted is half the intervals of a and b: t times the roots of the diagonal of the inverse
// of a matrix, times a variance; 0 of what is held, which leaves the other one alone.
func inverted(h [2][2]float64, held [2]bool, variance, t float64) (width [2]float64, err error) {
	inverse := mat.NewDense(2, 2, nil)
	switch {
	case held[0] || held[1]:
		for i := range width {
			if !held[i] {
				inverse.Set(i, i, 1/h[i][i])
			}
		}
	default:
		if err := inverse.Inverse(mat.NewDense(2, 2, []float64{h[0][0], h[0][1], h[1][0], h[1][1]})); err != nil {
			return [2]float64{maxWidth, maxWidth}, errors.New("the curve does not tell alpha and beta apart: their intervals are unlimited")
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
