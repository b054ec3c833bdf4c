package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spoor/predict/internal/report/chart"
	"spoor/predict/internal/report/columns"
	"spoor/predict/internal/report/numeral"
	"spoor/traces/unit"
)

// budgetFront is time against price of machines that can be bought, of predict budget and predict upgrade.
var budgetFront = tablePlot{
	id: "budget", heading: "Machines by price", tables: []string{"budget"},
	note: "Predicted time against price. The line is the Pareto front: the least time for each budget. Below the plot are the best machine and the second best.",
	draw: func(tables []found) (figures []chart.Figure, err error) {
		decisions := make([]*chart.Decision, len(tables))
		for i, t := range tables {
			if decisions[i], err = readDecision(t); err != nil {
				return nil, fmt.Errorf("%s: %w", t.path, err)
			}
		}
		looks := networkLooks(decisions)
		for i, d := range decisions {
			if len(d.Offers) > 0 {
				program := tables[i].program
				figures = append(figures, chart.Figure{Heading: program, Title: "Time against price, " + program + ", " + lowerFirst(d.Name), Group: d.Name,
					Chart: frontChart(d, looks), Table: d.Steps()})
			}
		}
		slices.SortStableFunc(figures, func(a, b chart.Figure) int {
			return cmp.Or(cmp.Compare(a.Chart.Decision.Money, b.Chart.Decision.Money), cmp.Compare(a.Group, b.Group))
		})
		return figures, nil
	},
}

func readDecision(t found) (*chart.Decision, error) {
	d := &chart.Decision{Unit: "$", Error: chart.Number(math.NaN())}
	money, hourly := strings.CutSuffix(t.Fact("budget"), "/h")
	if hourly {
		d.Unit = "$/h"
	}
	v, err := unit.ParseDollars(money)
	if err != nil {
		return nil, fmt.Errorf("the budget of the table: %w", err)
	}
	d.Money, d.Name = chart.Number(v), decisionName(t)
	if text := t.Fact("model_error"); text != "" {
		e, err := strconv.ParseFloat(text, 64)
		if err != nil || !(e >= 0) {
			return nil, fmt.Errorf("the model_error of the table is %q, which is no share", columns.Clean(text))
		}
		d.Error = chart.Number(e)
	}
	d.Offers, err = readOffers(t, d.Unit)
	return d, err
}

// decisionName says what the decision is about: decisions of several programs have it in common.
func decisionName(t found) string {
	name := "Up to " + columns.Clean(t.Fact("budget"))
	if have := columns.Clean(t.Fact("have")); have != "" {
		name += " more for " + have
	}
	if o := columns.Clean(t.Fact("objective")); o != "" && o != "time" {
		name += ", for the least " + o
	}
	if m := columns.Clean(t.Fact("model")); m != "" {
		name += ", by model " + m
	}
	return name
}

func readOffers(t found, unit string) ([]chart.Offer, error) {
	r := columns.Reader{Table: t.Table}
	nodes, each := r.Whole("nodes"), r.Whole("each")
	node, cache, memory, network := r.Text("node"), r.Text("cache"), r.Text("memory"), r.Text("network")
	price, time, e := r.Measured("price", unit), r.Measured("time", "s"), r.Measured("e_instr", "ns")
	lo, hi, behind := r.Measured("lo", "s"), r.Measured("hi", "s"), r.Measured("behind", "%")
	if r.Err != nil {
		return nil, r.Err
	}
	offers := make([]chart.Offer, len(nodes))
	for i := range offers {
		if !(price[i] >= 0) || !(time[i] > 0) || !(e[i] > 0) || !(behind[i] >= 0) || math.IsInf(price[i]+time[i]+e[i]+behind[i], 0) {
			return nil, fmt.Errorf("row %d of the table: %v s and %v ns for %v %s, %v %% behind", i, time[i], e[i], price[i], unit, behind[i])
		}
		perSecond := e[i] / time[i]
		offers[i] = chart.Offer{Name: fmt.Sprintf("%d × %s of %s, %s cache, %s memory", nodes[i], columns.Clean(node[i]), numeral.Plural(int(each[i]), "processor"), spacedText(columns.Clean(cache[i])), spacedText(columns.Clean(memory[i]))),
			Price: chart.Number(price[i]), Time: chart.Number(time[i]), E: chart.Number(e[i]), Lo: chart.Number(lo[i] * perSecond), Hi: chart.Number(hi[i] * perSecond), Behind: chart.Number(behind[i]), Network: "one node"}
		if n := columns.Clean(network[i]); n != "-" {
			offers[i].Name, offers[i].Network = offers[i].Name+", "+n, n
		}
	}
	slices.SortStableFunc(offers, func(a, b chart.Offer) int {
		return cmp.Or(cmp.Compare(a.Behind, b.Behind), cmp.Compare(a.Price, b.Price))
	})
	return offers, nil
}

// networkLooks gives each network of the decisions its mark.
func networkLooks(decisions []*chart.Decision) map[string]chart.Mark {
	var names []string
	for _, d := range decisions {
		for _, o := range d.Offers {
			names = appendNew(names, o.Network)
		}
	}
	slices.Sort(names)
	looks := map[string]chart.Mark{}
	for i, n := range names {
		looks[n] = chart.MarkOf(i)
	}
	return looks
}

// frontChart is the front as steps, and a mark for each machine.
func frontChart(d *chart.Decision, looks map[string]chart.Mark) *chart.Chart {
	c := &chart.Chart{Kind: chart.Lines, X: chart.Axis{Name: "price", Unit: d.Unit, Scale: chart.Linear}, Y: chart.Axis{Name: "time", Unit: "s", Scale: chart.Log}, Decision: d}
	front := chart.Mark{Ink: chart.TextInk}.Series("front", "step", "front")
	front.Shape = ""
	byPrice := slices.Clone(d.Offers)
	slices.SortStableFunc(byPrice, func(a, b chart.Offer) int { return cmp.Or(cmp.Compare(a.Price, b.Price), cmp.Compare(a.Time, b.Time)) })
	for i, o := range byPrice {
		if i == 0 || o.Time < front.Points[len(front.Points)-1][1] {
			front.Points, front.Notes = append(front.Points, chart.Point{o.Price, o.Time}), append(front.Notes, o.Name)
		}
	}
	front.Points, front.Notes = append(front.Points, chart.Point{d.Money, front.Points[len(front.Points)-1][1]}), append(front.Notes, "")
	c.Series = append(c.Series, front)
	slices.SortStableFunc(byPrice, func(a, b chart.Offer) int { return cmp.Compare(a.Network, b.Network) })
	for _, g := range grouped(byPrice, func(o chart.Offer) string { return o.Network }) {
		s := looks[g.Head].Series(g.Head, "points", g.Head)
		for _, o := range g.Rows {
			s.Points, s.Notes = append(s.Points, chart.Point{o.Price, o.Time}), append(s.Notes, fmt.Sprintf("%s, E(Instr) %s ns", o.Name, numeral.Digits(float64(o.E), 3)))
		}
		c.Series = append(c.Series, s)
	}
	return c
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }
