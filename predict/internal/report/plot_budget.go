package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spoor/traces/unit"
)

// budgetFront is time against price of machines that can be bought, of predict budget and predict upgrade.
var budgetFront = tablePlot{
	id: "budget", heading: "Machines by price", tables: []string{"budget"},
	note: "Predicted time against price. The line is the Pareto front: the least time for each budget. Below the plot are the best machine and the second best.",
	draw: func(tables []found) (figures []Figure, err error) {
		decisions := make([]*Decision, len(tables))
		for i, t := range tables {
			if decisions[i], err = readDecision(t); err != nil {
				return nil, fmt.Errorf("%s: %w", t.path, err)
			}
		}
		looks := networkLooks(decisions)
		for i, d := range decisions {
			if len(d.Offers) > 0 {
				program := tables[i].program
				figures = append(figures, Figure{Heading: program, Title: "Time against price, " + program + ", " + lowerFirst(d.name), Group: d.name,
					Chart: d.chart(looks), Table: d.steps()})
			}
		}
		slices.SortStableFunc(figures, func(a, b Figure) int {
			return cmp.Or(cmp.Compare(a.Chart.Decision.Money, b.Chart.Decision.Money), cmp.Compare(a.Group, b.Group))
		})
		return figures, nil
	},
}

// Decision is the data of a budget plot. The page's script finds the best machine for any smaller budget.
type Decision struct {
	Unit   string  `json:"unit"`   // $ or $/h
	Money  Number  `json:"money"`  // the budget
	Error  Number  `json:"error"`  // of the model, as a share; null if nobody says
	Offers []Offer `json:"offers"` // the best first: of any smaller budget, the first two that are not too dear

	name string
}

// Offer is a machine that can be bought.
type Offer struct {
	Name    string `json:"name"`
	Price   Number `json:"price"`
	Time    Number `json:"time"` // of the run, in s
	E       Number `json:"e"`    // E(Instr) and its interval, in ns
	Lo      Number `json:"lo"`
	Hi      Number `json:"hi"`
	Behind  Number `json:"behind"` // what the objective is above that of the first, in %
	network string
}

func readDecision(t found) (*Decision, error) {
	d := &Decision{Unit: "$", Error: Number(math.NaN())}
	money, hourly := strings.CutSuffix(t.Fact("budget"), "/h")
	if hourly {
		d.Unit = "$/h"
	}
	v, err := unit.ParseDollars(money)
	if err != nil {
		return nil, fmt.Errorf("the budget of the table: %w", err)
	}
	d.Money, d.name = Number(v), decisionName(t)
	if text := t.Fact("model_error"); text != "" {
		e, err := strconv.ParseFloat(text, 64)
		if err != nil || !(e >= 0) {
			return nil, fmt.Errorf("the model_error of the table is %q, which is no share", clean(text))
		}
		d.Error = Number(e)
	}
	d.Offers, err = readOffers(t, d.Unit)
	return d, err
}

// decisionName says what the decision is about: decisions of several programs have it in common.
func decisionName(t found) string {
	name := "Up to " + clean(t.Fact("budget"))
	if have := clean(t.Fact("have")); have != "" {
		name += " more for " + have
	}
	if o := clean(t.Fact("objective")); o != "" && o != "time" {
		name += ", for the least " + o
	}
	if m := clean(t.Fact("model")); m != "" {
		name += ", by model " + m
	}
	return name
}

func readOffers(t found, unit string) ([]Offer, error) {
	r := reader{table: t.Table}
	nodes, each := r.whole("nodes"), r.whole("each")
	node, cache, memory, network := r.text("node"), r.text("cache"), r.text("memory"), r.text("network")
	price, time, e := r.measured("price", unit), r.measured("time", "s"), r.measured("e_instr", "ns")
	lo, hi, behind := r.measured("lo", "s"), r.measured("hi", "s"), r.measured("behind", "%")
	if r.err != nil {
		return nil, r.err
	}
	offers := make([]Offer, len(nodes))
	for i := range offers {
		if !(price[i] >= 0) || !(time[i] > 0) || !(e[i] > 0) || !(behind[i] >= 0) || math.IsInf(price[i]+time[i]+e[i]+behind[i], 0) {
			return nil, fmt.Errorf("row %d of the table: %v s and %v ns for %v %s, %v %% behind", i, time[i], e[i], price[i], unit, behind[i])
		}
		perSecond := e[i] / time[i]
		offers[i] = Offer{Name: fmt.Sprintf("%d × %s of %s, %s cache, %s memory", nodes[i], clean(node[i]), plural(int(each[i]), "processor"), spacedText(clean(cache[i])), spacedText(clean(memory[i]))),
			Price: Number(price[i]), Time: Number(time[i]), E: Number(e[i]), Lo: Number(lo[i] * perSecond), Hi: Number(hi[i] * perSecond), Behind: Number(behind[i]), network: "one node"}
		if n := clean(network[i]); n != "-" {
			offers[i].Name, offers[i].network = offers[i].Name+", "+n, n
		}
	}
	slices.SortStableFunc(offers, func(a, b Offer) int { return cmp.Or(cmp.Compare(a.Behind, b.Behind), cmp.Compare(a.Price, b.Price)) })
	return offers, nil
}

// networkLooks gives each network of the decisions its mark.
func networkLooks(decisions []*Decision) map[string]mark {
	var names []string
	for _, d := range decisions {
		for _, o := range d.Offers {
			names = appendNew(names, o.network)
		}
	}
	slices.Sort(names)
	looks := map[string]mark{}
	for i, n := range names {
		looks[n] = markOf(i)
	}
	return looks
}

// chart is the front as steps, and a mark for each machine.
func (d *Decision) chart(looks map[string]mark) *Chart {
	c := &Chart{Kind: linesChart, X: Axis{Name: "price", Unit: d.Unit, Scale: linearScale}, Y: Axis{Name: "time", Unit: "s", Scale: logScale}, Decision: d}
	front := mark{ink: textInk}.series("front", "step", "front")
	front.Shape = ""
	byPrice := slices.Clone(d.Offers)
	slices.SortStableFunc(byPrice, func(a, b Offer) int { return cmp.Or(cmp.Compare(a.Price, b.Price), cmp.Compare(a.Time, b.Time)) })
	for i, o := range byPrice {
		if i == 0 || o.Time < front.Points[len(front.Points)-1][1] {
			front.Points, front.Notes = append(front.Points, Point{o.Price, o.Time}), append(front.Notes, o.Name)
		}
	}
	front.Points, front.Notes = append(front.Points, Point{d.Money, front.Points[len(front.Points)-1][1]}), append(front.Notes, "")
	c.Series = append(c.Series, front)
	slices.SortStableFunc(byPrice, func(a, b Offer) int { return cmp.Compare(a.network, b.network) })
	for _, g := range grouped(byPrice, func(o Offer) string { return o.network }) {
		s := looks[g.Head].series(g.Head, "points", g.Head)
		for _, o := range g.Rows {
			s.Points, s.Notes = append(s.Points, Point{o.Price, o.Time}), append(s.Notes, fmt.Sprintf("%s, E(Instr) %s ns", o.Name, number(float64(o.E), 3)))
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// best is the best for so much money and, if there is one, the second.
func (d *Decision) best(money Number) (two []Offer) {
	for _, o := range d.Offers {
		if o.Price <= money && len(two) < 2 {
			two = append(two, o)
		}
	}
	return two
}

// steps has a row for each sum from which on there is another best or second.
func (d *Decision) steps() *detail {
	t := &detail{Summary: "What each budget buys", Heads: []string{"from [" + d.Unit + "]", "best", "E(Instr) [ns]", "time [s]", "second", "behind [%]"}}
	var prices []Number
	for _, o := range d.Offers {
		prices = append(prices, o.Price)
	}
	slices.Sort(prices)
	last := ""
	for _, p := range slices.Compact(prices) {
		two := d.best(p)
		row := []string{number(float64(p), 4), two[0].Name, number(float64(two[0].E), 4), number(float64(two[0].Time), 4), unknown, unknown}
		if len(two) > 1 {
			row[4], row[5] = two[1].Name, number(100*margin(two), 2)
		}
		if key := strings.Join(row[1:], "|"); key != last {
			t.Rows, last = append(t.Rows, row), key
		}
	}
	return t
}

// margin is by how much the objective of the second is above that of the best, as a share.
func margin(two []Offer) float64 {
	return float64((100+two[1].Behind)/(100+two[0].Behind)) - 1
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }
