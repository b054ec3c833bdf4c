package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"spoor/predict/internal/report/chart"
	"spoor/predict/internal/report/columns"
	"spoor/predict/internal/report/numeral"
)

// fittedTable is the name of the table of calibrate fit with the predictions of models for each point.
const fittedTable = "fit"

// fittedTimes is what models make of times that were measured, of calibrate fit.
var fittedTimes = tablePlot{
	id: "fitted", heading: "Measured and predicted message times", tables: []string{fittedTable},
	note: "The models were not fitted to these points. On the line, measured and predicted times are equal. SSE/SST is the sum of squared errors divided by the sum of squared differences to the mean: 0 is perfect.",
	draw: func(tables []found) (figures []chart.Figure, err error) {
		for _, t := range tables {
			points, err := fittedPoints(t)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.path, err)
			}
			for _, g := range grouped(points, fittedPoint.of) {
				figures = append(figures,
					chart.Figure{Heading: "predicted against measured", Title: "Predicted against measured times, " + g.Head, Group: g.Head, Chart: timeChart(g.Rows)},
					chart.Figure{Heading: "predicted over measured", Title: "Predicted over measured times, " + g.Head, Group: g.Head, Chart: ratioChart(g.Rows)})
				figures[len(figures)-1].Table = fittedErrors(g.Rows)
			}
		}
		return figures, nil
	},
}

// fittedPoint is the prediction of one model for a point.
type fittedPoint struct {
	experiment, state, method, model, what string
	measured, predicted                    float64 // us
}

// of is what has a plot of its own.
func (p fittedPoint) of() string {
	return strings.Join(slices.DeleteFunc([]string{p.experiment, p.state, p.method}, func(s string) bool { return s == "" }), ", ")
}

// fittedPoints are the points of a table, by what has a plot of its own.
func fittedPoints(t found) ([]fittedPoint, error) {
	r := columns.Reader{Table: t.Table}
	experiment, state, model, method := r.Text("experiment"), r.Text("state"), r.Text("model"), r.Text("method")
	bytes, rows, cols, stride := r.Whole("bytes"), r.Whole("rows"), r.Whole("cols"), r.Whole("stride")
	measured, predicted := r.Measured("measured", "s"), r.Measured("predicted", "s")
	if r.Err != nil {
		return nil, r.Err
	}
	var points []fittedPoint
	for i := range model {
		if !(measured[i] > 0) || math.IsInf(measured[i]+predicted[i], 0) {
			return nil, fmt.Errorf("row %d of the table has measured %v s, and predicted %v s", i, measured[i], predicted[i])
		}
		if math.IsNaN(predicted[i]) {
			continue // the model has nothing to say of it
		}
		what := numeral.Bytes(float64(bytes[i]))
		if rows[i] > 0 {
			what = fmt.Sprintf("%d × %d items, rows %s apart", rows[i], cols[i], numeral.Bytes(float64(stride[i])))
		}
		points = append(points, fittedPoint{columns.Clean(experiment[i]), columns.Clean(state[i]), columns.Clean(method[i]), columns.Clean(model[i]), what, 1e6 * measured[i], 1e6 * predicted[i]})
	}
	slices.SortStableFunc(points, func(a, b fittedPoint) int { return cmp.Compare(a.of(), b.of()) })
	return points, nil
}

// timeChart has a point for each model and time, and the line on which both are equal.
func timeChart(points []fittedPoint) *chart.Chart {
	c := &chart.Chart{Kind: chart.Lines, X: chart.Axis{Name: "measured", Unit: "us", Scale: chart.Log}, Y: chart.Axis{Name: "predicted", Unit: "us", Scale: chart.Log}}
	return addFitted(c, points, func(p fittedPoint) float64 { return p.predicted }, func(x float64) float64 { return x })
}

// ratioChart has how far off each is, which times from microseconds to seconds hide.
func ratioChart(points []fittedPoint) *chart.Chart {
	c := &chart.Chart{Kind: chart.Lines, X: chart.Axis{Name: "measured", Unit: "us", Scale: chart.Log}, Y: chart.Axis{Name: "predicted over measured", Scale: chart.Log}}
	return addFitted(c, points, func(p fittedPoint) float64 { return p.predicted / p.measured }, func(float64) float64 { return 1 })
}

// addFitted adds a series of y for each model, and where it is equal to what was measured.
func addFitted(c *chart.Chart, points []fittedPoint, y func(fittedPoint) float64, equal func(float64) float64) *chart.Chart {
	least, most := math.Inf(1), 0.0
	for _, p := range points {
		least, most = min(least, p.measured), max(most, p.measured)
		n := slices.IndexFunc(c.Series, func(s chart.Series) bool { return s.Name == p.model })
		if n < 0 {
			n = len(c.Series)
			c.Series = append(c.Series, chart.MarkOf(n).Series(p.model, "points", p.model))
		}
		c.Series[n].Points = append(c.Series[n].Points, chart.At(p.measured, positive(y(p))))
		c.Series[n].Notes = append(c.Series[n].Notes, p.what+", "+numeral.SignedPercent(p.predicted/p.measured-1))
	}
	line := chart.Mark{Ink: chart.TextInk}.Series("equal", "dashed", "equal")
	line.Points = append(line.Points, chart.At(least, equal(least)), chart.At(most, equal(most)))
	c.Series = append([]chart.Series{line}, c.Series...)
	return c
}

// fittedErrors has a row for each model, in the order of the table.
func fittedErrors(points []fittedPoint) *chart.Detail {
	var models []string
	for _, p := range points {
		models = appendNew(models, p.model)
	}
	points = slices.Clone(points)
	slices.SortStableFunc(points, func(a, b fittedPoint) int {
		return slices.Index(models, a.model) - slices.Index(models, b.model)
	})
	t := &chart.Detail{Heads: []string{"model", "points", "SSE/SST", "median error [%]", "worst error [%]"}, Open: true}
	for _, g := range grouped(points, func(p fittedPoint) string { return p.model }) {
		mean, squares, total := 0.0, 0.0, 0.0
		var errors []float64
		for _, p := range g.Rows {
			mean += p.measured / float64(len(g.Rows))
			errors = append(errors, 100*math.Abs(p.predicted/p.measured-1))
		}
		for _, p := range g.Rows {
			squares += (p.predicted - p.measured) * (p.predicted - p.measured)
			total += (p.measured - mean) * (p.measured - mean)
		}
		slices.Sort(errors)
		n := len(errors)
		t.Rows = append(t.Rows, []string{g.Head, fmt.Sprint(n), numeral.Digits(squares/total, 2), numeral.Digits((errors[(n-1)/2]+errors[n/2])/2, 3), numeral.Digits(errors[n-1], 3)})
	}
	t.Summary = "errors of " + numeral.Plural(len(t.Rows), "model")
	return t
}
