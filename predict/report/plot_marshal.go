package report

import (
	"cmp"
	"fmt"
	"slices"
)

// linesTouched is memory lines that messages touch, counted against foretold, of analyze marshal.
var linesTouched = tablePlot{
	id: "marshal", heading: "Memory lines that messages touch", tables: []string{"marshal"},
	note: "Lines of a message counted at its address, against those expected of its layout wherever it lies [hur1999]. On the line both agree.",
	draw: func(tables []found) (figures []Figure, err error) {
		for _, t := range tables {
			r := reader{table: t.Table}
			kind, messages, placed, counted, expected := r.text("kind"), r.whole("messages"), r.whole("placed"), r.whole("mlt"), r.measured("expected", "lines")
			if r.err != nil {
				return nil, fmt.Errorf("%s: %w", t.path, r.err)
			}
			c := &Chart{Kind: linesChart, X: Axis{Name: "expected", Unit: "lines", Scale: logScale}, Y: Axis{Name: "counted", Unit: "lines", Scale: logScale}}
			equal := mark{ink: textInk}.series("equal", "dashed", "equal")
			seen := map[string]bool{}
			for i := range kind {
				if placed[i] < 1 || messages[i] < 1 || !(expected[i] > 0) {
					continue
				}
				x, y := expected[i]/float64(messages[i]), float64(counted[i])/float64(placed[i])
				name := clean(kind[i])
				if key := fmt.Sprint(name, x, y); seen[key] {
					continue // another processor with the same message
				} else {
					seen[key] = true
				}
				n := slices.IndexFunc(c.Series, func(s Series) bool { return s.Name == name })
				if n < 0 {
					n = len(c.Series)
					c.Series = append(c.Series, markOf(n+1).series(name, "points", name))
				}
				c.Series[n].Points = append(c.Series[n].Points, point(x, positive(y)))
				equal.Points = append(equal.Points, point(x, x))
			}
			if len(equal.Points) == 0 {
				continue
			}
			slices.SortFunc(equal.Points, func(a, b Point) int { return cmp.Compare(a[0], b[0]) })
			equal.Points = slices.CompactFunc(equal.Points, func(a, b Point) bool { return a[0] == b[0] })
			c.Series = append([]Series{equal}, c.Series...)
			figures = append(figures, Figure{Heading: t.program, Title: "Lines that messages touch, " + t.program, Chart: c})
		}
		return figures, nil
	},
}
