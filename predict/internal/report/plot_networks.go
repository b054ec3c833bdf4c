package report

import "fmt"

// networkGaps is how many messages meet on the busiest link of each network, of analyze comm.
var networkGaps = tablePlot{
	id: "networks", heading: "Gaps of networks", tables: []string{"comm_networks"},
	note: "The gap of a network, in message times of one link: from the program's traffic on the busiest link, and from the bisection, which assumes uniform traffic [sivasubramaniam1995].",
	draw: func(tables []found) (figures []Figure, err error) {
		for _, t := range tables {
			r := reader{table: t.Table}
			names := r.text("network")
			traffic, bisection := r.measured("traffic_gap", "messages"), r.measured("bisection_gap", "messages")
			if r.err != nil {
				return nil, fmt.Errorf("%s: %w", t.path, r.err)
			}
			if len(names) == 0 {
				continue // no messages
			}
			c := &Chart{Kind: linesChart, X: Axis{Name: "network", Scale: categoryScale}, Y: Axis{Name: "gap", Unit: "messages", Scale: logScale}}
			of := func(look mark, name string, values []float64) {
				s := look.series(name, "points", name)
				for i, v := range values {
					s.Points = append(s.Points, point(float64(i), positive(v)))
				}
				c.Series = append(c.Series, s)
			}
			for _, n := range names {
				c.X.Categories = append(c.X.Categories, clean(n))
			}
			of(marks[1], "by traffic", traffic)
			of(marks[4], "by bisection", bisection)
			figures = append(figures, Figure{Heading: t.program, Title: "Gaps of networks, " + t.program, Chart: c})
		}
		return figures, nil
	},
}
