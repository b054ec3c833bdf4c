package locality

import (
	"math"
	"slices"

	"spoor/analyze/reuse"
)

// memo is what the law makes of the places at which objectives look, wherever the search is. Where searches start they all need the
// same: the places of the replicates of a bootstrap do not differ, what is measured there does. Besides, a search that has come to
// the bound of beta stays there, as many do, and what beta makes of the places stays too.
type memo struct {
	start          params
	power          terms[powerTerm] // by point
	uses, censored terms[logProb]   // by class; two for each class

	logs         kept[float64] // by point: ln(1 + x/beta)
	ends, beyond kept[place]   // where classes start; two for each class
}

// kept is what a value of b makes of the first places.
type kept[T any] struct {
	b  float64
	of []T
}

// at is the first n, of which it makes those that are not there.
func (k *kept[T]) at(b float64, n int, find func(i int) T) []T {
	if k.b != b {
		k.b, k.of = b, k.of[:0]
	}
	for i := len(k.of); i < n; i++ {
		k.of = append(k.of, find(i))
	}
	return k.of[:n]
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
type powerTerm struct{ miss, byA, byB float64 }

// term is that of a cache of x lines, of which ln(1 + x e^-b) is known: miss = exp(-e^a ln(1 + x e^-b)), so that
// dmiss/da = miss ln miss, dmiss/db = miss (alpha-1) x/(x+beta).
func (l Law) term(x, log float64) powerTerm {
	steepness := l.Alpha - 1
	log *= -steepness
	miss := math.Exp(log)
	return powerTerm{miss, miss * log, miss * steepness * x / (x + l.Beta)}
}

// points is the terms of points.
func (m *memo) points(p params, points []Point) []powerTerm {
	return m.power.at(len(points), p == m.start, func(out []powerTerm) {
		l := p.law()
		logs := m.logs.at(p[1], len(out), func(i int) float64 { return math.Log1p(points[i].X / l.Beta) })
		for i, log := range logs {
			out[i] = l.term(points[i].X, log)
		}
	})
}

// classes is the logarithms of the probabilities of the first n classes of distances. That of the last one there can be has what is
// beyond, too; -1: there is none.
func (m *memo) classes(p params, n, last int) []logProb {
	return m.uses.at(n, p == m.start, func(out []logProb) {
		beta, e := math.Exp(p[1]), -math.Exp(p[0])
		ends := m.ends.at(p[1], n+1, func(i int) place { return placeOf(float64(reuse.ClassStart(i)), beta) })
		for i := range out {
			if i == last {
				out[i].tail(&ends[i], e)
			} else {
				out[i].between(&ends[i], &ends[i+1], e)
			}
		}
	})
}

// farther is the logarithms of the probabilities of distances beyond those that [spread] says of the first n classes.
func (m *memo) farther(p params, n int) []logProb {
	return m.censored.at(2*n, p == m.start, func(out []logProb) {
		beta, e := math.Exp(p[1]), -math.Exp(p[0])
		places := m.beyond.at(p[1], 2*n, func(i int) place { return placeOf(spread(i / 2)[i%2], beta) })
		for i := range places {
			out[i].tail(&places[i], e)
		}
	})
}
