package report

import (
	"fmt"
	"math"
	"slices"

	"spoor/traces/store"
)

// Coverage is how often the simulation lay in the intervals of predictions.
type Coverage struct {
	Model, Target string // "all": of every one
	Cases         int
	Whole         int // in the intervals from Lo to Hi
	Parameters    int // in those of what the model varies alone
}

// Share is the part of the cases whose simulation lay in the whole interval.
func (c Coverage) Share() float64 { return float64(c.Whole) / float64(c.Cases) }

// holds reports whether e is in an interval; none holds nothing.
func holds(lo, hi, e float64) bool { return lo <= e && e <= hi }

// beyond is how far the simulated e is from what the model varies, as a share of the nearer end: 0 inside, negative below. A
// prediction that varies nothing is its own interval.
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

// all stands for every model, or every target.
const all = "all"

// Coverage is that of each model on each kind of machine, of each on all, and of all, in order of first appearance.
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
				if r := k.Predicted[i]; r.Model != "" && !r.isUntold() {
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

// isUntold reports whether nothing is known of how far off the prediction may be: then the simulation is neither inside nor outside.
func (r Row) isUntold() bool { return math.IsNaN(r.Lo) || math.IsNaN(r.Hi) }

// Untold is how many predictions have no interval.
func (c *Comparison) Untold() (n int) {
	for _, k := range c.Cases {
		for _, r := range k.Predicted {
			if r.Model != "" && r.isUntold() {
				n++
			}
		}
	}
	return n
}

// CoverageTable has a row for each Coverage; shares are in percent.
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

// intervalSentences says how often the simulation lies in the intervals of predictions, and in what models vary alone.
func (c *Comparison) intervalSentences() []string {
	var out []string
	for _, k := range c.Coverage() {
		if k.Target != all || k.Model == all || !c.hasIntervals(k.Model) {
			continue
		}
		out = append(out, fmt.Sprintf("The intervals of %s hold the simulation in %d of %s; without the error of the model, as it was measured on other programs, in %d.",
			k.Model, k.Whole, plural(k.Cases, "row"), k.Parameters))
	}
	return out
}

// hasIntervals reports whether any prediction of a model says how far off it may be.
func (c *Comparison) hasIntervals(model string) bool {
	i := slices.Index(c.Models, model)
	return slices.ContainsFunc(c.Cases, func(k Case) bool { return k.Predicted[i].Model != "" && k.Predicted[i].hasInterval() })
}
