package chart

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"image/color"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is one plot as inline SVG under a visible Heading. Title and Desc are
// what a screen reader says.
type Figure struct {
	ID, Heading, Title, Desc string
	SVG                      template.HTML
	Chart                    *Chart // what the SVG draws, for the page's script
	height                   vg.Length
	Group                    string  // what neighbouring figures have in common; "" for nothing
	Table                    *Detail // what belongs to the plot and is no point of it; nil for nothing
}

// Wide reports whether the figure has too much side by side for a column of the page.
func (f Figure) Wide() bool {
	const most = 12
	if f.Table != nil && f.Table.Open {
		return true
	}
	return f.Chart != nil && f.Chart.Kind == Lines && f.Chart.X.Scale == Category && len(f.Chart.X.Categories) > most
}

// Detail is a table that is folded under its summary.
type Detail struct {
	Summary string
	Heads   []string
	Rows    [][]string
	Open    bool // unfolded
}

// Width suits a phone; wider pages set figures side by side.
const Width = vg.Length(380)

// typeface has the widths of Arial and Helvetica, so that texts fit where only
// those are installed.
var typeface = font.Font{Typeface: "Liberation", Variant: "Sans"}

const fontStack = "Liberation Sans,Arimo,Arial,Helvetica,sans-serif"

// Plot is a plot that draws the labels of its axes itself, because gonum reserves room in the wrong place if a
// scale is not linear.
type Plot struct {
	*plot.Plot
	xLabel, yLabel string
	Above          vg.Length // room that a layer needs above the data
}

// NewPlot is an empty plot in the style of the page: text in one size, a thin
// grid instead of frames and tick marks.
func NewPlot(xLabel, yLabel string) Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Tick.Label.Font = font.From(typeface, 10.5)
		a.Tick.Label.Color = MutedInk.Light
		a.Tick.Length = 0
		a.LineStyle = draw.LineStyle{Color: gridInk.Light, Width: .8}
		a.Padding = 3
	}
	p.Y.LineStyle.Width = 0
	return Plot{Plot: p, xLabel: xLabel, yLabel: yLabel}
}

// TextStyle is text of the page inside a plot.
func TextStyle(size vg.Length, i Ink, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{Color: i.Light, Font: font.From(typeface, size), XAlign: x, YAlign: y, Handler: plot.DefaultTextHandler}
}

// Layer is a plotter made of a function.
type Layer func(c draw.Canvas, p *plot.Plot)

// Plot draws the layer.
func (l Layer) Plot(c draw.Canvas, p *plot.Plot) { l(c, p) }

// DrawPlot renders p as inline SVG with the given height in points. The label of the vertical axis stands above it,
// where readers need not turn their heads.
func (f *Figure) DrawPlot(p Plot, height vg.Length) error {
	const labelRoom = 16
	canvas := vgsvg.NewWith(vgsvg.UseWH(Width, height))
	whole := draw.New(canvas)
	top := p.Above + 5
	if p.yLabel != "" {
		top += labelRoom
		whole.FillText(TextStyle(11, MutedInk, draw.XLeft, draw.YTop), vg.Point{X: 1, Y: height}, p.yLabel)
	}
	inner := draw.Crop(whole, 1, -6, labelRoom+4, -top)
	p.Draw(inner)
	data := p.DataCanvas(inner)
	whole.FillText(TextStyle(11, MutedInk, draw.XCenter, draw.YBottom), vg.Point{X: (data.Min.X + data.Max.X) / 2, Y: 3}, p.xLabel)
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return fmt.Errorf("drawing %s: %w", f.Title, err)
	}
	f.SVG, f.height = template.HTML(themed(b.String(), f, height)), height
	return nil
}

var (
	styleAttribute = regexp.MustCompile(`style="[^"]*"`) // texts have no quotes: vgsvg escapes them
	paint          = regexp.MustCompile(`#[0-9A-F]{6}`)
	ownFont        = regexp.MustCompile(`font-family:.*font-style:normal;`)
)

// themed turns a document of vgsvg into a part of the page: no prologue, full width, a description, and CSS
// variables for colours.
func themed(svg string, f *Figure, height vg.Length) string {
	_, body, _ := strings.Cut(svg, "<g ")
	body = styleAttribute.ReplaceAllStringFunc(body, func(s string) string {
		return paint.ReplaceAllStringFunc(ownFont.ReplaceAllString(s, ""), variable)
	})
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" role="img" aria-labelledby="%s-title %s-desc" font-family="%s">`+
		"\n<title id=\"%s-title\">%s</title>\n<desc id=\"%s-desc\">%s</desc>\n<g ",
		float64(Width), float64(height), f.ID, f.ID, fontStack,
		f.ID, html.EscapeString(f.Title), f.ID, html.EscapeString(f.Desc))
	return head + body
}

// variable is the CSS variable of the ink that vgsvg printed as hex. It rounds
// down in floating point, hence the tolerance.
func variable(hex string) string {
	for _, i := range inks {
		if near(hex, i.Light) {
			return i.css()
		}
	}
	return hex
}

func near(hex string, c color.RGBA) bool {
	v, err := strconv.ParseUint(hex[1:], 16, 32)
	got := rgb(uint32(v))
	close := func(a, b uint8) bool { return a == b || a+1 == b }
	return err == nil && close(got.R, c.R) && close(got.G, c.G) && close(got.B, c.B)
}

func cssColour(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
