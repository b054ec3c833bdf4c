package paired

import (
	"fmt"
	"math"
	"slices"

	"spoor/predict/internal/report/numeral"
	"spoor/traces/store"
)

// Coverage counts the cases in which the simulation lies within the interval of a prediction.
type Coverage struct {
	Model, Target string // or "all"
	Cases         int
	Whole         int // within Lo to Hi
	Parameters    int // within ParametersLo to ParametersHi
}

// Share returns the fraction of cases within Lo to Hi.
func (c Coverage) Share() float64 { return float64(c.Whole) / float64(c.Cases) }

// holds reports whether e lies within an interval. NaN as an end holds nothing.
func holds(lo, hi, e float64) bool { return lo <= e && e <= hi }

// beyond returns the distance of the simulated e from the interval of the parameters, relative to the nearer end:
// 0 inside, negative below. Without such an interval, EInstr is both ends.
func (r Row) beyond(e float64) float64 {
	lo, hi := r.ParametersLo, r.ParametersHi
	if math.IsNaN(lo) || math.IsNaN(hi) {
		lo, hi = r.EInstr, r.EInstr
	}
	switch {
	case e < lo:
		return e/lo - 1
	case e > hi:
		return e/hi - 1
	}
	return 0
}

// all stands for every model or every target.
const all = "all"

// Coverage returns the coverage of each model on each target, of each model on all targets, and of all models.
func (c *Comparison) Coverage() []Coverage {
	var list []Coverage
	add := func(model, target string, r Row, simulated float64) {
		i := slices.IndexFunc(list, func(k Coverage) bool { return k.Model == model && k.Target == target })
		if i < 0 {
			i = len(list)
			list = append(list, Coverage{Model: model, Target: target})
		}
		k := &list[i]
		k.Cases++
		if holds(r.Lo, r.Hi, simulated) {
			k.Whole++
		}
		if holds(r.ParametersLo, r.ParametersHi, simulated) {
			k.Parameters++
		}
	}
	each := func(model, target func(Row) string) {
		for i := range c.Models {
			for _, k := range c.Cases {
				if r := k.Predicted[i]; r.Model != "" && !r.lacksInterval() {
					add(model(r), target(r), r, k.Simulated.EInstr)
				}
			}
		}
	}
	every := func(Row) string { return all }
	each(func(r Row) string { return r.Model }, func(r Row) string { return r.Target })
	each(func(r Row) string { return r.Model }, every)
	each(every, every)
	return list
}

// lacksInterval reports whether the prediction has no interval. Then the simulation is neither inside nor outside.
func (r Row) lacksInterval() bool { return math.IsNaN(r.Lo) || math.IsNaN(r.Hi) }

// WithoutInterval returns the number of predictions that have no interval.
func (c *Comparison) WithoutInterval() (n int) {
	for _, k := range c.Cases {
		for _, r := range k.Predicted {
			if r.Model != "" && r.lacksInterval() {
				n++
			}
		}
	}
	return n
}

// CoverageTable returns a row for each Coverage. Shares are in percent.
func (c *Comparison) CoverageTable() *store.Table {
	list := c.Coverage()
	n := len(list)
	model, target, cases := make([]string, n), make([]string, n), make([]int32, n)
	whole, parameters := make([]float64, n), make([]float64, n)
	percent := func(part, of int) float64 { return math.Round(1e4*float64(part)/float64(of)) / 100 }
	for i, k := range list {
		model[i], target[i], cases[i] = k.Model, k.Target, int32(k.Cases)
		whole[i], parameters[i] = percent(k.Whole, k.Cases), percent(k.Parameters, k.Cases)
	}
	return &store.Table{Name: "coverage", Columns: []store.Column{{Name: "model", Data: model}, {Name: "target", Data: target}, {Name: "rows", Data: cases},
		{Name: "inside", Unit: "%", Data: whole}, {Name: "inside_parameters", Unit: "%", Data: parameters}}}
}

// IntervalSentences says how often the simulation lies within the intervals, with and without the model's own error.
func (c *Comparison) IntervalSentences() []string {
	var out []string
	for _, k := range c.Coverage() {
		if k.Target != all || k.Model == all || !c.HasIntervals(k.Model) {
			continue
		}
		out = append(out, fmt.Sprintf("The simulation lies within the interval of %s in %d of %s. Without the model's own error, measured on other programs, it would be %d.",
			k.Model, k.Whole, numeral.Plural(k.Cases, "row"), k.Parameters))
	}
	return out
}

// HasIntervals reports whether any prediction of a model has an interval.
func (c *Comparison) HasIntervals(model string) bool {
	i := slices.Index(c.Models, model)
	return slices.ContainsFunc(c.Cases, func(k Case) bool { return k.Predicted[i].Model != "" && k.Predicted[i].HasInterval() })
}
