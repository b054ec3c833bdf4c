package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"spoor/predict/internal/report/chart"
	"spoor/predict/internal/report/columns"
	"spoor/predict/internal/report/numeral"
)

// published is a published number: a column of the tables of predict replay, for one program on one machine.
type published struct {
	quantity, unit, program, machine string
	processors                       int
	value                            float64
}

// publishedHead are the columns of a file of such numbers, in this order.
var publishedHead = []string{"quantity", "unit", "program", "machine", "processors", "value"}

// AddPublished adds the published numbers in the file at path, to be shown beside simulations. The file has
// columns separated by tabs. Comment lines at its top begin with # and are shown too.
func (s *Study) AddPublished(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostPublished))
	if err != nil {
		return err
	}
	list, err := readPublished(text)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	s.published = append(s.published, list...)
	for line := range strings.Lines(string(text)) {
		if remark, ok := strings.CutPrefix(line, "#"); ok {
			s.remarks = strings.TrimSpace(s.remarks + " " + columns.Clean(remark))
		}
	}
	return nil
}

// mostPublished bounds a file of numbers, in bytes.
const mostPublished = 1 << 20

func readPublished(text []byte) (list []published, err error) {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.Comment, r.FieldsPerRecord, r.LazyQuotes = '\t', '#', len(publishedHead), true
	head, err := r.Read()
	if err == io.EOF || err == nil && !slices.Equal(head, publishedHead) {
		return nil, fmt.Errorf("the first line does not name the columns %s", strings.Join(publishedHead, ", "))
	}
	for err == nil {
		var fields []string
		if fields, err = r.Read(); err != nil {
			break
		}
		line, _ := r.FieldPos(0)
		p := published{quantity: columns.Clean(fields[0]), unit: columns.Clean(fields[1]), program: columns.Clean(fields[2]), machine: columns.Clean(fields[3])}
		if p.processors, err = strconv.Atoi(fields[4]); err != nil || p.processors < 1 {
			return nil, fmt.Errorf("line %d: %q processors", line, columns.Clean(fields[4]))
		}
		if p.value, err = strconv.ParseFloat(fields[5], 64); err != nil || !(p.value > 0) || p.value > 1e300 {
			return nil, fmt.Errorf("line %d: the value %q is no number above 0", line, columns.Clean(fields[5]))
		}
		list = append(list, p)
	}
	if err != io.EOF {
		return nil, err
	}
	return list, nil
}

// simulated is the value of the simulation that p is set beside, in the unit of p.
func (p published) simulated(tables []found) (v float64, program string, ok bool, err error) {
	for _, t := range tables {
		r := columns.Reader{Table: t.Table}
		names, machine, processors := r.Text("program"), r.Text("machine"), r.Whole("processors")
		unit, factor := p.unit, 1.0
		if p.unit == "%" {
			unit, factor = "", 100
		}
		values := r.Measured(p.quantity, unit)
		if r.Err != nil {
			return 0, "", false, fmt.Errorf("%s: %w", t.path, r.Err)
		}
		for i, name := range names {
			if kernel, _, _ := strings.Cut(columns.Clean(name), " "); kernel == p.program && columns.Clean(machine[i]) == p.machine && int(processors[i]) == p.processors {
				return factor * values[i], columns.Clean(name), true, nil
			}
		}
	}
	return 0, "", false, nil
}

// publishedFigures has one for each quantity: the paper's numbers, and the simulations beside them.
func (s *Study) publishedFigures() (figures []chart.Figure, err error) {
	for _, g := range grouped(s.published, func(p published) string {
		return fmt.Sprintf("%s, %s, %s", strings.ReplaceAll(p.quantity, "_", " "), p.machine, numeral.Plural(p.processors, "processor"))
	}) {
		quantity, _, _ := strings.Cut(g.Head, ",")
		c := &chart.Chart{Kind: chart.Lines, X: chart.Axis{Name: "program", Scale: chart.Category}, Y: chart.Axis{Name: quantity, Unit: g.Rows[0].unit, Scale: chart.Log}}
		scale := 1.0
		if c.Y.Unit == "%" {
			scale = 100
		}
		paper, ours := chart.Marks[0].Series("published", "points", "published"), chart.Marks[1].Series("simulated", "points", "simulated")
		t := &chart.Detail{Summary: "Values", Heads: []string{"program", "published [" + g.Rows[0].unit + "]", "simulated [" + g.Rows[0].unit + "]"}, Open: true}
		for _, p := range g.Rows {
			v, program, ok, err := p.simulated(s.simulations)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			x := float64(len(c.X.Categories))
			c.X.Categories = append(c.X.Categories, p.program)
			paper.Points, ours.Points = append(paper.Points, chart.At(x-.1, p.value/scale)), append(ours.Points, chart.At(x+.1, positive(v/scale)))
			t.Rows = append(t.Rows, []string{program, numeral.Digits(p.value, 3), numeral.Digits(v, 3)})
		}
		c.Series = []chart.Series{paper, ours}
		if len(t.Rows) > 0 {
			figures = append(figures, chart.Figure{Heading: g.Head, Title: g.Head + ": published and simulated", Chart: c, Table: t})
		}
	}
	return figures, nil
}
