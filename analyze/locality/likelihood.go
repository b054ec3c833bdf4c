package locality

import (
	"math"

	"spoor/analyze/reuse"
)

// likelihood returns minus the log-likelihood of a sample, per use. A use in the class [lo, hi) has the
// probability S(lo) - S(hi) with S = 1 - P, exactly. A first use has no measurable distance. It only shows
// that the line is deeper than all lines so far. Therefore the k-th first use of a program, after k-1 other
// lines, is censored at k-1: its probability is S(k-1).
//
// Its probability at infinity would be 0. At the footprint, which is larger than k-1 for most first uses, it
// would assume more than is known. Each class of censored uses counts as two points, which is exact up to the
// third moment.
func likelihood(s *sample, m *memo) objective {
	total := s.total()
	return func(p params) (cost float64, g [2]float64, h [2][2]float64) {
		var sum scores
		classes := m.classes(p, len(s.uses), -1)
		for i := range classes {
			sum.add(s.uses[i]/total, &classes[i])
		}
		farther := m.tails(p, len(s.censored))
		for i := range farther {
			sum.add(s.censored[i/2]/total/2, &farther[i])
		}
		return sum.objective()
	}
}

// likelihoodAbove does the same for uses that are not first uses, under the law capped at the footprint. The
// last class contains the rest of the law. First uses are a separate share, which does not depend on alpha
// and beta.
func likelihoodAbove(s *sample, m *memo) objective {
	total := s.total() - s.cold
	last := lastClass(s.footprint)
	return func(p params) (cost float64, g [2]float64, h [2][2]float64) {
		var sum scores
		classes := m.classes(p, len(s.uses), last)
		for i := range classes {
			sum.add(s.uses[i]/total, &classes[i])
		}
		return sum.objective()
	}
}

// lastClass returns the class of the largest possible distance.
func lastClass(footprint int64) int {
	i := 0
	for reuse.ClassStart(i+1) < footprint {
		i++
	}
	return i
}

// logProb is the logarithm of a probability, with its derivatives by a and b.
type logProb struct{ value, a, b, aa, ab, bb float64 }

// logTerm is l = ln(1 + x e^-b), with its derivatives by b.
type logTerm struct{ log, first, second float64 }

func newLogTerm(x, beta float64) logTerm {
	return logTerm{math.Log1p(x / beta), -x / (x + beta), x * beta / ((x + beta) * (x + beta))}
}

// tail sets p to ln S(x) = -e^a l, given e = -e^a.
func (p *logProb) tail(at *logTerm, e float64) {
	l, d := e*at.log, e*at.first
	*p = logProb{l, l, d, l, d, e * at.second}
}

// difference sets p to ln(S(x) - S(y)) for x < y. This is low + ln(1 - exp(-delta)) with delta = low - high
// >= 0. The derivative of the second term by delta is q = 1/(exp(delta) - 1) = exp(-delta)/(1 - exp(-delta)),
// and that of q is -q(1+q).
func (p *logProb) difference(x, y *logTerm, e float64) {
	low, lowB, lowBB := e*x.log, e*x.first, e*x.second
	high, highB, highBB := e*y.log, e*y.first, e*y.second
	da, db := low-high, lowB-highB
	delta := max(da, math.SmallestNonzeroFloat64)
	rest := -math.Expm1(-delta)
	q := math.Exp(-delta) / rest
	p.value = low + math.Log(rest)
	p.a = low + q*da
	p.b = lowB + q*db
	p.aa = low + q*da - q*(1+q)*(da*da)
	p.ab = lowB + q*db - q*(1+q)*(da*db)
	p.bb = lowBB + q*(lowBB-highBB) - q*(1+q)*(db*db)
}

// scores sums up a log-likelihood.
type scores struct {
	logProb
	squareAA, squareAB, squareBB float64 // of first derivatives
}

func (s *scores) add(weight float64, l *logProb) {
	if weight == 0 { // the logarithm may be infinite
		return
	}
	s.value += weight * l.value
	s.a += weight * l.a
	s.b += weight * l.b
	s.aa += weight * l.aa
	s.ab += weight * l.ab
	s.bb += weight * l.bb
	s.squareAA += weight * (l.a * l.a)
	s.squareAB += weight * (l.a * l.b)
	s.squareBB += weight * (l.b * l.b)
}

// objective returns minus the sums. Far from the maximum, the observed information may not be positive
// definite. Then the squares of the scores replace it.
func (s *scores) objective() (cost float64, g [2]float64, h [2][2]float64) {
	aa, ab, bb := -s.aa, -s.ab, -s.bb
	if !(aa > 0 && aa*bb-ab*ab > 0) {
		aa, ab, bb = s.squareAA, s.squareAB, s.squareBB
	}
	return -s.value, [2]float64{-s.a, -s.b}, [2][2]float64{{aa, ab}, {ab, bb}}
}
