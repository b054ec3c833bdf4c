package report

import (
	"fmt"
	"slices"

	"spoor/predict/internal/report/chart"
	"spoor/predict/internal/report/columns"
	"spoor/traces/store"
)

// plots lists the figures of tables, in the order of the page. A new one is a file and a line here.
var plots = []tablePlot{timeline, messageTime, messageRanks, messageTimeline, messagePath, messageMatrix, networkGaps, linesTouched, fittedTimes, workingSets, sharingMatrix, windtunnelCurves, budgetFront}

// tablePlot draws the figures of certain tables. Each tablePlot is a section of the page.
type tablePlot struct {
	id, heading string
	note        string   // what to see in the figures
	tables      []string // the names of the tables
	draw        func(found []found) ([]chart.Figure, error)
}

// found is a table of a study.
type found struct {
	*store.Table
	path    string
	program string // of the trace, or the name of the folder
}

// name tells tables of one program apart.
func (t found) name() string {
	if procs := columns.Clean(t.Fact("procs")); procs != "" {
		return t.program + ", " + procs + " processors"
	}
	return t.program
}

// section is the figures of a plot.
type section struct {
	ID, Heading, Note string
	Legend            []chart.LegendEntry
	Figures           []chart.Figure
}

// Groups are the figures with those together that have something in common.
func (s section) Groups() []group[chart.Figure] {
	return grouped(s.Figures, func(f chart.Figure) string { return f.Group })
}

// plotted reports whether some plot draws tables called name.
func plotted(name string) bool {
	return slices.ContainsFunc(plots, func(p tablePlot) bool { return slices.Contains(p.tables, name) })
}

// drawTables draws the figures of the tables of the study, and the published numbers beside simulations.
func (p *page) drawTables() error {
	figures, err := p.publishedFigures()
	if err != nil {
		return fmt.Errorf("showing what is published: %w", err)
	}
	if err := p.addSection(section{ID: "published", Heading: "Published results", Note: p.remarks}, figures); err != nil {
		return err
	}
	for _, kind := range plots {
		tables := selected(p.tables, func(t found) bool { return slices.Contains(kind.tables, t.Name) })
		if len(tables) == 0 {
			continue
		}
		figures, err := kind.draw(tables)
		if err != nil {
			return fmt.Errorf("drawing %s: %w", kind.id, err)
		}
		if err := p.addSection(section{ID: kind.id, Heading: kind.heading, Note: kind.note}, figures); err != nil {
			return err
		}
	}
	return nil
}

// addSection draws the figures of a section, and adds it if there are any.
func (p *page) addSection(s section, figures []chart.Figure) error {
	s.Legend = chart.LegendOf(figures)
	for i, f := range figures {
		f.ID = fmt.Sprintf("%s-%d", s.ID, i)
		if err := f.DrawChart(); err != nil {
			return err
		}
		s.Figures = append(s.Figures, f)
	}
	if len(s.Figures) > 0 {
		p.Sections = append(p.Sections, s)
	}
	return nil
}

// pick is one row of those among which the reader chooses machines.
type pick struct {
	Program    string       `json:"program"`
	Machine    string       `json:"machine"`
	Processors int          `json:"processors"`
	By         string       `json:"by"`
	E          chart.Number `json:"e"`
}

// picks returns all rows, if there are several machines.
func picks(s *Study) []pick {
	var list []pick
	var names []string
	for _, r := range s.rows {
		by := r.Model
		if by == "" {
			by = "simulation"
		}
		names = appendNew(names, r.Machine)
		list = append(list, pick{r.Program, r.Machine, r.Processors, by, chart.Number(r.EInstr)})
	}
	if len(names) < 2 {
		return nil
	}
	return list
}
