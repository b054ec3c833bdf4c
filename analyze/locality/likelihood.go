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
		for i, l := range m.classes(p, len(s.uses), -1) {
			sum.add(s.uses[i]/total, l)
		}
		for i, l := range m.beyond(p, len(s.censored)) {
			sum.add(s.censored[i/2]/total/2, l)
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
		for i, l := range m.classes(p, len(s.uses), last) {
			sum.add(s.uses[i]/total, l)
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
type logProb struct {
	value  float64
	first  [2]float64
	second [3]float64 // aa, ab, bb
}

// tail is ln S(x) = -e^a ln(1 + x e^-b) at parameters whose exponentials are the same for all x.
type tail struct{ e, beta float64 }

func (p params) tail() tail { return tail{-math.Exp(p[0]), math.Exp(p[1])} }

func (t tail) at(x float64) logProb {
	l := math.Log1p(x / t.beta)
	d := -x / (x + t.beta)
	dd := x * t.beta / ((x + t.beta) * (x + t.beta))
	return logProb{t.e * l, [2]float64{t.e * l, t.e * d}, [3]float64{t.e * l, t.e * d, t.e * dd}}
}

// between is ln(exp(low) - exp(high)): low + ln(1 - exp(-delta)) with delta = low - high >= 0. The derivative
// of the second term by delta is q = 1/(exp(delta) - 1) = exp(-delta)/(1 - exp(-delta)), that of q is -q(1+q).
func between(low, high logProb) logProb {
	delta := max(low.value-high.value, math.SmallestNonzeroFloat64)
	rest := -math.Expm1(-delta)
	q := math.Exp(-delta) / rest
	out := logProb{value: low.value + math.Log(rest)}
	var d [2]float64
	for i := range d {
		d[i] = low.first[i] - high.first[i]
		out.first[i] = low.first[i] + q*d[i]
	}
	for i, dd := range [3]float64{d[0] * d[0], d[0] * d[1], d[1] * d[1]} {
		out.second[i] = low.second[i] + q*(low.second[i]-high.second[i]) - q*(1+q)*dd
	}
	return out
}

// scores sums up a log-likelihood.
type scores struct {
	logProb
	square [3]float64 // of first derivatives: aa, ab, bb
}

func (s *scores) add(weight float64, l logProb) {
	if weight == 0 { // and the logarithm may be infinite
		return
	}
	s.value += weight * l.value
	for i := range l.first {
		s.first[i] += weight * l.first[i]
	}
	for i, square := range [3]float64{l.first[0] * l.first[0], l.first[0] * l.first[1], l.first[1] * l.first[1]} {
		s.second[i] += weight * l.second[i]
		s.square[i] += weight * square
	}
}

// objective turns it round. Where the observed information is not positive definite, far from the
// maximum, the squares of the scores stand in for it.
func (s *scores) objective() (cost float64, g [2]float64, h [2][2]float64) {
	i := [3]float64{-s.second[0], -s.second[1], -s.second[2]}
	if !(i[0] > 0 && i[0]*i[2]-i[1]*i[1] > 0) {
		i = s.square
	}
	return -s.value, [2]float64{-s.first[0], -s.first[1]}, [2][2]float64{{i[0], i[1]}, {i[1], i[2]}}
}
