package report

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
	linesChart  = "lines"
	stackChart  = "stack"  // X is the value, Y the bars; series are the parts
	matrixChart = "matrix" // cells of X and Y categories
	timesChart  = "timeline"
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
	logScale      = "log"
	linearScale   = "linear"
	categoryScale = "category"
	bentScale     = "arsinh"
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

// drawn is how many points have a place in the chart.
func (c *Chart) drawn() (n int) {
	for _, s := range c.Series {
		for _, p := range s.Points {
			if !math.IsNaN(float64(p[0]) + float64(p[1])) {
				n++
			}
		}
	}
	return n
}

func point(v ...float64) Point {
	p := make(Point, len(v))
	for i := range v {
		p[i] = Number(v[i])
	}
	return p
}

// series begins one that looks like m.
func (m mark) series(name, draw string, tags ...string) Series {
	return Series{Name: name, Tags: tags, Draw: draw, Ink: m.ink.name, Shape: m.shape, Points: []Point{}}
}
