package report

import (
	"fmt"

	"spoor/predict/internal/report/chart"
	"spoor/predict/internal/report/columns"
	"spoor/predict/internal/report/numeral"
)

// sharingMatrix is whose lines whose caches take, of analyze sharing.
var sharingMatrix = tablePlot{
	id: "sharing", heading: "Communication through shared memory", tables: []string{"sharing_matrix"},
	note: "Bytes of the lines that one processor wrote last and another one then misses. Darker is more.",
	draw: func(tables []found) (figures []chart.Figure, err error) {
		for _, t := range tables {
			r := columns.Reader{Table: t.Table}
			line, from, to, bytes := r.Whole("line"), r.Whole("from"), r.Whole("to"), r.Whole("bytes")
			if r.Err != nil {
				return nil, fmt.Errorf("%s: %w", t.path, r.Err)
			}
			var kept [3][]int64
			for i := range line {
				if from[i] >= 0 && line[i] == line[0] { // from -1 is memory; the first size stands for all
					kept[0], kept[1], kept[2] = append(kept[0], from[i]), append(kept[1], to[i]), append(kept[2], bytes[i])
				}
			}
			c, err := newMatrix("from", "to", "B", "lines", kept[0], kept[1], kept[2])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.path, err)
			}
			if c != nil {
				figures = append(figures, chart.Figure{Heading: t.program, Title: fmt.Sprintf("Bytes of lines of %s from cache to cache, %s", numeral.Bytes(float64(line[0])), t.program), Chart: c})
			}
		}
		return figures, nil
	},
}
