package report

import (
	"fmt"

	"spoor/predict/internal/report/chart"
	"spoor/predict/internal/report/columns"
)

// networkGaps is how many messages meet on the busiest link of each network, of analyze comm.
var networkGaps = tablePlot{
	id: "networks", heading: "Gaps of networks", tables: []string{"comm_networks"},
	note: "The gap of a network, in message times of one link: from the program's traffic on the busiest link, and from the bisection, which assumes uniform traffic [sivasubramaniam1995].",
	draw: func(tables []found) (figures []chart.Figure, err error) {
		for _, t := range tables {
			r := columns.Reader{Table: t.Table}
			names := r.Text("network")
			traffic, bisection := r.Measured("traffic_gap", "messages"), r.Measured("bisection_gap", "messages")
			if r.Err != nil {
				return nil, fmt.Errorf("%s: %w", t.path, r.Err)
			}
			if len(names) == 0 {
				continue // no messages
			}
			c := &chart.Chart{Kind: chart.Lines, X: chart.Axis{Name: "network", Scale: chart.Category}, Y: chart.Axis{Name: "gap", Unit: "messages", Scale: chart.Log}}
			of := func(look chart.Mark, name string, values []float64) {
				s := look.Series(name, "points", name)
				for i, v := range values {
					s.Points = append(s.Points, chart.At(float64(i), positive(v)))
				}
				c.Series = append(c.Series, s)
			}
			for _, n := range names {
				c.X.Categories = append(c.X.Categories, columns.Clean(n))
			}
			of(chart.Marks[1], "by traffic", traffic)
			of(chart.Marks[4], "by bisection", bisection)
			figures = append(figures, chart.Figure{Heading: t.program, Title: "Gaps of networks, " + t.program, Chart: c})
		}
		return figures, nil
	},
}
