// Package packing has models of the times of packed messages, scans and array statements: those of [hur1999] and
// Spoor's own. Calibrate fits them to measured times.
//
// A message of n bytes costs alpha + beta n + f(MLT). MLT is the number of memory lines that are touched when it
// is packed. Models S1, S2 and S3 use n alone. M1, M2 and M3 also use MLT [hur1999, Table 1], computed from bounds
// as in the paper. M1x uses the exact MLT from the address of the block, page also the memory pages. level uses
// lines, the pieces that are copied one by one, and the bytes beyond a capacity C, which are in a farther level of
// memory. A term for arithmetic operations is added if their number varies [hur1999, sec. 5].
package packing

import (
	"fmt"
	"slices"
	"strings"

	"spoor/analyze/marshal"
	"spoor/traces/unit"
)

// Features are the inputs of models for a point.
type Features struct {
	N     float64 // bytes; of array statements, loads and stores
	MLT   float64 // memory lines touched, by the paper's bounds; 0: no layout
	Exact float64 // memory lines touched
	Pages float64 // memory pages touched
	Runs  float64 // pieces that are copied one by one: rows of the block
	Space float64 // bytes of all touched lines, with those of the packed block
	Ops   float64 // arithmetic operations
}

// Of returns the features of a point, for lines and pages of the given sizes.
func Of(p *Point, line, page unit.Bytes) (f Features, err error) {
	f.N, f.Ops = float64(p.Bytes), float64(p.Ops)
	if p.Experiment == Array {
		f.N = float64(p.Accesses)
	}
	if p.Rows == 0 {
		return f, nil
	}
	layout, blocks := p.Layout(), float64(p.Blocks)
	exact, err := layout.Lines(line)
	if err != nil {
		return f, err
	}
	pages, err := layout.Lines(page)
	if err != nil {
		return f, err
	}
	f.Exact, f.Pages, f.Runs = blocks*float64(exact), blocks*float64(pages), blocks*float64(p.Rows)
	if f.Space = f.Exact * float64(line); p.Experiment != Array {
		f.Space += f.N
	}
	f.MLT, err = paperMLT(p.Item, layout, line)
	f.MLT *= blocks
	return f, err
}

// paperMLT returns the mean of the bounds of [hur1999, eqs. 3-4, thm. 2], for an unknown base address.
//
// Differs: the paper takes the mean for rows, and does not define it for columns. Theorem 2 has no bounds if rows
// of the block share lines. Then paperMLT returns the mean over all bases that are multiples of an item.
func paperMLT(item unit.Bytes, layout marshal.Layout, line unit.Bytes) (float64, error) {
	if lower, upper, err := layout.Bounds(line); err == nil {
		return (float64(lower) + float64(upper)) / 2, nil
	}
	align := line
	for item%align != 0 || layout.Stride%int64(align) != 0 {
		align /= 2
	}
	return layout.Expected(line, align)
}

// Term is a coefficient and its factor.
type Term struct {
	Symbol string // name of the coefficient, part of a parameter's name
	Column string // its factor
	per    string // unit of the coefficient after "s", with N for the unit of n: "/N^2"
	of     func(*Features) float64
}

// Unit returns the unit of the coefficient, for points of the experiment.
func (t Term) Unit(e Experiment) string {
	n := "B"
	if e == Array {
		n = "access"
	}
	unit := "s"
	for _, c := range t.per {
		if c == 'N' {
			unit += n
		} else {
			unit += string(c)
		}
	}
	return unit
}

var (
	alpha  = Term{"alpha", "1", "", func(*Features) float64 { return 1 }}
	beta   = Term{"beta", "n", "/N", func(f *Features) float64 { return f.N }}
	beta2  = Term{"beta2", "n^2", "/N^2", func(f *Features) float64 { return f.N * f.N }}
	beta3  = Term{"beta3", "n^3", "/N^3", func(f *Features) float64 { return f.N * f.N * f.N }}
	gamma  = Term{"gamma", "MLT", "/line", func(f *Features) float64 { return f.MLT }}
	gamma2 = Term{"gamma2", "MLT^2", "/line^2", func(f *Features) float64 { return f.MLT * f.MLT }}
	cross  = Term{"cross", "n MLT", "/(N line)", func(f *Features) float64 { return f.N * f.MLT }}
	gammax = Term{"gamma", "MLT_exact", "/line", func(f *Features) float64 { return f.Exact }}
	pi     = Term{"pi", "pages", "/page", func(f *Features) float64 { return f.Pages }}
	rho    = Term{"rho", "runs", "/run", func(f *Features) float64 { return f.Runs }}
	lambda = Term{"lambda", "beyond", "/B", func(f *Features) float64 { return f.Space }} // see Model.At
	delta  = Term{"delta", "ops", "/op", func(f *Features) float64 { return f.Ops }}
)

// Operations is the term of arithmetic operations. All models have it if operations vary.
var Operations = delta

// Of returns the factor of the coefficient.
func (t Term) Of(f *Features) float64 { return t.of(f) }

// Model is a linear model of times.
type Model struct {
	Name   string
	Terms  []Term
	Layout bool // needs the layout of the block
	Cached bool // depends on a capacity: see At
}

// Capacity is the name of the parameter C, in bytes, of models that are Cached.
const Capacity = "C"

// At returns the model for a capacity: lambda then counts only the bytes beyond it. In All, the capacity is 0.
func (m Model) At(capacity unit.Bytes) Model {
	if !m.Cached {
		return m
	}
	m.Terms = slices.Clone(m.Terms)
	for i := range m.Terms {
		if m.Terms[i].Symbol == lambda.Symbol {
			m.Terms[i].of = func(f *Features) float64 { return max(0, f.Space-float64(capacity)) }
		}
	}
	return m
}

// All are the models, in the order of reports. Gains are relative to the first one.
var All = []Model{
	{"S1", []Term{alpha, beta}, false, false},
	{"S2", []Term{alpha, beta, beta2}, false, false},
	{"S3", []Term{alpha, beta, beta2, beta3}, false, false},
	{"M1", []Term{alpha, beta, gamma}, true, false},
	{"M2", []Term{alpha, beta, gamma, cross}, true, false},
	{"M3", []Term{alpha, beta, gamma, cross, beta2, gamma2}, true, false},
	{"M1x", []Term{alpha, beta, gammax}, true, false},
	{"page", []Term{alpha, beta, gammax, pi}, true, false},
	{"level", []Term{alpha, beta, gammax, rho, lambda}, true, true},
}

// Equation returns the model as an equation.
func (m *Model) Equation() string {
	text := "t ="
	for i, t := range m.Terms {
		if i > 0 {
			text += " +"
		}
		if text += " " + t.Symbol; t.Column != "1" {
			text += " " + t.Column
		}
	}
	return text
}

// Row returns the factors of the coefficients for a point.
func (m *Model) Row(f *Features) []float64 {
	row := make([]float64, len(m.Terms))
	for j, t := range m.Terms {
		row[j] = t.of(f)
	}
	return row
}

// Predict returns the time of a point with features f. coef are the coefficients in the order of terms.
func (m *Model) Predict(coef []float64, f *Features) (unit.Seconds, error) {
	if len(coef) != len(m.Terms) {
		return 0, fmt.Errorf("model %s has %d coefficients, not %d", m.Name, len(m.Terms), len(coef))
	}
	sum := 0.0
	for j, x := range m.Row(f) {
		sum += coef[j] * x
	}
	return unit.Seconds(sum), nil
}

// Method is a method of fitting.
type Method struct {
	Name     string
	Suffix   string // suffix of parameter names
	Relative bool   // minimizes relative errors, and has no negative coefficients
}

// Methods lists all methods.
var Methods = []Method{{"least squares", "", false}, {"relative non-negative", "_rel", true}}

// SizesText returns the part of a parameter's method that has the sizes of lines and pages.
func SizesText(line, page unit.Bytes) string {
	return fmt.Sprintf("lines of %v, pages of %v; ", line, page)
}

// SizesOf parses the text of SizesText in the method of a parameter.
func SizesOf(method string) (line, page unit.Bytes, known bool) {
	_, text, found := strings.Cut(method, "lines of ")
	first, text, found1 := strings.Cut(text, ", pages of ")
	second, _, found2 := strings.Cut(text, "; ")
	line, err1 := unit.ParseBytes(first)
	page, err2 := unit.ParseBytes(second)
	return line, page, found && found1 && found2 && err1 == nil && err2 == nil
}
