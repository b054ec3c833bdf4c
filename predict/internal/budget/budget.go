// Package budget finds the best machine to buy or rent for an amount of money.
//
// Of all machines in a catalogue, it selects the one with the least time or cost for a program, as a model of
// the memory hierarchy predicts them:
//
//	minimise E(Instr) subject to C_cluster = N (C_machine(n) + C_net) <= B      [du2000, eq. 3.6 and 3.7]
//
// It does the same for additions to an existing machine, for an additional amount of money [du2000, sec. 3.3].
//
// The search is exact. It predicts every configuration, or rules it out by a lower bound of its time: see
// [Problem.Search]. The result contains the winner, the runner-up and its distance, all configurations that
// are the fastest for their price, and the effect of changed parameters on the winner. A distance smaller than
// the model's error decides nothing. The paper is [du2000].
package budget

import (
	"fmt"
	"math"

	"spoor/predict/cluster"
	"spoor/predict/internal/catalogue"
	"spoor/predict/internal/model"
	"spoor/traces/unit"
)

// Problem is a decision to make.
type Problem struct {
	Runs      []*cluster.Run                                // runs of one program, see [cluster.Case]
	RunsOn    func(catalogue.Parts) ([]*cluster.Run, error) // the runs as counted for a machine, for model mva; nil: Runs
	Model     model.Model[*cluster.Case]
	Catalogue *catalogue.Catalogue
	Have      *catalogue.Parts // existing machine that stays in use; nil: none
	Budget    unit.Dollars     // for the purchase, or per hour
	Limits    Limits
	Objective Objective
	Top       int  // number of machines to rank
	Beaten    bool // rank also machines that another one beats in time and price
	// Error is the error of the model, as a share of the prediction; NaN: not known.
	Error float64
}

// Candidate is one configuration.
type Candidate struct {
	catalogue.Parts
	Paid  unit.Dollars // price to pay from the budget
	Worth unit.Dollars // catalogue price of the whole machine
	Time  unit.Seconds // time of the whole run
	Value float64      // value of the objective
	at    int          // position in the catalogue
}

// before orders candidates by value, price, and position in the catalogue.
func (c *Candidate) before(d *Candidate) bool {
	switch {
	case c.Value != d.Value:
		return c.Value < d.Value
	case c.Paid != d.Paid:
		return c.Paid < d.Paid
	case c.at != d.at:
		return c.at < d.at
	}
	return c.Nodes < d.Nodes
}

// Result is the outcome of a search.
type Result struct {
	Ranked         []Candidate // the best of all, best first
	Front          []Candidate // configurations that no cheaper one matches in time, by price
	SmallerBudgets []Candidate // the best two of every budget up to that of the problem, best first
	All            int         // number of configurations that meet the limits
	Predicted      int         // number of those that were predicted
	Unpredicted    int         // number of those that the model could not predict
	Skipped        []error     // reasons for that
	Warnings       []error     // what makes the result doubtful
	Better         float64     // probability that the runner-up is better than the best; NaN: not known
}

// Margin returns the relative distance of the runner-up's value to the best, or NaN without a runner-up.
func (r *Result) Margin() float64 {
	if len(r.Ranked) < 2 {
		return math.NaN()
	}
	return r.Ranked[1].Value/r.Ranked[0].Value - 1
}

// Predict returns the full prediction for a candidate.
func (p *Problem) Predict(c Candidate) (model.Prediction, error) {
	runs, err := p.runsOn(c.Parts)
	if err != nil {
		return model.Prediction{}, err
	}
	m := p.Catalogue.Machine(c.Parts)
	return p.Model.Predict(&cluster.Case{Runs: runs, Machine: m, Processors: c.Processors * c.Nodes})
}

// runsOn returns the runs for predictions of a machine.
func (p *Problem) runsOn(of catalogue.Parts) ([]*cluster.Run, error) {
	if p.RunsOn == nil {
		return p.Runs, nil
	}
	return p.RunsOn(of)
}

// JobCost returns the cost of a run of time t: the rent for that time, or the price times that share of the
// machine's lifetime. If the number of jobs is known, each has its share of the price.
func (p *Problem) JobCost(worth unit.Dollars, t unit.Seconds) unit.Dollars {
	switch {
	case p.Catalogue.Hourly:
		return worth * unit.Dollars(t/3600)
	case p.fixedCost():
		return worth * unit.Dollars(month/p.Catalogue.Lifetime) / unit.Dollars(p.Limits.Jobs)
	}
	return worth * unit.Dollars(t/p.Catalogue.Lifetime)
}

// fixedCost reports whether the cost of a job does not depend on its time.
func (p *Problem) fixedCost() bool { return !p.Catalogue.Hourly && p.Limits.Jobs > 0 }

// cheapestWithin returns the cheapest machine on the front that is within a share of the best value. It
// returns false if that is the best machine itself.
func (p *Problem) cheapestWithin(r *Result, share float64) (Candidate, bool) {
	best := r.Ranked[0]
	for _, c := range r.Front {
		value := p.Objective.of(c.Time, p.JobCost(c.Worth, c.Time))
		if value <= best.Value*(1+share) {
			return c, c.Paid < best.Paid
		}
	}
	return best, false
}

// check returns an error if p is invalid.
func (p *Problem) check() error {
	c := p.Catalogue
	switch {
	case c == nil:
		return fmt.Errorf("the list of prices has no [catalogue]; data/price has examples")
	case !(p.Budget >= 0) || math.IsInf(float64(p.Budget), 0):
		return fmt.Errorf("the budget is %v, not an amount of 0 or more", p.Budget)
	case p.Objective.needsCost && !c.Hourly && c.Lifetime == 0:
		return fmt.Errorf("objective %s needs catalogue.lifetime, the service life of a bought machine", p.Objective.Name)
	case p.Top < 1:
		return fmt.Errorf("cannot rank %d machines; give --top 1 or more", p.Top)
	}
	return nil
}

// price returns what s costs from the budget, and its whole catalogue price.
func (p *Problem) price(s catalogue.Parts) (paid, worth unit.Dollars) {
	worth = p.Catalogue.Price(s)
	if p.Have == nil {
		return worth, worth
	}
	return p.addition(s), worth
}
