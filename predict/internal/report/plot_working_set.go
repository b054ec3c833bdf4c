package report

import (
	"fmt"
	"math"

	"spoor/predict/internal/report/chart"
	"spoor/predict/internal/report/columns"
	"spoor/predict/internal/report/numeral"
)

// workingSets is how many distinct lines so many uses in a row are of, of analyze reuse_time.
var workingSets = tablePlot{
	id: "workingset", heading: "Working sets", tables: []string{"working_set"},
	note: "Mean number of distinct lines, in bytes, among as many successive uses as the window has: of the processor with the most uses, and of all in the interleaved order. Where a curve is flat, a cache of that size holds the working set.",
	draw: func(tables []found) (figures []chart.Figure, err error) {
		for _, t := range tables {
			c, line, err := workingSetChart(t)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.path, err)
			}
			if c != nil {
				figures = append(figures, chart.Figure{Heading: t.program, Title: fmt.Sprintf("Working sets in lines of %s, %s", numeral.Bytes(line), t.program), Chart: c})
			}
		}
		return figures, nil
	},
}

// workingSetChart has a series for each of whose windows there are to see, in lines of the first size, which it returns. It is nil for a
// table of no rows.
func workingSetChart(t found) (*chart.Chart, float64, error) {
	r := columns.Reader{Table: t.Table}
	proc, line, window := r.Whole("proc"), r.Whole("line"), r.Whole("window")
	footprint := r.Measured("footprint", "lines")
	if r.Err != nil || len(proc) == 0 {
		return nil, 0, r.Err
	}
	size, largest, most := float64(line[0]), int64(-1), 0.0
	for i, f := range footprint {
		if window[i] <= 0 || !(f >= 0) || math.IsInf(f, 0) {
			return nil, 0, fmt.Errorf("row %d of the table has footprint %v in windows of %d uses", i, f, window[i])
		}
		if proc[i] >= 0 && line[i] == line[0] && f > most {
			largest, most = proc[i], f
		}
	}
	c := &chart.Chart{Kind: chart.Lines, X: chart.Axis{Name: "window", Unit: "uses", Scale: chart.Log}, Y: chart.Axis{Name: "distinct lines, in bytes", Unit: "B", Scale: chart.Log}}
	for n, who := range []struct {
		proc int64
		name string
	}{{-1, "all processors together"}, {largest, "the processor that uses most"}} {
		s := chart.MarkOf(n).Series(who.name, "line", who.name)
		for i := range proc {
			if proc[i] == who.proc && line[i] == line[0] {
				s.Points = append(s.Points, chart.At(float64(window[i]), positive(size*footprint[i])))
			}
		}
		if len(s.Points) > 0 && (n == 0 || largest >= 0) {
			c.Series = append(c.Series, s)
		}
	}
	return c, size, nil
}
