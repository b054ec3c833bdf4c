package report

import (
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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
			_, err := io.WriteString(w, f.file())
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
func (p *page) figures() (all []Figure) {
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

// file is the figure under its title and legend.
func (f Figure) file() string {
	const margin, titleRoom = 10, 26
	legend, room := f.legendRow(titleRoom)
	top := titleRoom + room
	width, height := float64(figureWidth)+2*margin, float64(f.height+top)+2*margin
	inner := strings.Replace(string(f.SVG), "<svg ", fmt.Sprintf(`<svg y="%g" width="%g" height="%g" `, float64(top), float64(figureWidth), float64(f.height)), 1)
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" font-family="%s">
<style>%s</style>
<rect width="100%%" height="100%%" rx="8" fill="%s"/>
<g transform="translate(%d %d)">
<text y="13" font-size="13" font-weight="600" fill="%s">%s</text>
%s%s</g>
</svg>
`, width, height, 1.6*width, 1.6*height, fontStack, colours(), cardInk.css(), margin, margin, textInk.css(), html.EscapeString(f.Title), legend, inner)
}

// legendRow returns the figure's legend below a height, in as many lines as it needs, and the height of the
// legend.
func (f Figure) legendRow(top vg.Length) (string, vg.Length) {
	const line, gap = 17, 14
	style := textStyle(10.5, textInk, draw.XLeft, draw.YBottom)
	var b strings.Builder
	x, y := vg.Length(0), top
	for _, s := range f.Chart.Series {
		name := s.Name
		if s.Draw == "band" {
			name += fmt.Sprintf(", ± %.0f %%", 100*Claim)
		}
		room := 16 + style.Width(name)
		if x > 0 && x+room > figureWidth {
			x, y = 0, y+line
		}
		fmt.Fprintf(&b, `<g transform="translate(%.1f %.1f)">%s<text x="16" y="9.5" font-size="10.5" fill="%s">%s</text></g>`+"\n",
			float64(x), float64(y), s.symbol(), textInk.css(), html.EscapeString(name))
		x += room + gap
	}
	return b.String(), y - top + line
}

// symbol is how the series looks in a box of 12 × 12.
func (s Series) symbol() string {
	paint := s.look().ink.css()
	dashes := map[string]string{"dashed": ` stroke-dasharray="4 3"`, "dotted": ` stroke-dasharray="1.5 2.5"`}[s.Draw]
	switch {
	case s.Draw == "bar":
		return fmt.Sprintf(`<path d="M1 1H11V11H1Z" fill="%s"/>`, paint)
	case s.Draw == "band":
		return fmt.Sprintf(`<path d="M0 1H12V11H0Z" fill="%s"/><path d="M0 6H12" stroke="%s" stroke-width="2"/>`, bandInk.css(), paint)
	case s.Shape == "" || dashes != "":
		return fmt.Sprintf(`<path d="M0 6H12" stroke="%s" stroke-width="1.6"%s/>`, paint, dashes)
	}
	return fmt.Sprintf(`<path d="%s" fill="%s"/>`, s.Shape, paint)
}
