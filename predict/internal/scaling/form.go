package scaling

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// power is x^(num/den) log2(x)^logs.
type power struct{ num, den, logs int }

func (p power) of(x float64) float64 {
	v := math.Pow(x, float64(p.num)/float64(p.den))
	if p.logs > 0 {
		v *= math.Pow(math.Log2(x), float64(p.logs))
	}
	return v
}

// text formats the factor of a variable. It is empty if there is none.
func (p power) text(x string) string {
	var parts []string
	switch {
	case p.num == p.den:
		parts = append(parts, x)
	case p.num != 0 && p.den == 1:
		parts = append(parts, x+"^"+strconv.Itoa(p.num))
	case p.num != 0:
		parts = append(parts, fmt.Sprintf("%s^(%d/%d)", x, p.num, p.den))
	}
	if p.logs > 0 {
		parts = append(parts, "log2("+x+")")
	}
	return strings.Join(parts, " ")
}

// powers lists the powers of a variable, simplest first.
var powers = func() (all []power) {
	for logs := range 2 {
		for _, e := range [][2]int{{0, 1}, {1, 1}, {-1, 1}, {1, 2}, {-1, 2}, {2, 1}, {3, 1}, {3, 2}, {1, 3}, {2, 3}, {-1, 3}, {-2, 3}, {4, 3}, {5, 3}, {-2, 1}} {
			all = append(all, power{e[0], e[1], logs})
		}
	}
	return all
}()

// form is a + b f(p, s), with or without a. Without f it is a constant.
type form struct {
	constant, factor bool
	p, s             power
}

func (f form) of(at Point) float64 { return f.p.of(at.Processors) * f.s.of(at.Size) }

// coefficients returns the number of coefficients.
func (f form) coefficients() int {
	if f.constant && f.factor {
		return 2
	}
	return 1
}

// forms lists all forms of the variables that vary: a constant, then those of one coefficient, then those of
// two.
func forms(processors, size bool) []form {
	all := []form{{constant: true, p: powers[0], s: powers[0]}}
	vary := func(does bool) []power {
		if does {
			return powers
		}
		return powers[:1]
	}
	for _, constant := range []bool{false, true} {
		for _, s := range vary(size) {
			for _, p := range vary(processors) {
				if s != powers[0] || p != powers[0] {
					all = append(all, form{constant, true, p, s})
				}
			}
		}
	}
	return all
}

// fit is a form with its coefficients.
type fit struct {
	form
	a, b       float64
	crossError float64       // RMS relative error of points that are held out
	spread     float64       // standard deviation of relative errors
	relative   bool          // errors are relative to the value, otherwise to scale
	scale      float64       // scale of the values
	covariance [2][2]float64 // covariance of a and b for a spread of 1
	free       int
}

// fitAll fits all forms that have fewer coefficients than there are observations.
func fitAll(all []observation) (out []fit) {
	vary := func(of func(observation) float64) bool {
		most, least := extremes(all, of)
		return most > least
	}
	table := func(of func(observation) float64) map[power][]float64 {
		values := map[power][]float64{}
		for _, p := range powers {
			for _, o := range all {
				values[p] = append(values[p], p.of(of(o)))
			}
		}
		return values
	}
	ofP, ofS := table(func(o observation) float64 { return o.Processors }), table(func(o observation) float64 { return o.Size })
	xs := make([]float64, len(all))
	for _, f := range forms(vary(func(o observation) float64 { return o.Processors }), vary(func(o observation) float64 { return o.Size })) {
		p, s := ofP[f.p], ofS[f.s]
		for i := range xs {
			xs[i] = p[i] * s[i]
		}
		if g, ok := f.fit(all, xs); ok {
			out = append(out, g)
		}
	}
	return out
}

// fit does weighted least squares. The slice xs has the factor at each observation. It minimizes the sum of
// squares of the relative errors, or of the absolute errors if a value is 0.
func (f form) fit(all []observation, xs []float64) (g fit, ok bool) {
	g = fit{form: f, relative: true, free: len(all) - f.coefficients()}
	for _, o := range all {
		g.relative = g.relative && o.Value != 0
		g.scale = max(g.scale, math.Abs(o.Value))
	}
	if g.scale == 0 {
		g.scale = 1
	}
	rows, ys := make([][2]float64, len(all)), make([]float64, len(all))
	var xx [2][2]float64
	var xy [2]float64
	for i, o := range all {
		w := g.weight(o.Value)
		x := xs[i]
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return g, false
		}
		row := [2]float64{}
		if f.constant {
			row[0] = w
		}
		if f.factor {
			row[1] = w * x
		}
		rows[i], ys[i] = row, w*o.Value
		for j := range 2 {
			xy[j] += row[j] * w * o.Value
			for k := range 2 {
				xx[j][k] += row[j] * row[k]
			}
		}
	}
	if g.covariance, ok = f.inverse(xx); !ok {
		return g, false
	}
	g.a = g.covariance[0][0]*xy[0] + g.covariance[0][1]*xy[1]
	g.b = g.covariance[1][0]*xy[0] + g.covariance[1][1]*xy[1]
	return g, g.findErrors(rows, ys)
}

// findErrors computes the errors of g. The error of a point that is held out is e/(1-h), with leverage h. If a
// single point decides a coefficient, it has no such error, and the form is not used.
func (g *fit) findErrors(rows [][2]float64, ys []float64) bool {
	if g.free < 1 {
		return false
	}
	squares := 0.0
	for i, row := range rows {
		h := g.leverage(row)
		const decides = 1 - 1e-9
		if h > decides {
			return false
		}
		e := ys[i] - g.a*row[0] - g.b*row[1]
		squares += e * e
		g.crossError += e * e / ((1 - h) * (1 - h))
	}
	g.crossError = math.Sqrt(g.crossError / float64(len(rows)))
	g.spread = math.Sqrt(squares / float64(g.free))
	return true
}

// weight returns the weight that makes an error of value relative.
func (g *fit) weight(value float64) float64 {
	if g.relative {
		return 1 / math.Abs(value)
	}
	return 1 / g.scale
}

func (g *fit) leverage(row [2]float64) float64 {
	c := g.covariance
	return row[0]*(c[0][0]*row[0]+c[0][1]*row[1]) + row[1]*(c[1][0]*row[0]+c[1][1]*row[1])
}

// inverse inverts the normal equations of the coefficients in use.
func (f form) inverse(m [2][2]float64) (out [2][2]float64, ok bool) {
	switch {
	case !f.factor:
		out[0][0] = 1 / m[0][0]
		return out, m[0][0] > 0
	case !f.constant:
		out[1][1] = 1 / m[1][1]
		return out, m[1][1] > 0
	}
	det := m[0][0]*m[1][1] - m[0][1]*m[1][0]
	const singular = 1e-10 // relative to the determinant with orthogonal columns
	if !(det > singular*m[0][0]*m[1][1]) {
		return out, false
	}
	return [2][2]float64{{m[1][1] / det, -m[0][1] / det}, {-m[1][0] / det, m[0][0] / det}}, true
}

// at returns the value at a point.
func (g *fit) at(p Point) float64 {
	row := g.row(p)
	return g.a*row[0] + g.b*row[1]
}

// halfWidth returns half of the 95 % interval for another measurement at p.
func (g *fit) halfWidth(p Point) float64 {
	own := g.scale
	if g.relative {
		own = math.Abs(g.at(p))
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(g.free)}.Quantile(0.975)
	return t * g.spread * math.Sqrt(own*own+g.leverage(g.row(p)))
}

func (g *fit) row(p Point) (row [2]float64) {
	if g.constant {
		row[0] = 1
	}
	if g.factor {
		row[1] = g.of(p)
	}
	return row
}

// String formats the form with its coefficients, for p processors and size s.
func (g *fit) String() string {
	factors := strings.TrimSpace(g.p.text("p") + " " + g.s.text("s"))
	switch {
	case !g.factor:
		return fmt.Sprintf("%.4g", g.a)
	case !g.constant:
		return fmt.Sprintf("%.4g %s", g.b, factors)
	}
	return fmt.Sprintf("%.4g %+.4g %s", g.a, g.b, factors)
}
