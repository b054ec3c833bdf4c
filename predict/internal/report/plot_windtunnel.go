package report

import (
	"cmp"
	"fmt"
	"slices"

	"spoor/predict/internal/report/chart"
	"spoor/predict/internal/report/columns"
	"spoor/predict/internal/report/numeral"
)

// windtunnelCurves is what a parallel simulator gains and costs, of predict windtunnel.
var windtunnelCurves = tablePlot{
	id: "windtunnel", heading: "Speedup and cost of a parallel simulator", tables: []string{"windtunnel"},
	note: "Speedup over one host, and cost of a simulation, against the number of hosts. Rings mark the least cost [falsafi1997]. Each kind of host has a line.",
	draw: func(tables []found) (figures []chart.Figure, err error) {
		for _, t := range tables {
			offers, err := windtunnelOffers(t)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.path, err)
			}
			targets := grouped(offers, func(o offer) string { return numeral.Plural(int(o.targets), "target") })
			for _, q := range gains {
				for _, g := range targets {
					f := chart.Figure{Heading: q.name + ", " + g.Head, Title: fmt.Sprintf("%s of a parallel simulator of %s, %s", q.name, t.program, g.Head), Group: t.program, Chart: q.chart(g.Rows)}
					if m := columns.Clean(t.Fact("model")); m != "" {
						f.Group += ", by model " + m
					}
					if f.Chart.Drawn() > 1 { // the host that all are compared with is no curve
						figures = append(figures, f)
					}
				}
			}
		}
		return figures, nil
	},
}

// gain is what of an offer is drawn, and the ends of its interval.
type gain struct {
	name, unit string
	of         func(offer) chart.Point
}

var gains = []gain{
	{"speedup", "", func(o offer) chart.Point {
		if o.lo > 0 && o.hi >= o.lo {
			return chart.At(o.hosts, positive(o.speedup), o.lo, o.hi)
		}
		return chart.At(o.hosts, positive(o.speedup))
	}},
	{"cost/performance", "$", func(o offer) chart.Point { return chart.At(o.hosts, positive(o.cost)) }},
}

// chart has a line for each kind of host, with a ring where it costs least.
func (q gain) chart(offers []offer) *chart.Chart {
	c := &chart.Chart{Kind: chart.Lines, X: chart.Axis{Name: "hosts", Scale: chart.Log, Whole: true}, Y: chart.Axis{Name: q.name, Unit: q.unit, Scale: chart.Log}}
	for i, g := range grouped(offers, func(o offer) string { return o.kind }) {
		s := chart.MarkOf(i).Series(g.Head, "line", g.Head)
		least := g.Rows[0]
		for _, o := range g.Rows {
			s.Points = append(s.Points, q.of(o))
			if o.cost < least.cost {
				least = o
			}
		}
		s.Marked = []chart.Point{q.of(least)}
		c.Series = append(c.Series, s)
	}
	return c
}

// offer is one number of hosts for one number of targets.
type offer struct {
	targets                      int64
	kind                         string
	hosts, speedup, lo, hi, cost float64
}

func windtunnelOffers(t found) ([]offer, error) {
	r := columns.Reader{Table: t.Table}
	targets, hosts, kind := r.Whole("targets"), r.Whole("hosts"), r.Text("host")
	speedup, lo, hi, cost := r.Measured("speedup", ""), r.Measured("lo", ""), r.Measured("hi", ""), r.Measured("cost_performance", "$")
	if r.Err != nil {
		return nil, r.Err
	}
	offers := make([]offer, len(hosts))
	for i := range offers {
		if hosts[i] < 1 {
			return nil, fmt.Errorf("row %d of the table is of %d hosts", i, hosts[i])
		}
		offers[i] = offer{targets[i], columns.Clean(kind[i]), float64(hosts[i]), speedup[i], lo[i], hi[i], cost[i]}
	}
	slices.SortStableFunc(offers, func(a, b offer) int {
		return cmp.Or(cmp.Compare(a.targets, b.targets), cmp.Compare(a.kind, b.kind), cmp.Compare(a.hosts, b.hosts))
	})
	return offers, nil
}
