package grow

import "math"

// curve is a + b f(n), where n is the size of an axis: the number of ranks, or of a dimension of their grid.
type curve struct {
	form  curveForm
	axis  int
	a, b  float64
	power float64 // of powerLaw
	parts blockParts
}

type curveForm uint8

const (
	flat curveForm = iota
	powerLaw
	inverse
	proportional
	inverseRoot
	squareRoot
	logarithmic
	endCurve
	blocks // of an array that the ranks of a grid divide
)

// at returns the value for ranks at p. It is not negative.
func (c curve) at(p *place) float64 { return max(0, c.a+c.b*c.of(p)) }

func (c curve) of(p *place) float64 {
	n := float64(p.size[c.axis])
	switch c.form {
	case powerLaw:
		return math.Pow(n, c.power)
	case inverse:
		return 1 / n
	case proportional:
		return n
	case inverseRoot:
		return 1 / math.Sqrt(n)
	case squareRoot:
		return math.Sqrt(n)
	case logarithmic:
		return math.Log2(n)
	case blocks:
		return c.parts.at(p)
	}
	return 0
}

// changes is the smallest relative change that is not taken for noise.
const changes = 0.002

// better is how many times smaller the deviations of a curve with two constants must be than those of one with less.
const better = 3

// fitCurve returns the curve through points: a constant if it is as good, a power of the number of ranks, or if there are
// three or more points, a curve with two constants or the parts of a block.
func fitCurve(x []*place, y []float64) curve {
	if len(x) == 0 {
		return curve{a: 1}
	}
	best := curve{a: y[len(y)-1]}
	least := best.residual(x, y)
	if least < changes {
		return best
	}
	if c := fitPower(x, y); c.residual(x, y) < least {
		best, least = c, c.residual(x, y)
	}
	limit := least / better
	for axis := range x[0].axes {
		for f := inverse; f < endCurve && len(x) > 2; f++ {
			if axis > 0 && f > proportional {
				break
			}
			c := curve{form: f, axis: axis, b: 1}
			c.a, c.b = line(x, y, c.of)
			if r := c.residual(x, y); r < limit && c.lasts() {
				best, limit = c, r
			}
		}
	}
	if best.residual(x, y) < changes {
		return best
	}
	for _, tolerance := range []float64{changes, limit} {
		if parts, ok := fitBlocks(x, y, tolerance); ok {
			return curve{form: blocks, b: 1, parts: parts}
		}
	}
	return best
}

// lasts reports whether the curve stays positive for any number of ranks.
func (c curve) lasts() bool {
	return c.a >= 0 && (c.b >= 0 || c.form == inverse || c.form == inverseRoot)
}

// residual returns the largest deviation of the points.
func (c curve) residual(x []*place, y []float64) (most float64) {
	for i := range x {
		most = max(most, math.Abs(c.at(x[i])-y[i]))
	}
	return most
}

// steepest is the largest exponent of a power law. Noise of short recordings can give larger ones.
const steepest = 1.5

// fitPower returns the power law through the logarithms of points. It passes through the last one.
func fitPower(x []*place, y []float64) curve {
	last := len(x) - 1
	sum, n := 0., 0.
	for i := range last {
		if y[i] > 0 && y[last] > 0 {
			sum += math.Log(y[last]/y[i]) / math.Log(float64(x[last].ranks)/float64(x[i].ranks))
			n++
		}
	}
	if n == 0 {
		return curve{a: y[last]}
	}
	c := curve{form: powerLaw, power: min(max(sum/n, -steepest), steepest)}
	c.b = y[last] / c.of(x[last])
	return c
}

// line returns the least-squares line a + b f(x).
func line(x []*place, y []float64, f func(*place) float64) (a, b float64) {
	n := float64(len(x))
	var sf, sy, sff, sfy float64
	for i := range x {
		v := f(x[i])
		sf, sy, sff, sfy = sf+v, sy+y[i], sff+v*v, sfy+v*y[i]
	}
	b = (n*sfy - sf*sy) / (n*sff - sf*sf)
	return (sy - b*sf) / n, b
}
