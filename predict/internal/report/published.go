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
			s.remarks = strings.TrimSpace(s.remarks + " " + clean(remark))
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
		p := published{quantity: clean(fields[0]), unit: clean(fields[1]), program: clean(fields[2]), machine: clean(fields[3])}
		if p.processors, err = strconv.Atoi(fields[4]); err != nil || p.processors < 1 {
			return nil, fmt.Errorf("line %d: %q processors", line, clean(fields[4]))
		}
		if p.value, err = strconv.ParseFloat(fields[5], 64); err != nil || !(p.value > 0) || p.value > 1e300 {
			return nil, fmt.Errorf("line %d: the value %q is no number above 0", line, clean(fields[5]))
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
		r := reader{table: t.Table}
		names, machine, processors := r.text("program"), r.text("machine"), r.whole("processors")
		unit, factor := p.unit, 1.0
		if p.unit == "%" {
			unit, factor = "", 100
		}
		values := r.measured(p.quantity, unit)
		if r.err != nil {
			return 0, "", false, fmt.Errorf("%s: %w", t.path, r.err)
		}
		for i, name := range names {
			if kernel, _, _ := strings.Cut(clean(name), " "); kernel == p.program && clean(machine[i]) == p.machine && int(processors[i]) == p.processors {
				return factor * values[i], clean(name), true, nil
			}
		}
	}
	return 0, "", false, nil
}

// publishedFigures has one for each quantity: the paper's numbers, and the simulations beside them.
func (s *Study) publishedFigures() (figures []Figure, err error) {
	for _, g := range grouped(s.published, func(p published) string {
		return fmt.Sprintf("%s, %s, %s", strings.ReplaceAll(p.quantity, "_", " "), p.machine, plural(p.processors, "processor"))
	}) {
		quantity, _, _ := strings.Cut(g.Head, ",")
		c := &Chart{Kind: linesChart, X: Axis{Name: "program", Scale: categoryScale}, Y: Axis{Name: quantity, Unit: g.Rows[0].unit, Scale: logScale}}
		scale := 1.0
		if c.Y.Unit == "%" {
			scale = 100
		}
		paper, ours := marks[0].series("published", "points", "published"), marks[1].series("simulated", "points", "simulated")
		t := &detail{Summary: "Values", Heads: []string{"program", "published [" + g.Rows[0].unit + "]", "simulated [" + g.Rows[0].unit + "]"}, Open: true}
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
			paper.Points, ours.Points = append(paper.Points, point(x-.1, p.value/scale)), append(ours.Points, point(x+.1, positive(v/scale)))
			t.Rows = append(t.Rows, []string{program, number(p.value, 3), number(v, 3)})
		}
		c.Series = []Series{paper, ours}
		if len(t.Rows) > 0 {
			figures = append(figures, Figure{Heading: g.Head, Title: g.Head + ": published and simulated", Chart: c, Table: t})
		}
	}
	return figures, nil
}
