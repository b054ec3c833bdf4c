package locality

import (
	"math"
	"slices"

	"spoor/analyze/reuse"
)

// memo is what the law makes of the places at which objectives look, wherever the search is. Where searches start they all need the
// same: the places of the replicates of a bootstrap do not differ, what is measured there does.
type memo struct {
	start          params
	power          terms[powerTerm] // by point
	uses, censored terms[logProb]   // by class; two for each class
}

// terms is those of one kind.
type terms[T any] struct{ atStart, latest []T }

// at is the first n terms, which fill finds if need be.
func (t *terms[T]) at(n int, isStart bool, fill func(out []T)) []T {
	if isStart && n <= len(t.atStart) {
		return t.atStart[:n]
	}
	t.latest = slices.Grow(t.latest[:0], n)[:n]
	fill(t.latest)
	if isStart {
		t.atStart = slices.Clone(t.latest)
	}
	return t.latest
}

// powerTerm is the miss ratio of a size, with its derivatives by a and b.
type powerTerm struct {
	miss  float64
	first [2]float64
}

// term is that of a cache of x lines: miss = exp(-e^a ln(1 + x e^-b)), so that
// dmiss/da = miss ln miss, dmiss/db = miss (alpha-1) x/(x+beta).
func (l Law) term(x float64) powerTerm {
	steepness := l.Alpha - 1
	log := -steepness * math.Log1p(x/l.Beta)
	miss := math.Exp(log)
	return powerTerm{miss, [2]float64{miss * log, miss * steepness * x / (x + l.Beta)}}
}

// points is the terms of points.
func (m *memo) points(p params, points []Point) []powerTerm {
	return m.power.at(len(points), p == m.start, func(out []powerTerm) {
		l := p.law()
		for i := range out {
			out[i] = l.term(points[i].X)
		}
	})
}

// classes is the logarithms of the probabilities of the first n classes of distances. That of the last one there can be has what is
// beyond, too; -1: there is none.
func (m *memo) classes(p params, n, last int) []logProb {
	return m.uses.at(n, p == m.start, func(out []logProb) {
		t := p.tail()
		low := t.at(0)
		for i := range out {
			high := t.at(float64(reuse.ClassStart(i + 1)))
			if out[i] = low; i != last {
				out[i] = between(low, high)
			}
			low = high
		}
	})
}

// beyond is the logarithms of the probabilities of distances beyond those that [spread] says of the first n classes.
func (m *memo) beyond(p params, n int) []logProb {
	return m.censored.at(2*n, p == m.start, func(out []logProb) {
		t := p.tail()
		for i := range n {
			for j, k := range spread(i) {
				out[2*i+j] = t.at(k)
			}
		}
	})
}
