package report

import (
	"fmt"
	"math"
)

// messageParts are the parts of the time of a run of messages, columns of the table of predict replay.
var messageParts = []struct {
	column string
	ink    ink
}{{"compute", grey}, {"overhead", green}, {"latency", blue}, {"contention", red}, {"wait", purple}, {"end", amber}}

// messageTime is where the time of programs goes that pass messages, of predict replay.
var messageTime = tablePlot{
	id: "message-time", heading: "Where the time of messages goes", tables: []string{"message simulation"},
	note: "Time of the run by cause, the mean of all processors: end is waiting for the last to finish.",
	draw: func(tables []found) (figures []Figure, err error) {
		for _, t := range tables {
			r := reader{table: t.Table}
			program, machine, processors := r.text("program"), r.text("machine"), r.whole("processors")
			c := &Chart{Kind: stackChart, X: Axis{Name: "time", Unit: "ms", Scale: linearScale}, Y: Axis{Scale: categoryScale}}
			for _, part := range messageParts {
				s := mark{ink: part.ink}.series(part.column, "bar", part.column)
				for i, v := range r.measured(part.column, "s") {
					if !(v >= 0) || math.IsInf(v, 0) {
						return nil, fmt.Errorf("%s: %s of row %d is %v s", t.path, part.column, i, v)
					}
					s.Points = append(s.Points, point(float64(i), 1e3*v))
				}
				c.Series = append(c.Series, s)
			}
			if r.err != nil {
				return nil, fmt.Errorf("%s: %w", t.path, r.err)
			}
			if len(program) == 0 {
				continue
			}
			for i := range program {
				c.Y.Categories = append(c.Y.Categories, clean(machine[i]))
			}
			name := clean(program[0]) + ", " + plural(int(processors[0]), "processor")
			figures = append(figures, Figure{Heading: name, Title: "Where the time goes, " + name, Chart: c})
		}
		return figures, nil
	},
}
