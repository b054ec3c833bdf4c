package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"spoor/predict/internal/report/chart"
)

// WriteFigure writes the figure with a title to an SVG file, with title and legend.
func (s *Study) WriteFigure(w io.Writer, title string) error {
	p, err := s.page("")
	if err != nil {
		return err
	}
	var titles []string
	for _, f := range p.figures() {
		if f.Title == title {
			_, err := io.WriteString(w, f.File())
			return err
		}
		titles = append(titles, f.Title)
	}
	if len(titles) == 0 {
		return fmt.Errorf("the page has no figures")
	}
	return fmt.Errorf("no figure is called %q; there are %s", title, strings.Join(titles, "; "))
}

// figures are those of the page, in its order.
func (p *page) figures() (all []chart.Figure) {
	all = append(slices.Clone(p.Curves), p.Cases...)
	if p.Overview != nil {
		all = slices.Insert(all, 0, *p.Overview)
	}
	all = append(all, p.Splits...)
	for _, g := range p.Simple {
		all = append(all, g.Figures...)
	}
	for _, s := range p.Sections {
		all = append(all, s.Figures...)
	}
	return all
}
