package budget

import (
	"fmt"
	"math"
	"slices"

	"spoor/predict/cluster"
	"spoor/predict/internal/catalogue"
)

// addWarnings warns if the margin of the winner is within the model's error, or if intervals overlap.
func (p *Problem) addWarnings(r *Result) error {
	warn := func(format string, args ...any) { r.Warnings = append(r.Warnings, fmt.Errorf(format, args...)) }
	best, err := p.Predict(r.Ranked[0])
	if err != nil {
		return err
	}
	r.Warnings = append(r.Warnings, best.Warnings...)
	margin, power := r.Margin(), p.power()
	switch {
	case math.IsNaN(margin):
		warn("there is no other machine to compare with")
	case power == 0: // prices decide, and not times
	case math.IsNaN(p.Error) && best.ModelMargin.Known() && margin <= power*max(best.ModelMargin.Below, best.ModelMargin.Above):
		warn("the margin of %.2g %% is inside the model's error, which is -%.0f %% to +%.0f %% by simulations of other programs; set --model-error to use another",
			100*margin, 100*best.ModelMargin.Below, 100*best.ModelMargin.Above)
	case math.IsNaN(p.Error) && !best.ModelMargin.Known():
		warn("the error of model %s is not known, so the margin of %.2g %% may mean nothing; set --model-error", p.Model.Name(), 100*margin)
	case margin <= power*p.Error:
		warn("the margin of %.2g %% is inside the model's error of %.2g %%: the runner-up may be better", 100*margin, 100*p.Error)
	}
	r.Better = math.NaN()
	if len(r.Ranked) < 2 {
		return nil
	}
	second, err := p.Predict(r.Ranked[1])
	if err != nil {
		return err
	}
	r.Better = p.better(best, second, r.Margin())
	if best.Interval.Known() && second.Interval.Known() { // the error of the model is the same for both
		worst := r.Ranked[0].Value * float64(best.Interval.Hi/best.EInstr)
		if least := r.Ranked[1].Value * float64(second.Interval.Lo/second.EInstr); worst >= least {
			warn("the intervals of winner and runner-up overlap: %s", best.Interval.Covers)
		}
	}
	return nil
}

// Shift is the effect of one changed parameter on the decision.
type Shift struct {
	Parameter, Means string
	Factor           float64
	Winner           Candidate
	// Change is the relative change of the old winner's value. Regret is its relative distance to the new
	// winner. Both are NaN if the old winner exceeds the budget.
	Change, Regret float64
}

// parameter is a value that may be wrong.
type parameter struct {
	name, means string
	change      func(p *Problem, factor float64) bool // returns false if p does not depend on it
}

var parameters = []parameter{
	measured("alpha", "locality: how fast miss ratios fall with the size of a cache"),
	measured("beta", "locality: the size from which on they fall"),
	measured("gamma", "memory references per instruction"),
	offered("1/S", "time of an instruction without its references", func(c *catalogue.Scale, f float64) { c.CPI = f }),
	offered("tau_1", "time of a hit in the caches", func(c *catalogue.Scale, f float64) { c.Cache = f }),
	offered("tau_2", "time of a memory access", func(c *catalogue.Scale, f float64) { c.Memory = f }),
	offered("tau_3", "time of a disk access", func(c *catalogue.Scale, f float64) { c.Disk = f }),
	offered("tau_r", "time of a message", func(c *catalogue.Scale, f float64) { c.Network = f }),
	offered("C_machine", "prices of nodes", func(c *catalogue.Scale, f float64) { c.NodePrice = f }),
	offered("C_net", "prices of networks", func(c *catalogue.Scale, f float64) { c.NetworkPrice = f }),
}

func measured(name, means string) parameter {
	return parameter{name, means, func(p *Problem, f float64) bool {
		runs, found := cluster.Scaled(p.Runs, name, f)
		p.Runs = runs
		return found
	}}
}

func offered(name, means string, set func(*catalogue.Scale, float64)) parameter {
	return parameter{name, means, func(p *Problem, f float64) bool {
		by := catalogue.Unscaled
		set(&by, f)
		p.Catalogue = p.Catalogue.Scaled(by)
		return true
	}}
}

// Sensitivity searches again with each parameter smaller and larger by a share. It leaves out parameters that
// change nothing.
func (p *Problem) Sensitivity(r *Result, share float64) (all []Shift, err error) {
	for _, q := range parameters {
		var both []Shift
		for _, f := range []float64{1 - share, 1 + share} {
			changed := *p
			if !q.change(&changed, f) {
				continue
			}
			s, err := changed.shift(r.Ranked[0])
			if err != nil {
				return nil, fmt.Errorf("with %s times %.4g: %w", q.name, f, err)
			}
			s.Parameter, s.Means, s.Factor = q.name, q.means, f
			both = append(both, s)
		}
		if slices.ContainsFunc(both, func(s Shift) bool { return s.Change != 0 || s.Winner.Parts != r.Ranked[0].Parts }) {
			all = append(all, both...)
		}
	}
	return all, nil
}

// shift returns the effect on the old winner in the changed problem p. There is no new winner if nothing is
// within the limits.
func (p *Problem) shift(old Candidate) (Shift, error) {
	s := Shift{Change: math.NaN(), Regret: math.NaN()}
	q := *p
	q.Top = 1
	r, err := q.search(true)
	if err != nil {
		return s, nil // the budget no longer buys any machine
	}
	s.Winner = r.Ranked[0]
	c := Candidate{Parts: old.Parts}
	c.Paid, c.Worth = p.price(old.Parts)
	runs, err := p.runsOn(old.Parts)
	if err != nil {
		return s, err
	}
	series, err := cluster.NewSeries(p.Model, runs, p.Catalogue.Machine(old.Parts))
	if err != nil || !p.affords(&c) {
		return s, err
	}
	t, err := series.Time(old.Nodes)
	value := p.Objective.of(t, p.JobCost(c.Worth, t))
	s.Change, s.Regret = value/old.Value-1, value/s.Winner.Value-1
	return s, err
}

// cents rounds to a hundredth of a cent, to remove rounding errors of sums.
func cents(d float64) float64 { return math.Round(d*1e4) / 1e4 }
