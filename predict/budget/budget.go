// Package budget finds the machine to buy or to rent: of all that a catalogue offers for so much money, the one on which a program
// is done soonest, or at the least cost, as a model of the memory hierarchy predicts it.
//
//	minimise E(Instr) subject to C_cluster = N (C_machine(n) + C_net) <= B      [du2000, eq. 3.6 and 3.7]
//
// and the same for what is added to a machine that is there, for so much money more [du2000, sec. 3.3].
//
// All configurations are looked at, or shown to be worse than others that were, by a lower bound of their time: see
// [Problem.Search]. With the winner come the runner-up and how much worse it is, all configurations
// that are the fastest for their price, and what changes in the parameters make of the winner: a margin that is smaller
// than the model's error decides nothing.
//
// The paper is
//
//   - [du2000] Xing Du, Xiaodong Zhang, Zhichun Zhu: Memory Hierarchy
//     Considerations for Cost-Effective Cluster Computing. IEEE Transactions on
//     Computers 49(9), September 2000, pp. 915-933.
package budget

import (
	"fmt"
	"math"

	"spoor/calibrate/machine"
	"spoor/predict/cluster"
	"spoor/predict/model"
	"spoor/traces/unit"
)

// Problem is what is to be decided.
type Problem struct {
	Runs      []*cluster.Run // of one program, see [cluster.Case]
	Model     model.Model[*cluster.Case]
	Catalogue *machine.Catalogue
	Have      *machine.Parts // what is there already and goes on being used; nil: nothing
	Budget    unit.Dollars   // for what is bought, or per hour
	Limits    Limits
	Objective Objective
	Top       int // how many are ranked
	// Error is that of the model, as a share of what it predicts; NaN: not known.
	Error float64
}

// Candidate is one configuration.
type Candidate struct {
	machine.Parts
	Paid  unit.Dollars // out of the budget
	Worth unit.Dollars // of the whole machine, by the catalogue
	Time  unit.Seconds // of the whole run
	Value float64      // of the objective
	at    int          // in the order of the catalogue
}

// before is the order of candidates: by value, price, and place in the catalogue.
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

// Result is what is best.
type Result struct {
	Ranked   []Candidate // the best of all
	Front    []Candidate // those than which no cheaper one is as fast, by price
	Less     []Candidate // the best and the second of every budget up to that of the problem, the best first
	All      int         // configurations that meet the limits
	Looked   int         // of which so many had to be predicted
	Unknown  int         // and so many could not be
	Left     []error     // why
	Warnings []error     // what makes the result doubtful
}

// Margin is by how much more the runner-up's value is, as a share; NaN if there is none.
func (r *Result) Margin() float64 {
	if len(r.Ranked) < 2 {
		return math.NaN()
	}
	return r.Ranked[1].Value/r.Ranked[0].Value - 1
}

// Predict is the full prediction for a candidate.
func (p *Problem) Predict(c Candidate) (model.Prediction, error) {
	m := p.Catalogue.Machine(c.Parts)
	return p.Model.Predict(&cluster.Case{Runs: p.Runs, Machine: m, Processors: c.Processors * c.Nodes})
}

// JobCost is what a run costs that takes so long: rent for that time, or that part of the machine's life.
func (p *Problem) JobCost(worth unit.Dollars, t unit.Seconds) unit.Dollars {
	if p.Catalogue.Hourly {
		return worth * unit.Dollars(t/3600)
	}
	return worth * unit.Dollars(t/p.Catalogue.Lifetime)
}

// enough is the cheapest machine on the front that is within a share of the best value, and false if that is the best itself.
func (p *Problem) enough(r *Result, share float64) (Candidate, bool) {
	best := r.Ranked[0]
	for _, c := range r.Front {
		value := p.Objective.of(c.Time, p.JobCost(c.Worth, c.Time))
		if value <= best.Value*(1+share) {
			return c, c.Paid < best.Paid
		}
	}
	return best, false
}

// check says what is wrong with p before anything is searched.
func (p *Problem) check() error {
	c := p.Catalogue
	switch {
	case c == nil:
		return fmt.Errorf("the list of prices has no [catalogue]; data/price has examples")
	case !(p.Budget >= 0) || math.IsInf(float64(p.Budget), 0):
		return fmt.Errorf("a budget of %v is no amount", p.Budget)
	case p.Objective.needsCost && !c.Hourly && c.Lifetime == 0:
		return fmt.Errorf("objective %s needs catalogue.lifetime: for how long a machine serves that is bought", p.Objective.Name)
	case p.Top < 1:
		return fmt.Errorf("a ranking of %d machines", p.Top)
	}
	return nil
}

// price is what is paid for s, and what it is worth.
func (p *Problem) price(s machine.Parts) (paid, worth unit.Dollars) {
	worth = p.Catalogue.Price(s)
	if p.Have == nil {
		return worth, worth
	}
	return p.addition(s), worth
}
