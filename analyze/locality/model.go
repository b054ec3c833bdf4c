package locality

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"spoor/analyze/analysis"
	"spoor/traces/trace"
)

// A Model predicts the miss ratio of fully associative LRU caches of every size.
type Model struct {
	Name   string // of its column in locality_curve
	Suffix string // of the names of its parameters
	// When says whether an analysis has the model; nil: all have it.
	When func(a *Analysis) bool
	// Needs is the state that it needs of a program order beside the stack distances: a shard
	// of its own, or of another analysis. If it needs none, the field is nil.
	Needs func(a *Analysis, h trace.Header, p trace.Proc) analysis.Shard
	// Fit finds its parameters. Its error says why there is no fit.
	Fit func(m *Measured) (*Fitted, error)
}

// All lists every model. Those without a fit are left out.
var All = []Model{leastPower.model(), leastCapped.model(), likelyPower.model(), likelyCapped.model(), hotl, aet}

// models are those that the analysis has.
func (a *Analysis) models() []Model {
	return slices.DeleteFunc(slices.Clone(All), func(m Model) bool { return m.When != nil && !m.When(a) })
}

// Fitted is a model with its values.
type Fitted struct {
	Miss     func(lines float64) float64 // the miss ratio of a cache of so many lines, 1 or more
	Params   []analysis.Param            // what is to be known of them, in the parameter file
	Warnings []error                     // reservations
}

// result is a model that has been judged against the measured curve.
type result struct {
	Model
	*Fitted
	mean, worst float64 // absolute error of the miss ratio over all power-of-two sizes
}

// fitAll fits the models to what was measured. Needs of a model are in shards at its place.
func fitAll(m *Measured, models []Model, needs [][]analysis.Shard) (out []result, warnings []error) {
	all := m.Points(octaves(m.Footprint))
	var left unfitted
	for i, model := range models {
		m.Needs = needs[i]
		f, err := model.Fit(m)
		if err != nil {
			left.add(model, err)
			continue
		}
		r := result{Model: model, Fitted: f}
		r.mean, r.worst = judge(f.Miss, all)
		r.Params = append(r.Params,
			r.judged("fit_mean_error", "mean", r.mean, len(all), m.Source),
			r.judged("fit_max_error", "maximum", r.worst, len(all), m.Source))
		out = append(out, r)
		warnings = append(warnings, f.Warnings...)
	}
	return out, append(warnings, left.warnings()...)
}

// unfitted is the models without a fit, by the reason, in their order.
type unfitted struct {
	reasons []string
	models  [][]string
}

func (u *unfitted) add(m Model, why error) {
	at := slices.Index(u.reasons, why.Error())
	if at < 0 {
		at = len(u.reasons)
		u.reasons, u.models = append(u.reasons, why.Error()), append(u.models, nil)
	}
	u.models[at] = append(u.models[at], m.Name)
}

// warnings names the models, and what they would have told.
func (u *unfitted) warnings() (out []error) {
	for i, why := range u.reasons {
		what := "no model " + strings.Join(u.models[i], ", ")
		if slices.Contains(u.models[i], All[0].Name) {
			what += ", so no alpha and beta"
		}
		out = append(out, fmt.Errorf("locality: %s: %s", what, why))
	}
	return out
}

func (r *result) judged(name, what string, v float64, n int, source string) analysis.Param {
	return analysis.Exact(name+r.Suffix, v, "1", uint64(n), what+" absolute error of the fitted miss ratio over all power-of-two sizes", source)
}

func judge(miss func(x float64) float64, points []Point) (mean, worst float64) {
	for _, q := range points {
		e := math.Abs(miss(q.X) - q.Ratio)
		mean += e / float64(len(points))
		worst = max(worst, e)
	}
	return mean, worst
}
