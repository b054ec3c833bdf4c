package report

import (
	"fmt"
	"math"
	"strconv"
)

// messageMatrix is who sends how much to whom, of analyze comm.
var messageMatrix = tablePlot{
	id: "messages", heading: "Who sends to whom", tables: []string{"comm"},
	note: "Bytes that each processor sends to each other one, the darker the more; collective operations count as what they are made of.",
	draw: func(tables []found) (figures []Figure, err error) {
		for _, t := range tables {
			r := reader{table: t.Table}
			from, to, bytes := r.whole("from"), r.whole("to"), r.whole("bytes")
			if r.err != nil {
				return nil, fmt.Errorf("%s: %w", t.path, r.err)
			}
			c, err := newMatrix("from", "to", "B", "sent", from, to, bytes)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.path, err)
			}
			if c != nil {
				figures = append(figures, Figure{Heading: t.program, Title: "Bytes from processor to processor, " + t.program, Chart: c})
			}
		}
		return figures, nil
	},
}

// mostCells bounds a matrix by what a page can show.
const mostCells = 1 << 14

// newMatrix adds up what rows and columns have in common. It is nil for an empty one, and for
// one with more cells than a page can show.
func newMatrix(rows, columns, unit, what string, row, column, value []int64) (*Chart, error) {
	sums := map[[2]int64]float64{}
	var order [][2]int64
	size := int64(0)
	for i := range row {
		if row[i] < 0 || column[i] < 0 || row[i] >= math.MaxInt32 || column[i] >= math.MaxInt32 {
			return nil, fmt.Errorf("row %d of the table: from %d to %d", i, row[i], column[i])
		}
		at := [2]int64{column[i], row[i]}
		if _, seen := sums[at]; !seen {
			order = append(order, at)
		}
		sums[at] += float64(value[i])
		size = max(size, row[i]+1, column[i]+1)
	}
	if len(order) == 0 || len(order) > mostCells || size > mostCells {
		return nil, nil
	}
	var names []string
	for i := range size {
		names = append(names, strconv.FormatInt(i, 10))
	}
	s := mark{ink: blue}.series(what, "bar", what)
	for _, at := range order {
		s.Points = append(s.Points, point(float64(at[0]), float64(at[1]), sums[at]))
	}
	return &Chart{Kind: matrixChart, X: Axis{Name: columns, Scale: categoryScale, Categories: names}, Y: Axis{Name: rows, Scale: categoryScale, Categories: names},
		Value: Axis{Unit: unit, Scale: logScale}, Series: []Series{s}}, nil
}
