package chart

import (
	"fmt"
	"html/template"
	"image/color"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Ink is a colour with one value for light and one for dark pages. Figures are
// drawn in the light one, and every occurrence of it becomes a CSS variable.
type Ink struct {
	name  string
	Light color.RGBA
	dark  color.RGBA
}

// css is the ink where the page declares it or not.
func (i Ink) css() string { return fmt.Sprintf("var(--%s,%s)", i.name, cssColour(i.Light)) }

func rgb(hex uint32) color.RGBA {
	return color.RGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

// The inks. Data have the hues of Okabe and Ito, which people of every colour
// vision tell apart; no two inks share their light value, and none is pure black,
// which vgsvg leaves out. Shapes, order and texts repeat what the colours say.
var (
	TextInk  = Ink{"text", rgb(0x1f2933), rgb(0xe6e8ea)}
	MutedInk = Ink{"muted", rgb(0x5b6670), rgb(0xa3adb6)}
	gridInk  = Ink{"grid", rgb(0xdfe3e7), rgb(0x363d44)}
	BandInk  = Ink{"band", rgb(0xd3dae1), rgb(0x414a53)}
	cardInk  = Ink{"card", rgb(0xffffff), rgb(0x1d2227)} // what figures are drawn on

	Blue   = Ink{"blue", rgb(0x0072b2), rgb(0x56a8e0)}
	Red    = Ink{"red", rgb(0xd55e00), rgb(0xff8c42)}
	Green  = Ink{"green", rgb(0x009e73), rgb(0x3fcf9f)}
	Purple = Ink{"purple", rgb(0xb65f93), rgb(0xdf95c2)}
	Amber  = Ink{"amber", rgb(0xe69f00), rgb(0xf2bd4a)}
	Teal   = Ink{"teal", rgb(0x00767a), rgb(0x4fc3c7)}
	Brown  = Ink{"brown", rgb(0x8c4a1f), rgb(0xc98a5e)}
	Olive  = Ink{"olive", rgb(0x7a7a00), rgb(0xb9b93c)}
	Grey   = Ink{"grey", rgb(0x8b97a3), rgb(0x7f8b96)}
)

var inks = []Ink{TextInk, MutedInk, gridInk, BandInk, cardInk, Blue, Red, Green, Purple, Amber, Teal, Brown, Olive, Grey}

// Mark is how one series looks: colour and shape.
type Mark struct {
	Ink   Ink
	Glyph draw.GlyphDrawer
	Shape string // SVG path of the glyph in the legend, in a box of 12 × 12
}

// Marks are given out in order to models and to processor counts.
var Marks = []Mark{
	{Amber, draw.PyramidGlyph{}, "M6 1.5 11 10.5H1Z"},
	{Blue, draw.BoxGlyph{}, "M2 2H10V10H2Z"},
	{Green, draw.CircleGlyph{}, "M6 1.5A4.5 4.5 0 1 1 5.99 1.5Z"},
	{Purple, diamondGlyph{}, "M6 .5 11 6 6 11.5 1 6Z"},
	{Red, crossGlyph{}, "M2.5 1 6 4.5 9.5 1 11 2.5 7.5 6 11 9.5 9.5 11 6 7.5 2.5 11 1 9.5 4.5 6 1 2.5Z"},
}

// MarkOf returns the look of series i. The sixth series has the colour of the first and the shape of the second.
func MarkOf(i int) Mark {
	m, other := Marks[i%len(Marks)], Marks[(i+i/len(Marks))%len(Marks)]
	m.Glyph, m.Shape = other.Glyph, other.Shape
	return m
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

// Colours declares the inks for light and for dark pages.
func Colours() template.CSS {
	var light, dark strings.Builder
	for _, i := range inks {
		fmt.Fprintf(&light, "--%s:%s;", i.name, cssColour(i.Light))
		fmt.Fprintf(&dark, "--%s:%s;", i.name, cssColour(i.dark))
	}
	return template.CSS(":root{" + light.String() + "}\n@media (prefers-color-scheme:dark){:root{" + dark.String() + "}}\n")
}
