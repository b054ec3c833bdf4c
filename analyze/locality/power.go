package locality

import (
	"errors"
	"fmt"
	"math"

	"spoor/analyze/analysis"
)

// A way is how the power law is fitted.
type way struct {
	name, suffix string
	capped       bool
	fit          func(s *sample) (Fit, error)
	objective    func(s *sample, m *memo) objective // the same, for replicates
	what         string                             // what is fitted, of N things
	linear       string                             // what intervals are without enough blocks
}

const linearised = "interval from the covariance of the linearised problem, a lower limit"

// The published law has cold uses as misses of every size, or as censored ones.
var (
	leastPower = way{name: "power", what: "least squares of the miss ratio at %d sizes, quarter octaves up to the footprint, equal weights", linear: linearised,
		fit: func(s *sample) (Fit, error) { return FitLaw(s.points()) }, objective: func(s *sample, m *memo) objective { return leastSquares(s.points(), m) }}
	likelyPower = way{name: "power_ml", suffix: "_ml", what: "maximum likelihood of %d uses by classes of distance, cold ones censored at the lines used before", linear: informed,
		fit: func(s *sample) (Fit, error) { return likeliest(s, likelihood(s, new(memo)), s.total()) }, objective: likelihood}
)

// The capped law is the same between the cold misses, which every size has, and the footprint, from
// which on there are no others:
//
//	1 - P(x) = cold + (1 - cold) (x/beta + 1)^-(alpha-1) for x < footprint, else cold
var (
	leastCapped = way{name: "capped", suffix: "_capped", capped: true, what: "least squares of the miss ratio above cold at %d sizes, quarter octaves below the footprint, equal weights", linear: linearised,
		fit: func(s *sample) (Fit, error) { return FitLaw(s.pointsAbove()) }, objective: func(s *sample, m *memo) objective { return leastSquares(s.pointsAbove(), m) }}
	likelyCapped = way{name: "capped_ml", suffix: "_capped_ml", capped: true, what: "maximum likelihood of %d uses that are not cold, by classes of distance, the last of which has the rest of the law", linear: informed,
		fit: func(s *sample) (Fit, error) { return likeliest(s, likelihoodAbove(s, new(memo)), s.total()-s.cold) }, objective: likelihoodAbove}
)

const informed = "interval from the observed information, far too narrow for uses that depend on each other"

// model is the way as a model.
func (w way) model() Model {
	return Model{Name: w.name, Suffix: w.suffix, Fit: func(m *Measured) (*Fitted, error) {
		fit, err := w.fit(&m.sample)
		if err != nil {
			return nil, err
		}
		interval := w.linear
		switch {
		case m.uncertain != nil:
			fit.setIntervals(m.uncertain.widths(&m.sample, fit.at, func(s *sample) ([]float64, error) { return w.replicate(s, &memo{start: fit.at}) }))
			interval = byCurves
		case m.bootstrap != nil:
			from := &memo{start: fit.at}
			width := m.bootstrap.widths(func(s *sample) ([]float64, error) { return w.replicate(s, from) })
			fit.setIntervals([2]float64(width))
			interval = m.bootstrap.method()
		}
		f := &Fitted{Params: fit.params(w, interval, m.Source), Miss: w.miss(fit.Law(), m)}
		if w.suffix == "" {
			f.Warnings = fit.Warnings // those of the other ways are with their parameters alone
		}
		return f, nil
	}}
}

// miss is the miss ratio of a law.
func (w way) miss(l Law, m *Measured) func(x float64) float64 {
	if !w.capped {
		return l.Miss
	}
	cold, footprint := m.ColdRatio(), float64(m.Footprint)
	return func(x float64) float64 {
		if x >= footprint {
			return cold
		}
		return cold + (1-cold)*l.Miss(x)
	}
}

// replicate is the parameters of a replicate, searched from where those of the whole are.
func (w way) replicate(s *sample, from *memo) ([]float64, error) {
	if total := s.total(); total == 0 || s.cold == total {
		return nil, errors.New("no line is used twice")
	}
	const enough = 1e-6 // much less than replicates differ
	p, _ := descend(w.objective(s, from), from.start, enough)
	return p[:], nil
}

// params is alpha and beta.
func (f *Fit) params(w way, interval, source string) []analysis.Param {
	method := fmt.Sprintf(w.what, f.N) + "; " + interval
	for _, r := range f.reservations() { // those of the paper's law are notes too, but the file may travel alone
		method += "; " + r
	}
	return []analysis.Param{
		{Name: "alpha" + w.suffix, Estimate: f.Alpha, Unit: "1", N: uint64(f.N), Method: method, Source: source},
		{Name: "beta" + w.suffix, Estimate: f.Beta, Unit: "lines", N: uint64(f.N), Method: method, Source: source},
	}
}

// likeliest maximises a likelihood of n uses.
func likeliest(s *sample, f objective, n float64) (Fit, error) {
	if points := s.points(); len(points) < 3 {
		return Fit{}, tooFew(len(points))
	}
	if n == 0 || s.cold == s.total() {
		return Fit{}, errNoReuse
	}
	best, _ := search(f, float64(s.footprint))
	_, _, h := f(best)
	width, err := inverted(h, best.held(), 1/n, 1.96)
	fit := describe(best, width, err)
	fit.N = int(math.Round(n))
	return fit, nil
}
