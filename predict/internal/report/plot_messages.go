package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"spoor/predict/internal/report/chart"
	"spoor/predict/internal/report/columns"
)

// messageMatrix is who sends how much to whom, of analyze comm.
var messageMatrix = tablePlot{
	id: "messages", heading: "Communication matrix", tables: []string{"comm"},
	note: "Bytes that each processor sends to each other processor. Darker is more. Collective operations count as their messages if the trace has them or if analyze was run with --collectives; otherwise they are left out. Of runs of a program the one on most processors is drawn, and of many processors, neighbours are added up.",
	draw: func(tables []found) (figures []chart.Figure, err error) {
		for _, t := range largest(tables) {
			r := columns.Reader{Table: t.Table}
			from, to, bytes := r.Whole("from"), r.Whole("to"), r.Whole("bytes")
			if r.Err != nil {
				return nil, fmt.Errorf("%s: %w", t.path, r.Err)
			}
			c, err := newMatrix("from", "to", "B", "sent", from, to, bytes)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.path, err)
			}
			if c != nil {
				figures = append(figures, chart.Figure{Heading: t.name(), Title: "Bytes from processor to processor, " + t.name(), Chart: c})
			}
		}
		return figures, nil
	},
}

// largest are the tables of runs than which there is none of the same program on more processors.
func largest(tables []found) []found {
	procs := func(t found) int { n, _ := strconv.Atoi(t.Fact("procs")); return n }
	return selected(tables, func(t found) bool {
		return !slices.ContainsFunc(tables, func(other found) bool { return other.program == t.program && procs(other) > procs(t) })
	})
}

// mostSides is how many rows and columns of a matrix a plot has room for.
const mostSides = 64

// newMatrix adds up what rows and columns have in common. It is nil for an empty one.
func newMatrix(rows, columns, unit, what string, row, column, value []int64) (*chart.Chart, error) {
	size := int64(0)
	for i := range row {
		if row[i] < 0 || column[i] < 0 || row[i] >= math.MaxInt32 || column[i] >= math.MaxInt32 {
			return nil, fmt.Errorf("row %d of the table: from %d to %d", i, row[i], column[i])
		}
		size = max(size, row[i]+1, column[i]+1)
	}
	if size == 0 {
		return nil, nil
	}
	sides := newBlocks(int(size), mostSides)
	sums := map[[2]int]float64{}
	var order [][2]int
	for i := range row {
		at := [2]int{sides.at(int(column[i])), sides.at(int(row[i]))}
		if _, seen := sums[at]; !seen {
			order = append(order, at)
		}
		sums[at] += float64(value[i])
	}
	names := sides.names()
	s := chart.Mark{Ink: chart.Blue}.Series(what, "bar", what)
	for _, at := range order {
		s.Points = append(s.Points, chart.At(float64(at[0]), float64(at[1]), sums[at]))
	}
	return &chart.Chart{Kind: chart.Matrix, X: chart.Axis{Name: columns, Scale: chart.Category, Categories: names}, Y: chart.Axis{Name: rows, Scale: chart.Category, Categories: names},
		Value: chart.Axis{Unit: unit, Scale: chart.Log}, Series: []chart.Series{s}}, nil
}
