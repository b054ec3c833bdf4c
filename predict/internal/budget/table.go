package budget

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"spoor/predict/internal/model"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Table has a row for each ranked machine, best first.
func (p *Problem) Table(r *Result, facts []trace.Arg) (*store.Table, error) {
	predictions, err := p.predictions(r.Ranked)
	return p.table("budget", r.Ranked, predictions, r, facts), err
}

// Decision is Table with E(Instr), and with the best two for smaller budgets. Rank is 0 for machines that are
// not ranked.
func (p *Problem) Decision(r *Result, facts []trace.Arg) (*store.Table, error) {
	list, ranks := slices.Clone(r.Ranked), make([]int32, len(r.Ranked))
	for i := range ranks {
		ranks[i] = int32(i + 1)
	}
	for _, c := range r.SmallerBudgets {
		if !slices.ContainsFunc(r.Ranked, func(d Candidate) bool { return d.Parts == c.Parts }) {
			list, ranks = append(list, c), append(ranks, 0)
		}
	}
	predictions, err := p.predictions(list)
	if err != nil {
		return nil, err
	}
	if !math.IsNaN(p.Error) {
		facts = append(slices.Clip(facts), trace.Arg{Key: "model_error", Value: strconv.FormatFloat(p.Error, 'g', -1, 64)})
	}
	if p.Have != nil {
		facts = append(slices.Clip(facts), trace.Arg{Key: "have", Value: p.Catalogue.Name(*p.Have)})
	}
	t := p.table("budget", list, predictions, r, facts)
	e := make([]float64, len(list))
	for i := range e {
		e[i] = 1e9 * float64(predictions[i].EInstr)
	}
	t.Columns = append(t.Columns, store.Column{Name: "rank", Data: ranks}, store.Column{Name: "e_instr", Unit: "ns", Data: e})
	return t, nil
}

func (p *Problem) predictions(list []Candidate) ([]model.Prediction, error) {
	all := make([]model.Prediction, len(list))
	for i, c := range list {
		var err error
		if all[i], err = p.Predict(c); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// FrontTable has a row for each machine on the front: no cheaper machine is as fast.
func (p *Problem) FrontTable(r *Result, facts []trace.Arg) *store.Table {
	return p.table("front", r.Front, nil, r, facts)
}

func (p *Problem) table(name string, list []Candidate, predictions []model.Prediction, r *Result, facts []trace.Arg) *store.Table {
	numbers := func(name, unit string, of func(i int, c *Candidate) float64) store.Column {
		data := make([]float64, len(list))
		for i := range list {
			data[i] = of(i, &list[i])
		}
		return store.Column{Name: name, Unit: unit, Data: data}
	}
	paid := "$"
	if p.Catalogue.Hourly {
		paid = "$/h"
	}
	t := &store.Table{Name: name, Meta: append([]trace.Arg{{Key: "program", Value: p.Runs[0].Program}, {Key: "trace", Value: p.Runs[0].Trace}, {Key: "model", Value: p.Model.Name()},
		{Key: "prices", Value: p.Catalogue.Date}, {Key: "budget", Value: p.money(p.Budget)}, {Key: "objective", Value: p.Objective.Name}}, facts...)}
	if n := p.Limits.Jobs; n > 0 {
		t.Meta = append(t.Meta, trace.Arg{Key: "jobs_a_month", Value: strconv.FormatFloat(n, 'f', -1, 64)})
	}
	t.Columns = p.parts(list)
	t.Columns = append(t.Columns, numbers("price", paid, func(_ int, c *Candidate) float64 { return cents(float64(c.Paid)) }),
		numbers("time", "s", func(_ int, c *Candidate) float64 { return float64(c.Time) }))
	if p.Catalogue.Hourly || p.Catalogue.Lifetime > 0 {
		t.Columns = append(t.Columns, numbers("job", "$", func(_ int, c *Candidate) float64 { return float64(p.JobCost(c.Worth, c.Time)) }))
	}
	if predictions == nil {
		return t
	}
	scaled := func(name string, of func(model.Interval) unit.Seconds) store.Column {
		return numbers(name, "s", func(i int, c *Candidate) float64 {
			e := predictions[i]
			if whole := e.FullInterval(); whole.Known() {
				return float64(c.Time * of(whole) / e.EInstr)
			}
			return math.NaN()
		})
	}
	limits := make([]string, len(list))
	for i := range list {
		limits[i] = predictions[i].Limit
	}
	t.Columns = append(t.Columns,
		scaled("lo", func(i model.Interval) unit.Seconds { return i.Lo }), scaled("hi", func(i model.Interval) unit.Seconds { return i.Hi }),
		numbers("behind", "%", func(_ int, c *Candidate) float64 { return 100 * (c.Value/r.Ranked[0].Value - 1) }),
		store.Column{Name: "limit", Data: limits})
	return t
}

// parts returns the columns with the parts of machines.
func (p *Problem) parts(list []Candidate) []store.Column {
	words := func(name string, of func(c *Candidate) string) store.Column {
		data := make([]string, len(list))
		for i := range list {
			data[i] = of(&list[i])
		}
		return store.Column{Name: name, Data: data}
	}
	count := func(name string, of func(c *Candidate) int) store.Column {
		data := make([]int32, len(list))
		for i := range list {
			data[i] = int32(of(&list[i]))
		}
		return store.Column{Name: name, Data: data}
	}
	c := p.Catalogue
	return []store.Column{
		count("nodes", func(m *Candidate) int { return m.Nodes }),
		count("each", func(m *Candidate) int { return m.Processors }),
		words("node", func(m *Candidate) string { return c.Nodes[m.Node].Name }),
		words("cache", func(m *Candidate) string { return c.Nodes[m.Node].Caches[m.Cache].Size.String() }),
		words("memory", func(m *Candidate) string { return c.Nodes[m.Node].Memories[m.Memory].Size.String() }),
		words("network", func(m *Candidate) string {
			if m.Network < 0 {
				return "-"
			}
			return c.Networks[m.Network].Name
		}),
	}
}

// SensitivityTable has a row for each shift.
func (p *Problem) SensitivityTable(all []Shift) *store.Table {
	t := &store.Table{Name: "sensitivity"}
	n := len(all)
	names, means, winners := make([]string, n), make([]string, n), make([]string, n)
	by, change, regret := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, s := range all {
		names[i], means[i], by[i] = s.Parameter, s.Means, cents(100*(s.Factor-1))
		change[i], regret[i] = 100*s.Change, 100*s.Regret
		winners[i] = "none"
		if s.Winner.Nodes > 0 {
			winners[i] = p.Catalogue.Name(s.Winner.Parts)
		}
	}
	t.Columns = []store.Column{{Name: "parameter", Data: names}, {Name: "by", Unit: "%", Data: by}, {Name: "change", Unit: "%", Data: change},
		{Name: "regret", Unit: "%", Data: regret}, {Name: "winner", Data: winners}, {Name: "meaning", Data: means}}
	return t
}

// closeShare is the distance that counts as equal in a summary if the model's error is not known.
const closeShare = 0.01

// digits has two digits of a number, or all before the point.
func digits(x float64) string {
	if math.Abs(x) >= 99.5 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2g", x)
}

// Summary describes the decision in a few lines.
func (p *Problem) Summary(r *Result) string {
	best := r.Ranked[0]
	text := fmt.Sprintf("best: %s for %s", p.Catalogue.Name(best.Parts), p.money(best.Paid))
	if m := r.Margin(); !math.IsNaN(m) {
		text += fmt.Sprintf("; the runner-up is %s %% behind: %s for %s", digits(100*m), p.Catalogue.Name(r.Ranked[1].Parts), p.money(r.Ranked[1].Paid))
	}
	if !math.IsNaN(r.Better) {
		text += fmt.Sprintf("\nthe runner-up is better with a probability of %.0f %%, by the error of the model", 100*r.Better)
	}
	share := closeShare
	if !math.IsNaN(p.Error) {
		share = p.Error
	}
	if c, cheaper := p.cheapestWithin(r, share); cheaper {
		text += fmt.Sprintf("\nwithin %.2g %% of the best: %s for %s", 100*share, p.Catalogue.Name(c.Parts), p.money(c.Paid))
	}
	text += "\na job is one run of " + p.Runs[0].Program + ", as it was recorded"
	if n := p.Limits.Jobs; n > 0 {
		text += fmt.Sprintf("; %.0f a month take %s %% of the time of the best", n, digits(100*n*float64(best.Time/month)))
	}
	text += fmt.Sprintf("\n%d machines within limits and budget, %d predicted", r.All, r.Predicted)
	if r.Unpredicted > 0 {
		text += fmt.Sprintf(", %d without prediction", r.Unpredicted)
	}
	if bounded := r.All - r.Predicted - r.Unpredicted; bounded > 0 {
		text += fmt.Sprintf(", %d ruled out by bounds", bounded)
	}
	if !p.Beaten {
		text += "\nmachines that another one beats in time and price are left out: --beaten ranks them, too"
	}
	return text
}
