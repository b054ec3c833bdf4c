// Package chart holds the data of figures and draws them: as SVG with gonum/plot, and by a script in the browser.
//
// A figure is drawn in two ways from one Chart because neither alone keeps what users have:
// gonum/plot draws the SVG that readers without scripts see, in mail, in file viewers and on paper. predict also
// writes it as a file. It cannot be asked. The script draws the same data with ECharts for readers who ask for
// values, hide series and change scales. It needs a browser, and starts when the figure comes near the window.
// Figures of models and simulations draw marks of their own in the SVG: what uses NewPlot and DrawPlot.
package chart

import (
	"encoding/json"
	"math"
	"strconv"
)

// Chart is the data of a figure. The page's script draws it again, so that readers can ask for values, hide series
// and change scales. Without scripts the SVG of the figure stays.
type Chart struct {
	Kind   string   `json:"kind"` // lines, stack, matrix or timeline
	X      Axis     `json:"x"`
	Y      Axis     `json:"y"`
	Value  Axis     `json:"value,omitzero"` // of stacks and matrices: what is shown
	Series []Series `json:"series"`
	Groups []Group  `json:"groups,omitempty"` // of the categories

	Decision *Decision `json:"decision,omitempty"` // if it is about one
}

// The kinds of charts.
const (
	Lines    = "lines"
	Stack    = "stack"  // X is the value, Y the bars; series are the parts
	Matrix   = "matrix" // cells of X and Y categories
	Timeline = "timeline"
)

// Axis is one direction of a chart.
type Axis struct {
	Name       string   `json:"name"`
	Unit       string   `json:"unit,omitempty"`       // ns, s, ..; B is printed as KiB and so on, % multiplied by 100
	Scale      string   `json:"scale"`                // log, linear, category, or arsinh: linear within Bend and logarithmic beyond
	Whole      bool     `json:"whole,omitempty"`      // numbers are counts, marked at powers of two
	Bend       Number   `json:"bend,omitzero"`        // of arsinh
	Ticks      []Tick   `json:"ticks,omitempty"`      // of arsinh
	Categories []string `json:"categories,omitempty"` // at 0, 1, ...
	Lo         Number   `json:"lo,omitzero"`          // where the axis ends, if not with the data
	Hi         Number   `json:"hi,omitzero"`
}

// Tick marks a value.
type Tick struct {
	At    Number `json:"at"`
	Label string `json:"label"`
}

// The scales of axes.
const (
	Log      = "log"
	Linear   = "linear"
	Category = "category"
	Arsinh   = "arsinh"
)

// Series is points that look alike. A chart hides a series if one of its tags is off. The legend has a button for
// each tag.
type Series struct {
	Name   string   `json:"name"`
	Tags   []string `json:"tags"`
	Draw   string   `json:"draw"` // line, step, dashed, dotted, points, band, or bar
	Ink    string   `json:"ink"`
	Shape  string   `json:"shape,omitempty"` // path of the mark in a box of 12 × 12
	Points []Point  `json:"points"`
	Notes  []string `json:"notes,omitempty"`  // what to say of each point beside its values
	Marked []Point  `json:"marked,omitempty"` // points that matter: minima

	Within float64 `json:"-"` // of a band: its half width as a share, for the legend
}

// Point is the values of one point. In line charts: x, y and the ends of the interval, if there is one. In stacks:
// the bar and the value. In matrices: column, row and value. In timelines: row, begin, end and, if causes are
// stacked, their range of the row's height (0 to 1).
type Point []Number

// Group is neighbouring categories with a name in common: the cases of one machine.
type Group struct {
	Name  string `json:"name"`
	First int    `json:"first"`
	End   int    `json:"end"`
}

// Number is a float64 that JSON can carry: six digits, null where there is none.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	v := float64(n)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	v, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	if err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// Drawn is how many points have a place in the chart.
func (c *Chart) Drawn() (n int) {
	for _, s := range c.Series {
		for _, p := range s.Points {
			if !math.IsNaN(float64(p[0]) + float64(p[1])) {
				n++
			}
		}
	}
	return n
}

// At is a point with these values.
func At(v ...float64) Point {
	p := make(Point, len(v))
	for i := range v {
		p[i] = Number(v[i])
	}
	return p
}

// Series begins one that looks like m.
func (m Mark) Series(name, draw string, tags ...string) Series {
	return Series{Name: name, Tags: tags, Draw: draw, Ink: m.Ink.name, Shape: m.Shape, Points: []Point{}}
}
