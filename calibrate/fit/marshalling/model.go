// Package marshalling fits the models of [hur1999] to the times of messages, scans and array statements, and ours beside them.
//
// A message costs alpha + beta n + f(MLT), with n its bytes and MLT the memory lines that are touched when it is
// packed: models S1, S2 and S3 know n alone, M1, M2 and M3 know MLT as well [hur1999, Table 1], as the paper finds
// it from bounds; M1x has MLT exactly, from the address that the block has, and the model page also the
// memory pages; level knows lines, the pieces that are copied one by one, and the bytes beyond a capacity C, which the
// points tell, that lie in a farther level of memory. A term for arithmetic operations is added where points differ in them [hur1999, sec. 5].
//
// Each model is fitted twice: by least squares, as there, in which large messages decide, and by
// non-negative least squares of relative errors. Both are judged by points that they were not fitted to.
package marshalling

import (
	"fmt"
	"slices"
	"strings"

	"spoor/analyze/marshal"
	"spoor/calibrate/fit/timing"
	"spoor/traces/unit"
)

// Features are what models know of a point.
type Features struct {
	N     float64 // bytes; of array statements, loads and stores
	MLT   float64 // memory lines touched, as [hur1999] finds them; 0 if no layout is known
	Exact float64 // memory lines touched
	Pages float64 // memory pages touched
	Runs  float64 // pieces that are copied one by one: rows of the block
	Space float64 // bytes of all lines touched, those of the packed block among them
	Ops   float64 // arithmetic operations
}

// Of finds the features of a point, for lines and pages of the given sizes.
func Of(p *timing.Point, line, page unit.Bytes) (f Features, err error) {
	f.N, f.Ops = float64(p.Bytes), float64(p.Ops)
	if p.Experiment == timing.Array {
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
	if f.Space = f.Exact * float64(line); p.Experiment != timing.Array {
		f.Space += f.N
	}
	f.MLT, err = paperMLT(p.Item, layout, line)
	f.MLT *= blocks
	return f, err
}

// paperMLT is the mean of the bounds of [hur1999, eqs. 3-4, thm. 2], for a base that is not known.
//
// Differs: the paper takes the mean for rows, and does not say what it takes for columns. Where theorem
// 2 has no bounds, because rows of the block share lines, it is the mean over all bases that are multiples of an item.
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

// Term is a coefficient and what it is multiplied by.
type Term struct {
	Symbol string // of the coefficient, as part of a parameter's name
	Column string // what it is multiplied by
	per    string // of what the coefficient is a time, with N for the unit of n: "/N^2"
	of     func(*Features) float64
}

// Unit is that of the coefficient, for points of the experiment.
func (t Term) Unit(e timing.Experiment) string {
	n := "B"
	if e == timing.Array {
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

// Operations is the term of arithmetic operations, which all models have where points differ in them.
var Operations = delta

// Of is what the coefficient is multiplied by.
func (t Term) Of(f *Features) float64 { return t.of(f) }

// Model is a law of time.
type Model struct {
	Name   string
	Terms  []Term
	Layout bool // needs to know where the block lies
	Cached bool // is a law only for a capacity: see At
}

// Capacity is what the parameter is called that is no coefficient, in bytes, of models that are Cached.
const Capacity = "C"

// At is the law for a capacity of what is near the processors: what is touched beyond that comes from farther away. Before,
// nothing is near.
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

// All are the models, in the order of reports. The first one is what others are compared with.
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

// Equation is the law as people write it.
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

// Row is what the coefficients are multiplied by.
func (m *Model) Row(f *Features) []float64 {
	row := make([]float64, len(m.Terms))
	for j, t := range m.Terms {
		row[j] = t.of(f)
	}
	return row
}

// Predict is the time of a point with features f if the coefficients, in the order of terms, are coef.
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

// withOps is the model with a term for arithmetic operations.
func (m Model) withOps() Model {
	m.Terms = append(m.Terms[:len(m.Terms):len(m.Terms)], delta)
	return m
}

// SizesText says in the method of a parameter what lines and pages a model was fitted with.
func SizesText(line, page unit.Bytes) string {
	return fmt.Sprintf("lines of %v, pages of %v; ", line, page)
}

// SizesOf finds what SizesText has said in the method of a parameter.
func SizesOf(method string) (line, page unit.Bytes, known bool) {
	_, text, found := strings.Cut(method, "lines of ")
	first, text, found1 := strings.Cut(text, ", pages of ")
	second, _, found2 := strings.Cut(text, "; ")
	line, err1 := unit.ParseBytes(first)
	page, err2 := unit.ParseBytes(second)
	return line, page, found && found1 && found2 && err1 == nil && err2 == nil
}

func (m *Model) columns() (names []string) {
	for _, t := range m.Terms {
		names = append(names, t.Column)
	}
	return names
}
