package report

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ink is a colour with one value for light and one for dark pages. Figures are
// drawn in the light one, and every occurrence of it becomes a CSS variable.
type ink struct {
	name  string
	light color.RGBA
	dark  color.RGBA
}

// css is the ink where the page declares it or not.
func (i ink) css() string { return fmt.Sprintf("var(--%s,%s)", i.name, cssColour(i.light)) }

func rgb(hex uint32) color.RGBA {
	return color.RGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

// The inks. Data have the hues of Okabe and Ito, which people of every colour
// vision tell apart; no two inks share their light value, and none is pure black,
// which vgsvg leaves out. Shapes, order and texts repeat what the colours say.
var (
	textInk  = ink{"text", rgb(0x1f2933), rgb(0xe6e8ea)}
	mutedInk = ink{"muted", rgb(0x5b6670), rgb(0xa3adb6)}
	gridInk  = ink{"grid", rgb(0xdfe3e7), rgb(0x363d44)}
	bandInk  = ink{"band", rgb(0xd3dae1), rgb(0x414a53)}
	cardInk  = ink{"card", rgb(0xffffff), rgb(0x1d2227)} // what figures are drawn on

	blue   = ink{"blue", rgb(0x0072b2), rgb(0x56a8e0)}
	red    = ink{"red", rgb(0xd55e00), rgb(0xff8c42)}
	green  = ink{"green", rgb(0x009e73), rgb(0x3fcf9f)}
	purple = ink{"purple", rgb(0xb65f93), rgb(0xdf95c2)}
	amber  = ink{"amber", rgb(0xe69f00), rgb(0xf2bd4a)}
	grey   = ink{"grey", rgb(0x8b97a3), rgb(0x7f8b96)}
)

var inks = []ink{textInk, mutedInk, gridInk, bandInk, cardInk, blue, red, green, purple, amber, grey}

// mark is how one series looks: colour and shape.
type mark struct {
	ink   ink
	glyph draw.GlyphDrawer
	shape string // SVG path of the glyph in the legend, in a box of 12 × 12
}

// marks are given out in order to models and to processor counts.
var marks = []mark{
	{amber, draw.PyramidGlyph{}, "M6 1.5 11 10.5H1Z"},
	{blue, draw.BoxGlyph{}, "M2 2H10V10H2Z"},
	{green, draw.CircleGlyph{}, "M6 1.5A4.5 4.5 0 1 1 5.99 1.5Z"},
	{purple, diamondGlyph{}, "M6 .5 11 6 6 11.5 1 6Z"},
	{red, crossGlyph{}, "M2.5 1 6 4.5 9.5 1 11 2.5 7.5 6 11 9.5 9.5 11 6 7.5 2.5 11 1 9.5 4.5 6 1 2.5Z"},
}

// markOf returns the look of series i. The sixth series has the colour of the first and the shape of the second.
func markOf(i int) mark {
	m, other := marks[i%len(marks)], marks[(i+i/len(marks))%len(marks)]
	m.glyph, m.shape = other.glyph, other.shape
	return m
}

// terms are the parts of a Split, in its order.
var terms = [...]struct {
	name, meaning string
	ink           ink
}{
	{"ideal", "instructions, and references that hit in the first cache", grey},
	{"latency", "waiting for lower levels of memory that nobody else uses", blue},
	{"contention", "waiting while others use the bus or the memory", red},
	{"synchronization", "waiting at barriers for the slowest processor", purple},
}

// diamondGlyph is a filled square on its corner.
type diamondGlyph struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (diamondGlyph) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	r := sty.Radius * 1.25
	c.FillPolygon(sty.Color, []vg.Point{{X: pt.X, Y: pt.Y - r}, {X: pt.X + r, Y: pt.Y}, {X: pt.X, Y: pt.Y + r}, {X: pt.X - r, Y: pt.Y}})
}

// crossGlyph is a cross of thick lines; gonum's are too thin to see.
type crossGlyph struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (crossGlyph) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	line := draw.LineStyle{Color: sty.Color, Width: sty.Radius * .65}
	r := sty.Radius
	c.StrokeLine2(line, pt.X-r, pt.Y-r, pt.X+r, pt.Y+r)
	c.StrokeLine2(line, pt.X-r, pt.Y+r, pt.X+r, pt.Y-r)
}
