package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spoor/predict/internal/report/chart"
	"spoor/predict/internal/report/columns"
	"spoor/predict/internal/report/numeral"
)

// linesTouched is memory lines that messages touch, counted against foretold, of analyze marshal.
var linesTouched = tablePlot{
	id: "marshal", heading: "Memory lines touched by messages", tables: []string{"marshal"},
	note: "Lines of a message, counted at its address, against the mean over all addresses [hur1999]. Each layout of a program is a point. On the line both agree.",
	draw: func(tables []found) ([]chart.Figure, error) {
		var list []layout
		for _, t := range tables {
			more, err := layouts(t)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.path, err)
			}
			list = append(list, more...)
		}
		if len(list) == 0 {
			return nil, nil
		}
		return []chart.Figure{{Heading: "lines of a message", Title: "Lines that messages touch, counted against expected", Chart: layoutChart(list), Table: layoutTable(list)}}, nil
	},
}

// layout is one kind of message of a program, with lines of one message.
type layout struct {
	program, kind     string
	bytes, line       int64
	expected, counted float64
}

// layouts are the different ones of a table that lie at an address which is known.
func layouts(t found) (list []layout, err error) {
	r := columns.Reader{Table: t.Table}
	kind, bytes, line, messages, placed := r.Text("kind"), r.Whole("bytes"), r.Whole("line"), r.Whole("messages"), r.Whole("placed")
	counted, expected := r.Whole("mlt"), r.Measured("expected", "lines")
	if r.Err != nil {
		return nil, r.Err
	}
	seen := map[layout]bool{}
	for i := range kind {
		if placed[i] < 1 || messages[i] < 1 || !(expected[i] > 0) {
			continue
		}
		l := layout{t.program, columns.Clean(kind[i]), bytes[i], line[i], expected[i] / float64(messages[i]), float64(counted[i]) / float64(placed[i])}
		if !seen[l] { // another processor may have the same message
			seen[l] = true
			list = append(list, l)
		}
	}
	return list, nil
}

// layoutChart has a series for each program, its parameters aside.
func layoutChart(list []layout) *chart.Chart {
	c := &chart.Chart{Kind: chart.Lines, X: chart.Axis{Name: "expected", Unit: "lines", Scale: chart.Log}, Y: chart.Axis{Name: "counted", Unit: "lines", Scale: chart.Log}}
	equal := chart.Mark{Ink: chart.TextInk}.Series("equal", "dashed", "equal")
	for _, l := range list {
		kernel, _, _ := strings.Cut(l.program, " ")
		n := slices.IndexFunc(c.Series, func(s chart.Series) bool { return s.Name == kernel })
		if n < 0 {
			n = len(c.Series)
			c.Series = append(c.Series, chart.MarkOf(n).Series(kernel, "points", kernel))
		}
		c.Series[n].Points = append(c.Series[n].Points, chart.At(l.expected, positive(l.counted)))
		c.Series[n].Notes = append(c.Series[n].Notes, fmt.Sprintf("%s, %s of %s", l.program, l.kind, numeral.Bytes(float64(l.bytes))))
		equal.Points = append(equal.Points, chart.At(l.expected, l.expected))
	}
	slices.SortFunc(equal.Points, func(a, b chart.Point) int { return cmp.Compare(a[0], b[0]) })
	equal.Points = slices.CompactFunc(equal.Points, func(a, b chart.Point) bool { return a[0] == b[0] })
	c.Series = append([]chart.Series{equal}, c.Series...)
	return c
}

func layoutTable(list []layout) *chart.Detail {
	t := &chart.Detail{Summary: numeral.Plural(len(list), "layout"), Heads: []string{"program", "call", "size", "expected [lines]", "counted [lines]", "difference [%]"}, Open: true}
	for _, l := range list {
		t.Rows = append(t.Rows, []string{l.program, l.kind, numeral.Bytes(float64(l.bytes)), numeral.Digits(l.expected, 4), numeral.Digits(l.counted, 4), numeral.Digits(100*(l.counted/l.expected-1), 2)})
	}
	return t
}
