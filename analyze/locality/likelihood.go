package locality

import (
	"math"

	"spoor/analyze/reuse"
)

// likelihood is minus the logarithm of the likelihood of a sample, per use. A use of class
// [lo, hi) has the probability S(lo) - S(hi) with S = 1 - P, exactly. A cold use has no distance
// that could be measured; it tells that the line lies deeper than all lines so far. So the k-th
// first use of a program, which k-1 lines precede, is censored at k-1: S(k-1). (At infinity its probability would be
// 0. At the footprint, which most cold uses come long before, it would say more than is known.)
// Classes of censored uses count as two places each, which is exact up to the third moment.
func likelihood(s *sample, m *memo) objective {
	total := s.total()
	return func(p params) (cost float64, g [2]float64, h [2][2]float64) {
		var sum scores
		classes := m.classes(p, len(s.uses), -1)
		for i := range classes {
			sum.add(s.uses[i]/total, &classes[i])
		}
		farther := m.farther(p, len(s.censored))
		for i := range farther {
			sum.add(s.censored[i/2]/total/2, &farther[i])
		}
		return sum.objective()
	}
}

// likelihoodAbove is the same of the uses that are not cold, under the law that is capped at the
// footprint: what the law has from the last class on is in that class. Cold uses are a share of their own,
// which does not depend on alpha and beta.
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

// lastClass is the class of the greatest distance there can be.
func lastClass(footprint int64) int {
	i := 0
	for reuse.ClassStart(i+1) < footprint {
		i++
	}
	return i
}

// logProb is the logarithm of a probability with its derivatives by a and b.
type logProb struct{ value, a, b, aa, ab, bb float64 }

// place is l = ln(1 + x e^-b) with its derivatives by b.
type place struct{ log, first, second float64 }

func placeOf(x, beta float64) place {
	return place{math.Log1p(x / beta), -x / (x + beta), x * beta / ((x + beta) * (x + beta))}
}

// tail is ln S(x) = -e^a l, given e = -e^a.
func (p *logProb) tail(at *place, e float64) {
	l, d := e*at.log, e*at.first
	*p = logProb{l, l, d, l, d, e * at.second}
}

// between is ln(S(x) - S(y)) of two places x < y, that is low + ln(1 - exp(-delta)) with delta = low - high >= 0. The derivative
// of the second term by delta is q = 1/(exp(delta) - 1) = exp(-delta)/(1 - exp(-delta)), that of q is -q(1+q).
func (p *logProb) between(x, y *place, e float64) {
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
	if weight == 0 { // and the logarithm may be infinite
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

// objective turns it round. Where the observed information is not positive definite, far from the
// maximum, the squares of the scores stand in for it.
func (s *scores) objective() (cost float64, g [2]float64, h [2][2]float64) {
	aa, ab, bb := -s.aa, -s.ab, -s.bb
	if !(aa > 0 && aa*bb-ab*ab > 0) {
		aa, ab, bb = s.squareAA, s.squareAB, s.squareBB
	}
	return -s.value, [2]float64{-s.a, -s.b}, [2][2]float64{{aa, ab}, {ab, bb}}
}
