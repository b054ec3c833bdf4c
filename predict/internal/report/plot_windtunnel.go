package report

import (
	"cmp"
	"fmt"
	"slices"
)

// windtunnelCurves is what a parallel simulator gains and costs, of predict windtunnel.
var windtunnelCurves = tablePlot{
	id: "windtunnel", heading: "Speedup and cost of a parallel simulator", tables: []string{"windtunnel"},
	note: "Speedup over one host, and cost of a simulation, against the number of hosts. Rings mark the least cost [falsafi1997]. Each kind of host has a line.",
	draw: func(tables []found) (figures []Figure, err error) {
		for _, t := range tables {
			offers, err := windtunnelOffers(t)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.path, err)
			}
			targets := grouped(offers, func(o offer) string { return plural(int(o.targets), "target") })
			for _, q := range gains {
				for _, g := range targets {
					f := Figure{Heading: q.name + ", " + g.Head, Title: fmt.Sprintf("%s of a parallel simulator of %s, %s", q.name, t.program, g.Head), Group: t.program, Chart: q.chart(g.Rows)}
					if m := clean(t.Fact("model")); m != "" {
						f.Group += ", by model " + m
					}
					if f.Chart.drawn() > 1 { // the host that all are compared with is no curve
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
	of         func(offer) Point
}

var gains = []gain{
	{"speedup", "", func(o offer) Point {
		if o.lo > 0 && o.hi >= o.lo {
			return point(o.hosts, positive(o.speedup), o.lo, o.hi)
		}
		return point(o.hosts, positive(o.speedup))
	}},
	{"cost/performance", "$", func(o offer) Point { return point(o.hosts, positive(o.cost)) }},
}

// chart has a line for each kind of host, with a ring where it costs least.
func (q gain) chart(offers []offer) *Chart {
	c := &Chart{Kind: linesChart, X: Axis{Name: "hosts", Scale: logScale, Whole: true}, Y: Axis{Name: q.name, Unit: q.unit, Scale: logScale}}
	for i, g := range grouped(offers, func(o offer) string { return o.kind }) {
		s := markOf(i).series(g.Head, "line", g.Head)
		least := g.Rows[0]
		for _, o := range g.Rows {
			s.Points = append(s.Points, q.of(o))
			if o.cost < least.cost {
				least = o
			}
		}
		s.Marked = []Point{q.of(least)}
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
	r := reader{table: t.Table}
	targets, hosts, kind := r.whole("targets"), r.whole("hosts"), r.text("host")
	speedup, lo, hi, cost := r.measured("speedup", ""), r.measured("lo", ""), r.measured("hi", ""), r.measured("cost_performance", "$")
	if r.err != nil {
		return nil, r.err
	}
	offers := make([]offer, len(hosts))
	for i := range offers {
		if hosts[i] < 1 {
			return nil, fmt.Errorf("row %d of the table is of %d hosts", i, hosts[i])
		}
		offers[i] = offer{targets[i], clean(kind[i]), float64(hosts[i]), speedup[i], lo[i], hi[i], cost[i]}
	}
	slices.SortStableFunc(offers, func(a, b offer) int {
		return cmp.Or(cmp.Compare(a.targets, b.targets), cmp.Compare(a.kind, b.kind), cmp.Compare(a.hosts, b.hosts))
	})
	return offers, nil
}
