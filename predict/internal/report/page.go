// Package report decides which figures and tables the page of a study has, and writes it as one self-contained HTML
// file. The page needs no network. Package paired compares models with simulations; package chart draws.
//
//	study, err := report.Open("out")
//	...
//	err = study.WriteHTML(w, "Quickstart")
package report

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"spoor/traces/store"
	"strings"

	"spoor/predict/internal/report/chart"
	"spoor/predict/internal/report/columns"
	"spoor/predict/internal/report/numeral"
	"spoor/predict/internal/report/paired"
	"spoor/traces/stage"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"fixed": numeral.Fixed, "signed": numeral.SignedPercent, "plural": numeral.Plural, "join": strings.Join,
}).Parse(pageHTML))

// page is what the template shows.
type page struct {
	*Study
	Title, Version string
	Commands       []string
	CSS, Colours   template.CSS
	Programs       []string
	MachineNames   []string
	MachineRows    []machineRow
	Measured       *programTable
	RowGroups      []group[tableRow]
	Cards          []card
	Curves, Cases  []chart.Figure
	Splits         []chart.Figure
	Overview       *chart.Figure
	Simple         []simpleGroup
	SimpleLegend   []chart.LegendEntry
	SimpleHeads    []string
	SimpleRows     [][]string
	CurveLegend    []chart.LegendEntry
	ModelLegend    []chart.LegendEntry
	TermLegend     []chart.LegendEntry
	Caveat         string
	Findings       []string
	Intervals      bool // some prediction has one
	Trust          []string
	Warnings       []warning
	Sections       []section
	Picks          []pick
	Policy         string
	Scripts        []template.JS
}

// WriteHTML writes the page, under the title or, if that is empty, what the study
// holds. The same study gives the same bytes.
func (s *Study) WriteHTML(w io.Writer, title string) error {
	p, err := s.page(title)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return err
	}
	_, err = b.WriteTo(w)
	return err
}

// page is what the page shows.
func (s *Study) page(title string) (*page, error) {
	p := &page{Study: s, Title: cmp.Or(columns.Clean(title), s.holds()), Version: stage.Version, CSS: template.CSS(pageCSS), Colours: chart.Colours(),
		Policy: chart.Policy(), Scripts: chart.Scripts(), Picks: picks(s)}
	for _, line := range s.Commands {
		p.Commands = append(p.Commands, columns.Clean(line))
	}
	for _, t := range s.Traces {
		if len(t.Curve) > 0 || newProgramTable([]Trace{t}) != nil {
			p.Programs = appendNew(p.Programs, t.Program)
		}
	}
	for _, r := range s.rows {
		p.Programs = appendNew(p.Programs, r.Program)
		p.MachineNames = appendNew(p.MachineNames, r.Machine)
	}
	for _, t := range s.tables {
		names, err := store.Data[string](t.Table, "program")
		switch {
		case t.Name == fittedTable: // which is of a host
		case err != nil || len(names) == 0:
			p.Programs = appendNew(p.Programs, t.program)
		default:
			for _, name := range names {
				p.Programs = appendNew(p.Programs, columns.Clean(name))
			}
		}
	}
	for i := range s.Comparison.Models {
		p.Cards = append(p.Cards, newCard(s.Comparison.Summary(i)))
		p.ModelLegend = append(p.ModelLegend, chart.MarkOf(i).Legend(s.Comparison.Models[i], modelMeanings[s.Comparison.Models[i]]))
	}
	for _, t := range terms {
		p.TermLegend = append(p.TermLegend, chart.Mark{Ink: t.ink, Shape: "M1 1H11V11H1Z"}.Legend(t.name, t.meaning))
	}
	for _, draw := range []func() error{p.drawAll, p.drawAbstractions, p.drawTables} {
		if err := draw(); err != nil {
			return nil, err
		}
	}
	p.MachineRows = machineRows(s.Machines)
	p.Measured = newProgramTable(s.Traces)
	p.RowGroups = grouped(tableRows(s.Comparison), func(r tableRow) string { return r.Program })
	if slices.Contains(s.Comparison.Models, "mva") {
		p.Caveat = mvaCaveat
	}
	p.Trust, p.Warnings, p.Findings = trust(s), warnings(s.Comparison), findings(s)
	p.Intervals = slices.ContainsFunc(s.Comparison.Models, s.Comparison.HasIntervals)
	return p, nil
}

// holds returns a title from what the study holds.
func (s *Study) holds() string {
	switch {
	case len(s.Comparison.Cases) > 0:
		return "Model against simulation"
	case len(s.rows) > 0:
		return "Predicted times"
	case len(s.Traces) > 0:
		return "Programs and their locality"
	default:
		return "Study"
	}
}

// modelMeanings describes the models of package cluster.
var modelMeanings = map[string]string{
	"paper": "as published: a power law for misses, independent queues, a barrier term for exponential times",
	"curve": "the same with the measured stack distances for misses",
	"mva":   "misses of the machine's caches counted in the trace; closed queueing networks for the bus, the trace's own barriers",
}

// drawAll draws the figures of every program.
func (p *page) drawAll() error {
	looks := p.looks()
	for n, program := range p.Programs {
		var traces []Trace
		for _, t := range p.Traces {
			if t.Program == program && len(t.Curve) > 0 {
				traces = append(traces, t)
			}
		}
		if len(traces) > 0 {
			f, err := curveFigure(fmt.Sprintf("curve-%d", n), traces, looks)
			if err != nil {
				return err
			}
			p.Curves = append(p.Curves, f)
		}
		if err := p.drawCases(n, program); err != nil {
			return err
		}
	}
	if len(p.Comparison.Cases) == 0 {
		return nil
	}
	f, err := overviewFigure("overview", p.Comparison)
	p.Overview = &f
	return err
}

func (p *page) drawCases(n int, program string) error {
	of := func(k paired.Case) bool { return k.Simulated.Program == program }
	if cases := selected(p.Comparison.Cases, of); len(cases) > 0 {
		f, err := caseFigure(fmt.Sprintf("case-%d", n), p.Comparison.Models, cases)
		if err != nil {
			return err
		}
		p.Cases = append(p.Cases, f)
	}
	cases := selected(append(slices.Clip(p.Comparison.Cases), p.alone()...), of)
	if len(cases) == 0 {
		return nil
	}
	f, err := splitFigure(fmt.Sprintf("split-%d", n), cases)
	p.Splits = append(p.Splits, f)
	return err
}

// alone returns simulations without a prediction. Simplified machines are left out.
func (p *page) alone() []paired.Case {
	abstract := map[string]bool{}
	if p.Simplified != nil {
		for _, pair := range p.Simplified.Pairs {
			abstract[pair.Abstract.Machine] = true
		}
	}
	compared := map[paired.Key]bool{}
	for _, k := range p.Comparison.Cases {
		compared[k.Simulated.Key()] = true
	}
	var list []paired.Case
	for _, r := range p.rows {
		if r.Model == "" && !compared[r.Key()] && !abstract[r.Machine] {
			list = append(list, paired.Case{Simulated: r})
		}
	}
	return list
}

func selected[T any](list []T, of func(T) bool) (some []T) {
	for _, v := range list {
		if of(v) {
			some = append(some, v)
		}
	}
	return some
}

// looks assigns a mark to each number of processors of the curves, and adds it to the legend.
func (p *page) looks() map[int]chart.Mark {
	var counts []int
	for _, t := range p.Traces {
		if len(t.Curve) > 0 && !slices.Contains(counts, t.Processors) {
			counts = append(counts, t.Processors)
		}
	}
	slices.Sort(counts)
	looks := map[int]chart.Mark{}
	order := []chart.Mark{chart.Marks[1], chart.Marks[4], chart.Marks[2], chart.Marks[3], chart.Marks[0]}
	for i, n := range counts {
		looks[n] = order[i%len(order)]
		p.CurveLegend = append(p.CurveLegend, looks[n].Legend(numeral.Plural(n, "processor"), ""))
	}
	return looks
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
