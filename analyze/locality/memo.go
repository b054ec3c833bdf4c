package locality

import (
	"math"
	"slices"

	"spoor/analyze/reuse"
)

// memo caches the terms of the law at the points of the objectives. All searches need the same terms at the
// start: the replicates of a bootstrap have the same points and different counts. Many searches also end at
// the bound of beta and stay there. Then the part that depends only on beta is cached too.
type memo struct {
	start          params
	line           float64          // bytes of a line
	power          terms[powerTerm] // by point
	uses, censored terms[logProb]   // by class: uses has one term for each, censored two

	logs                      cached[float64] // by point: ln(1 + x/beta)
	startTerms, censoredTerms cached[logTerm] // startTerms: at the starts of classes; censoredTerms: two for each class
}

// cached holds values of the first points for one b.
type cached[T any] struct {
	b      float64
	values []T
}

// at returns the first n values. It computes the missing ones.
func (k *cached[T]) at(b float64, n int, find func(i int) T) []T {
	if k.b != b {
		k.b, k.values = b, k.values[:0]
	}
	for i := len(k.values); i < n; i++ {
		k.values = append(k.values, find(i))
	}
	return k.values[:n]
}

// terms caches the terms of one kind.
type terms[T any] struct{ atStart, latest []T }

// at returns the first n terms. It calls fill if they are not cached.
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

// powerTerm is the miss ratio of a cache, with its derivatives by a and b.
type powerTerm struct{ miss, byA, byB float64 }

// term returns the term of a cache of x lines. log is ln(1 + x e^-b). miss = exp(-e^a ln(1 + x e^-b)), so
// that dmiss/da = miss ln miss, and dmiss/db = miss (alpha-1) x/(x+beta).
func (l law) term(x, log float64) powerTerm {
	steepness := l.Alpha - 1
	log *= -steepness
	miss := math.Exp(log)
	return powerTerm{miss, miss * log, miss * steepness * x / (x + l.Beta)}
}

// points returns the terms of points.
func (m *memo) points(p params, points []point) []powerTerm {
	return m.power.at(len(points), p == m.start, func(out []powerTerm) {
		l := p.law()
		logs := m.logs.at(p[1], len(out), func(i int) float64 { return math.Log1p(points[i].X / l.Beta) })
		for i, log := range logs {
			out[i] = l.term(points[i].X, log)
		}
	})
}

// classes returns the logarithms of the probabilities of the first n classes of distance. The class last
// includes all larger distances; -1: no class does.
func (m *memo) classes(p params, n, last int) []logProb {
	return m.uses.at(n, p == m.start, func(out []logProb) {
		beta, e := math.Exp(p[1]), -math.Exp(p[0])
		ends := m.startTerms.at(p[1], n+1, func(i int) logTerm { return newLogTerm(float64(reuse.ClassStart(i)), beta) })
		for i := range out {
			if i == last {
				out[i].tail(&ends[i], e)
			} else {
				out[i].difference(&ends[i], &ends[i+1], e)
			}
		}
	})
}

// tails returns the logarithms of the probabilities of larger distances than [twoPoints] of each of the first
// n classes.
func (m *memo) tails(p params, n int) []logProb {
	return m.censored.at(2*n, p == m.start, func(out []logProb) {
		beta, e := math.Exp(p[1]), -math.Exp(p[0])
		places := m.censoredTerms.at(p[1], 2*n, func(i int) logTerm { return newLogTerm(twoPoints(i / 2)[i%2], beta) })
		for i := range places {
			out[i].tail(&places[i], e)
		}
	})
}
