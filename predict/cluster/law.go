package cluster

import (
	"fmt"
	"slices"
	"strings"

	"spoor/analyze/locality"
	"spoor/calibrate/param"
	"spoor/traces/lookup"
)

// Fits of the power law by analyze --run locality.
const (
	LogLaw        = "log"           // least squares of the logarithm where caches and memories are
	LeastSquares  = "least-squares" // of the miss ratio at all sizes, as [du2000, sec. 4.2] may have done
	MaxLikelihood = "likelihood"
)

// DefaultLaw is the fit that a [Paper] without a law uses.
const DefaultLaw = LeastSquares

// Laws lists the fits.
var Laws = []string{LogLaw, LeastSquares, MaxLikelihood}

// CheckGiven returns an error if the name of given parameters is that of a fit.
func CheckGiven(name string) error {
	if slices.Contains(Laws, name) || name == "" {
		return fmt.Errorf("%q is the name of a fit; rename the parameter file", name)
	}
	return nil
}

// suffixes are the ends of the names of the parameters of each fit.
var suffixes = map[string]string{LogLaw: "_log", LeastSquares: "", MaxLikelihood: "_ml"}

// CheckLaw returns an error if there is no such fit.
func CheckLaw(name string) error {
	if !slices.Contains(Laws, name) {
		return lookup.Unknown("law", name, Laws)
	}
	return nil
}

// law returns alpha and beta of the run for model p. A file without fits, as one made by hand, has alpha and beta only.
func (p Paper) law(r *Run) (alpha, beta param.Param, err error) {
	suffix := suffixes[p.Law] // none for given parameters, see [WithLaw]
	if _, fits := r.Params.Lookup("alpha" + suffixes[MaxLikelihood]); fits && p.Law == "" {
		suffix = suffixes[DefaultLaw]
	}
	if alpha, err = r.parameter("alpha"+suffix, "1"); err == nil {
		beta, err = r.parameter("beta"+suffix, "lines")
	}
	return alpha, beta, err
}

// boundTexts are what methods of parameters say of their fit.
var boundTexts = []string{"at its bound", "no power law fits"}

// boundWarnings says what the fit says about its own parameters: that one is at a bound, or that no power law fits.
func (l powerLawFit) boundWarnings() (all []error) {
	var seen []string
	for _, p := range []param.Param{l.alpha, l.beta} {
		for _, part := range strings.Split(p.Method, "; ") {
			if slices.ContainsFunc(boundTexts, func(text string) bool { return strings.Contains(part, text) }) && !slices.Contains(seen, part) {
				seen = append(seen, part)
				all = append(all, fmt.Errorf("power law: %s", part))
			}
		}
	}
	return all
}

// curveWarning compares the law with the measured distances at the last cache, if they are there.
func (p Paper) curveWarning(c *Case, r *Run, predicted float64) []error {
	if r.reuseTable == nil || c.Machine.Shared != nil {
		return nil
	}
	d, err := r.pooled(last(c.Machine).Line)
	if err != nil || d.total() == 0 {
		return nil
	}
	d = d.scaled(float64(r.Processors) / float64(c.Processors))
	measured := d.missesOfOneSet(1, int(last(c.Machine).Size/last(c.Machine).Line)) / d.total()
	if predicted >= measured/2 && predicted <= measured*2 {
		return nil
	}
	return []error{fmt.Errorf("the power law has %.2g misses of the last cache per reference, the measured curve %.2g", predicted, measured)}
}

// WithLaw returns copies of runs with alpha, beta, and if they are there gamma and line, of a parameter file in place of those
// measured. A [Paper] whose Law is no fit uses them.
func WithLaw(runs []*Run, law *param.Set) (out []*Run, err error) {
	for _, name := range []string{"alpha", "beta"} {
		if _, has := law.Lookup(name); !has {
			return nil, fmt.Errorf("the law has no parameter %s", name)
		}
	}
	for _, r := range runs {
		given := *r
		given.inputs, given.Params = nil, &param.Set{}
		for _, p := range r.Params.All() {
			base, _, isFit := strings.Cut(p.Name, "_")
			isFit = isFit && (base == "alpha" || base == "beta" || base == "fit")
			if q, has := law.Lookup(p.Name); has && slices.Contains([]string{"alpha", "beta", "gamma", "line"}, p.Name) {
				p = q
			} else if isFit {
				continue
			}
			if err := given.Params.Add(p); err != nil {
				return nil, err
			}
		}
		out = append(out, &given)
	}
	return out, nil
}

// meetsAtBarriers reports whether the processors of the run meet at barriers, or that is unknown.
func (r *Run) meetsAtBarriers() bool {
	p, known := r.Params.Lookup(locality.BarriersParam)
	return !known || p.Value != 0
}

// barrierWarning returns the warnings of all predictions with (3.16).
func barrierWarning(c *Case, r *Run) (all []error) {
	if c.Processors > 1 && r.meetsAtBarriers() {
		all = append(all, fmt.Errorf("the barrier term is per instruction and ignores the number of barriers"))
	}
	return all
}
