package chart

import (
	"fmt"
	"html"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// File is the figure under its title and legend.
func (f Figure) File() string {
	const margin, titleRoom = 10, 26
	legend, room := f.legendRow(titleRoom)
	top := titleRoom + room
	width, height := float64(Width)+2*margin, float64(f.height+top)+2*margin
	inner := strings.Replace(string(f.SVG), "<svg ", fmt.Sprintf(`<svg y="%g" width="%g" height="%g" `, float64(top), float64(Width), float64(f.height)), 1)
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" font-family="%s">
<style>%s</style>
<rect width="100%%" height="100%%" rx="8" fill="%s"/>
<g transform="translate(%d %d)">
<text y="13" font-size="13" font-weight="600" fill="%s">%s</text>
%s%s</g>
</svg>
`, width, height, 1.6*width, 1.6*height, fontStack, Colours(), cardInk.css(), margin, margin, TextInk.css(), html.EscapeString(f.Title), legend, inner)
}

// legendRow returns the figure's legend below a height, in as many lines as it needs, and the height of the
// legend.
func (f Figure) legendRow(top vg.Length) (string, vg.Length) {
	const line, gap = 17, 14
	style := TextStyle(10.5, TextInk, draw.XLeft, draw.YBottom)
	var b strings.Builder
	x, y := vg.Length(0), top
	for _, s := range f.Chart.Series {
		name := s.Name
		if s.Within > 0 {
			name += fmt.Sprintf(", ± %.0f %%", 100*s.Within)
		}
		room := 16 + style.Width(name)
		if x > 0 && x+room > Width {
			x, y = 0, y+line
		}
		fmt.Fprintf(&b, `<g transform="translate(%.1f %.1f)">%s<text x="16" y="9.5" font-size="10.5" fill="%s">%s</text></g>`+"\n",
			float64(x), float64(y), s.symbol(), TextInk.css(), html.EscapeString(name))
		x += room + gap
	}
	return b.String(), y - top + line
}

// symbol is how the series looks in a box of 12 × 12.
func (s Series) symbol() string {
	paint := s.look().Ink.css()
	dashes := map[string]string{"dashed": ` stroke-dasharray="4 3"`, "dotted": ` stroke-dasharray="1.5 2.5"`}[s.Draw]
	switch {
	case s.Draw == "bar":
		return fmt.Sprintf(`<path d="M1 1H11V11H1Z" fill="%s"/>`, paint)
	case s.Draw == "band":
		return fmt.Sprintf(`<path d="M0 1H12V11H0Z" fill="%s"/><path d="M0 6H12" stroke="%s" stroke-width="2"/>`, BandInk.css(), paint)
	case s.Shape == "" || dashes != "":
		return fmt.Sprintf(`<path d="M0 6H12" stroke="%s" stroke-width="1.6"%s/>`, paint, dashes)
	}
	return fmt.Sprintf(`<path d="%s" fill="%s"/>`, s.Shape, paint)
}
