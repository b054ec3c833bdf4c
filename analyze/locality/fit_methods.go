package locality

import (
	"errors"
	"fmt"
	"math"

	"spoor/analyze/internal/paramfile"
)

// A fitMethod is a way to fit the power law.
type fitMethod struct {
	name, suffix     string
	capped           bool
	inBytes          bool // sizes are in bytes, not in lines
	fit              func(s *sample, line float64) (fit, error)
	objective        func(s *sample, m *memo) objective // what fit minimises, for replicates
	description      string                             // what is fitted, with %d for N
	fallbackInterval string                             // method of intervals without enough blocks
}

const linearisedInterval = "interval from the covariance of the linearised problem, a lower limit"

// The published law has first uses as misses of every size (powerLS), or as censored uses (powerML).
var (
	powerLS = fitMethod{name: "power", description: "least squares of the miss ratio at %d sizes, quarter octaves up to the footprint, equal weights", fallbackInterval: linearisedInterval,
		fit: func(s *sample, _ float64) (fit, error) { return fitLaw(s.points()) }, objective: func(s *sample, m *memo) objective { return leastSquares(s.points(), m) }}
	powerML = fitMethod{name: "power_ml", suffix: "_ml", description: "maximum likelihood of %d uses by classes of distance, cold ones censored at the lines used before", fallbackInterval: informationInterval,
		fit: func(s *sample, _ float64) (fit, error) {
			return maximizeLikelihood(s, likelihood(s, new(memo)), s.total())
		}, objective: likelihood}
)

// powerLog is the published law where caches and memories are: see [logPoints]. Least squares of the miss ratio
// itself weigh spatial locality below a kilobyte, and leave a factor of 1000 where caches are.
var powerLog = fitMethod{name: "power_log", suffix: "_log", inBytes: true, description: "least squares of the logarithm of the miss ratio at %d sizes, quarter octaves from 8 KiB to 64 MiB, equal weights", fallbackInterval: linearisedInterval,
	fit:       func(s *sample, line float64) (fit, error) { return s.fitLogLaw(line) },
	objective: func(s *sample, m *memo) objective { return logSquares(s.logPoints(m.line)) }}

// The capped law is the power law between two limits. One is the ratio of first uses, which miss at every
// size. The other is the footprint, from which on there are no other misses:
//
//	1 - P(x) = cold + (1 - cold) (x/beta + 1)^-(alpha-1) for x < footprint, else cold
var (
	cappedLS = fitMethod{name: "capped", suffix: "_capped", capped: true, description: "least squares of the miss ratio above cold at %d sizes, quarter octaves below the footprint, equal weights", fallbackInterval: linearisedInterval,
		fit: func(s *sample, _ float64) (fit, error) { return fitLaw(s.pointsAbove()) }, objective: func(s *sample, m *memo) objective { return leastSquares(s.pointsAbove(), m) }}
	cappedML = fitMethod{name: "capped_ml", suffix: "_capped_ml", capped: true, description: "maximum likelihood of %d uses that are not cold, by classes of distance, the last of which has the rest of the law", fallbackInterval: informationInterval,
		fit: func(s *sample, _ float64) (fit, error) {
			return maximizeLikelihood(s, likelihoodAbove(s, new(memo)), s.total()-s.cold)
		}, objective: likelihoodAbove}
)

const informationInterval = "interval from the observed information, far too narrow for uses that depend on each other"

// model returns the model of the method.
func (w fitMethod) model() missModel {
	return missModel{Name: w.name, Suffix: w.suffix, Fit: func(m *measured) (*fittedModel, error) {
		fit, err := w.fit(&m.sample, float64(m.Line))
		if err != nil {
			return nil, err
		}
		interval := w.fallbackInterval
		switch {
		case m.intervals != nil:
			fit.setIntervals(m.intervals.widths(&m.sample, fit.at, func(s *sample) ([]float64, error) { return w.replicate(s, &memo{start: fit.at, line: float64(m.Line)}) }))
			interval = sampledInterval
		case m.bootstrap != nil:
			from := &memo{start: fit.at, line: float64(m.Line)}
			width := m.bootstrap.widths(func(s *sample) ([]float64, error) { return w.replicate(s, from) })
			fit.setIntervals([2]float64(width))
			interval = m.bootstrap.method()
		}
		if w.inBytes {
			fit.toLines(float64(m.Line))
		}
		f := &fittedModel{Params: fit.params(w, interval, m.Source), Miss: w.miss(fit.Law(), m)}
		if w.suffix == "" {
			f.Warnings = fit.Warnings // warnings of the other methods are only with their parameters
		}
		return f, nil
	}}
}

// miss returns the miss ratio of a law by size.
func (w fitMethod) miss(l law, m *measured) func(x float64) float64 {
	if !w.capped {
		return l.Miss
	}
	cold, footprint := m.coldRatio(), float64(m.Footprint)
	return func(x float64) float64 {
		if x >= footprint {
			return cold
		}
		return cold + (1-cold)*l.Miss(x)
	}
}

// replicate returns the parameters of a replicate. The search starts at the parameters of the whole.
func (w fitMethod) replicate(s *sample, from *memo) ([]float64, error) {
	if total := s.total(); total == 0 || s.cold == total {
		return nil, errors.New("no line is used twice")
	}
	const enough = 1e-6 // much less than the differences of replicates
	p, _ := descend(w.objective(s, from), from.start, enough)
	return p[:], nil
}

// params returns alpha and beta.
func (f *fit) params(w fitMethod, interval, source string) []paramfile.Param {
	method := fmt.Sprintf(w.description, f.N) + "; " + interval
	for _, r := range f.warningTexts() { // notes show the warnings of the paper's law too, but the file may be read without them
		method += "; " + r
	}
	return []paramfile.Param{
		{Name: "alpha" + w.suffix, Estimate: f.Alpha, Unit: "1", N: uint64(f.N), Method: method, Source: source},
		{Name: "beta" + w.suffix, Estimate: f.Beta, Unit: "lines", N: uint64(f.N), Method: method, Source: source},
	}
}

// maximizeLikelihood fits by minimising f, minus the log-likelihood per use, of n uses.
func maximizeLikelihood(s *sample, f objective, n float64) (fit, error) {
	if points := s.points(); len(points) < 3 {
		return fit{}, tooFew(len(points))
	}
	if n == 0 || s.cold == s.total() {
		return fit{}, errNoReuse
	}
	best, _ := search(f, float64(s.footprint))
	_, _, h := f(best)
	width, err := halfWidths(h, best.atBound(), 1/n, 1.96)
	fit := newFit(best, width, err)
	fit.N = int(math.Round(n))
	return fit, nil
}
