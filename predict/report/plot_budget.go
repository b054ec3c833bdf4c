package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// budgetFront is time against price of machines that can be bought, of predict budget.
var budgetFront = tablePlot{
	id: "budget", heading: "Which machine for this money", tables: []string{"budget", "front"},
	note: "Predicted time against price of machines within the budget. No cheaper machine is as fast as those on the line: the Pareto front.",
	draw: func(tables []found) (figures []Figure, err error) {
		for _, t := range tables {
			offers, unit, err := budgetOffers(t)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.path, err)
			}
			if len(offers) == 0 {
				continue
			}
			c := &Chart{Kind: linesChart, X: Axis{Name: "price", Unit: unit, Scale: logScale}, Y: Axis{Name: "time", Unit: "s", Scale: logScale}}
			front := mark{ink: textInk}.series("front", "line", "front")
			slices.SortStableFunc(offers, func(a, b machineOffer) int { return cmp.Or(cmp.Compare(a.price, b.price), cmp.Compare(a.time, b.time)) })
			for i, o := range offers {
				if i == 0 || o.time < float64(front.Points[len(front.Points)-1][1]) {
					front.Points, front.Notes = append(front.Points, point(o.price, o.time)), append(front.Notes, o.name)
				}
			}
			c.Series = append(c.Series, front)
			slices.SortStableFunc(offers, func(a, b machineOffer) int { return cmp.Compare(a.network, b.network) })
			for i, g := range grouped(offers, func(o machineOffer) string { return o.network }) {
				s := markOf(i).series(g.Head, "points", g.Head)
				for _, o := range g.Rows {
					s.Points, s.Notes = append(s.Points, point(o.price, o.time)), append(s.Notes, o.name)
				}
				c.Series = append(c.Series, s)
			}
			name := strings.TrimSpace(t.program + ", up to " + clean(t.Fact("budget")))
			figures = append(figures, Figure{Heading: name, Title: "Time against price, " + name, Chart: c})
		}
		return figures, nil
	},
}

// machineOffer is a machine that can be bought.
type machineOffer struct {
	price, time   float64
	name, network string
}

func budgetOffers(t found) (offers []machineOffer, unit string, err error) {
	r := reader{table: t.Table}
	nodes, each := r.whole("nodes"), r.whole("each")
	node, cache, memory, network := r.text("node"), r.text("cache"), r.text("memory"), r.text("network")
	unit = "$"
	for _, c := range t.Columns {
		if c.Name == "price" && c.Unit == "$/h" {
			unit = c.Unit
		}
	}
	price, time := r.measured("price", unit), r.measured("time", "s")
	if r.err != nil {
		return nil, "", r.err
	}
	for i := range nodes {
		if !(price[i] > 0) || !(time[i] > 0) {
			return nil, "", fmt.Errorf("row %d of the table: %v s for %v %s", i, time[i], price[i], unit)
		}
		o := machineOffer{price[i], time[i], fmt.Sprintf("%d × %s of %s, cache %s, memory %s", nodes[i], clean(node[i]), plural(int(each[i]), "processor"), clean(cache[i]), clean(memory[i])), clean(network[i])}
		if o.network == "-" {
			o.network = "one node"
		}
		offers = append(offers, o)
	}
	return offers, unit, nil
}
