package locality

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/paramfile"
	"spoor/traces/trace"
)

// A missModel predicts the miss ratio of fully associative LRU caches of every size.
type missModel struct {
	Name   string // also of its column in locality_curve
	Suffix string // of its parameter names
	// Enabled reports whether an analysis has the model; nil: always.
	Enabled func(a *Analysis) bool
	// Needs returns a shard of a program order that the model needs besides stack distances. It may belong to
	// another analysis. nil: the model needs none.
	Needs func(a *Analysis, h trace.Header, p trace.Proc) analysis.Shard
	// Fit finds the parameters. Its error says why there is no fit.
	Fit func(m *measured) (*fittedModel, error)
}

// all lists every model. The results omit models that could not be fitted.
var all = []missModel{powerLS.model(), cappedLS.model(), powerML.model(), cappedML.model(), powerLog.model(), hotl, aet}

// models returns the models of the analysis.
func (a *Analysis) models() []missModel {
	return slices.DeleteFunc(slices.Clone(all), func(m missModel) bool { return m.Enabled != nil && !m.Enabled(a) })
}

// fittedModel is a model with its values.
type fittedModel struct {
	Miss     func(lines float64) float64 // the miss ratio of a cache of this size, at least 1
	Params   []paramfile.Param           // for the parameter file
	Warnings []error
}

// result is a fitted model with its errors.
type result struct {
	missModel
	*fittedModel
	mean, max float64 // absolute error of the miss ratio over all power-of-two sizes
}

// fitAll fits the models to the measurements. needs has the shards of each model, in the order of models.
func fitAll(m *measured, models []missModel, needs [][]analysis.Shard) (out []result, warnings []error) {
	all := m.Points(octaves(m.Footprint))
	fits, errs := make([]*fittedModel, len(models)), make([]error, len(models))
	analysis.InParallel(len(models), runtime.GOMAXPROCS(0), func(i int) {
		one := *m
		one.Needs = needs[i]
		fits[i], errs[i] = models[i].Fit(&one)
	})
	var failed unfitted
	for i, model := range models {
		f, err := fits[i], errs[i]
		if err != nil {
			failed.add(model, err)
			continue
		}
		r := result{missModel: model, fittedModel: f}
		r.mean, r.max = fitErrors(f.Miss, all)
		r.Params = append(r.Params,
			r.errorParam("fit_mean_error", "mean", r.mean, len(all), m.Source),
			r.errorParam("fit_max_error", "maximum", r.max, len(all), m.Source))
		out = append(out, r)
		warnings = append(warnings, f.Warnings...)
	}
	return out, append(warnings, failed.warnings()...)
}

// unfitted lists the models without a fit, grouped by reason, in their order.
type unfitted struct {
	reasons []string
	models  [][]string
}

func (u *unfitted) add(m missModel, reason error) {
	at := slices.Index(u.reasons, reason.Error())
	if at < 0 {
		at = len(u.reasons)
		u.reasons, u.models = append(u.reasons, reason.Error()), append(u.models, nil)
	}
	u.models[at] = append(u.models[at], m.Name)
}

// warnings returns a warning for each reason, with its models and missing parameters.
func (u *unfitted) warnings() (out []error) {
	for i, reason := range u.reasons {
		text := "omitted models " + strings.Join(u.models[i], ", ")
		if slices.Contains(u.models[i], all[0].Name) {
			text += ", and with them alpha and beta"
		}
		out = append(out, fmt.Errorf("locality: %s: %s", text, reason))
	}
	return out
}

func (r *result) errorParam(name, what string, v float64, n int, source string) paramfile.Param {
	return paramfile.Exact(name+r.Suffix, v, "1", uint64(n), what+" absolute error of the fitted miss ratio over all power-of-two sizes", source)
}

func fitErrors(miss func(x float64) float64, points []point) (mean, worst float64) {
	for _, q := range points {
		e := math.Abs(miss(q.X) - q.Ratio)
		mean += e / float64(len(points))
		worst = max(worst, e)
	}
	return mean, worst
}
