package message

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"spoor/calibrate/packing"
	"spoor/calibrate/param"
	"spoor/predict/internal/model"
	"spoor/traces/lookup"
	"spoor/traces/unit"
)

// Options selects parameters.
type Options struct {
	State   string // state of the machine, a part of parameter names; empty: none
	Printed bool   // use the equations as printed
	// Line and Page are sizes of memory lines and pages; 0: those of the parameters.
	Line, Page unit.Bytes
	// Residuals are relative errors of the models at times held out from their fits; none: not known.
	Residuals []Residual
}

// Residual is the error of a model at one point: the measured time over the predicted one, minus 1.
type Residual struct {
	Experiment           packing.Experiment
	State, Model, Method string
	Bytes                int64
	Error                float64
}

// Laws are the formulas of one model for messages, statements and scans.
type Laws struct {
	Model      packing.Model
	Printed    bool
	Line, Page unit.Bytes
	of         map[packing.Experiment]*law
}

// law is a formula with coefficients.
type law struct {
	terms      []packing.Term
	params     []param.Param
	low, high  float64 // relative errors that contain 95 % of the measured times
	points     int     // number of points behind low and high; 0: these are not known
	largest    int64   // bytes of the largest of the points
	substitute string  // model of the coefficients, if it is another one
}

// experiments lists the experiments with laws. The first one is required.
var experiments = []packing.Experiment{packing.Transfer, packing.Array, packing.Scan}

// Sizes of lines and pages if none are given.
const (
	defaultLine = unit.Bytes(64)
	defaultPage = unit.Bytes(4096)
)

// Models lists the models of packing.All for which the parameters have coefficients.
func Models(set *param.Set, o Options) (out []string) {
	for _, m := range packing.All {
		if _, err := newLaw(set, packing.Transfer, m, o); err == nil {
			out = append(out, m.Name)
		}
	}
	return out
}

// Names returns the names of all models.
func Names() []string {
	return names(packing.All, func(m packing.Model) string { return m.Name })
}

// HigherOrder reports whether the model of that name has powers or products of its features [hur1999, sec. 4.3].
func HigherOrder(name string) bool { return slices.Contains([]string{"S2", "S3", "M2", "M3"}, name) }

// New takes the coefficients of a model from a set of parameters. Statements on arrays use model S1 if they
// have no coefficients of the model: measurements on contiguous blocks alone cannot separate lines from loads
// and stores.
func New(set *param.Set, name string, o Options) (*Laws, error) {
	i := slices.IndexFunc(packing.All, func(m packing.Model) bool { return m.Name == name })
	if i < 0 {
		return nil, lookup.Unknown("model", name, Names())
	}
	l := &Laws{Model: packing.All[i], Printed: o.Printed, of: map[packing.Experiment]*law{}}
	for _, e := range experiments {
		one, err := newLaw(set, e, l.Model, o)
		if err == nil {
			l.of[e] = one
			continue
		}
		var missing *missing
		if e == packing.Transfer || !errors.As(err, &missing) {
			return nil, missingHint(set, err)
		}
		if one, err := newLaw(set, e, packing.All[0], o); err == nil && e == packing.Array {
			one.substitute = packing.All[0].Name
			l.of[e] = one
		}
	}
	return l, l.sizes(o)
}

func names[T any](all []T, of func(T) string) (out []string) {
	for _, x := range all {
		out = append(out, of(x))
	}
	return out
}

// missing is the error that a parameter does not exist.
type missing struct {
	name string
	e    packing.Experiment
}

func (m *missing) Error() string {
	return fmt.Sprintf("parameter %s is missing; make it with calibrate fit from times of experiment %s", m.name, m.e)
}

// missingHint adds the available states to the error if the parameter has states.
func missingHint(set *param.Set, err error) error {
	var m *missing
	if !errors.As(err, &m) {
		return err
	}
	var states []string
	for _, p := range set.All() {
		if name, state, found := strings.Cut(p.Name, "-"); found && name == m.name {
			states = append(states, state)
		}
	}
	if len(states) > 0 {
		return fmt.Errorf("parameter %s exists only for states %s; choose one with --state", m.name, strings.Join(states, ", "))
	}
	return err
}

// newLaw takes the coefficients of one experiment: those of relative errors if there are any, otherwise those
// of least squares. As printed, it takes those of least squares.
func newLaw(set *param.Set, e packing.Experiment, m packing.Model, o Options) (*law, error) {
	if !o.Printed {
		if l, err := fittedLaw(set, e, m, packing.Methods[1], o); err == nil {
			return l, nil
		}
	}
	return fittedLaw(set, e, m, packing.Methods[0], o)
}

// fittedLaw takes the coefficients of one fit method. The coefficient of arithmetic operations may be missing:
// it exists if the fitted points differ in them.
func fittedLaw(set *param.Set, e packing.Experiment, m packing.Model, method packing.Method, o Options) (*law, error) {
	l := &law{}
	if m.Cached {
		name := parameterName(e, m, packing.Term{Symbol: packing.Capacity}, method, o.State)
		if _, known := set.Lookup(name); !known {
			return nil, &missing{name, e}
		}
		c, err := set.Get(name, "B")
		if err != nil {
			return nil, err
		}
		m = m.At(unit.Bytes(c.Value))
	}
	for _, t := range append(slices.Clone(m.Terms), packing.Operations) {
		name := parameterName(e, m, t, method, o.State)
		p, known := set.Lookup(name)
		switch {
		case !known && t.Symbol == packing.Operations.Symbol:
			continue
		case !known:
			return nil, &missing{name, e}
		}
		if _, err := set.Get(name, t.Unit(e)); err != nil {
			return nil, err
		}
		l.terms, l.params = append(l.terms, t), append(l.params, p)
	}
	l.measureErrors(e, m, method, o)
	return l, nil
}

func parameterName(e packing.Experiment, m packing.Model, t packing.Term, method packing.Method, state string) string {
	name := m.Name + "_" + t.Symbol + method.Suffix
	if e != packing.Transfer {
		name = string(e) + "_" + name
	}
	if state != "" {
		name += "-" + state
	}
	return name
}

// minResiduals is the least number of points for an interval of 95 %.
const minResiduals = 20

// measureErrors sets the errors of the law from the residuals.
func (l *law) measureErrors(e packing.Experiment, m packing.Model, method packing.Method, o Options) {
	var all []float64
	for _, r := range o.Residuals {
		if r.Experiment == e && r.Model == m.Name && r.Method == method.Name && (r.State == o.State || o.State == "") {
			all = append(all, r.Error)
			l.largest = max(l.largest, r.Bytes)
		}
	}
	if l.points = len(all); l.points < minResiduals {
		l.points = 0
		return
	}
	slices.Sort(all)
	n := float64(len(all) - 1)
	l.low, l.high = min(0, all[int(math.Floor(0.025*n))]), max(0, all[int(math.Ceil(0.975*n))])
}

// sizes takes the sizes of lines and pages from the parameters, which record the sizes of their fit.
func (l *Laws) sizes(o Options) error {
	l.Line, l.Page = o.Line, o.Page
	for _, e := range experiments {
		if l.of[e] == nil {
			continue
		}
		line, page, known := packing.SizesOf(l.of[e].params[0].Method)
		if !known {
			continue
		}
		if l.Line != 0 && l.Line != line || l.Page != 0 && l.Page != page {
			return fmt.Errorf("%s was fitted with lines of %v and pages of %v, not %v and %v", l.of[e].params[0].Name, line, page, l.Line, l.Page)
		}
		l.Line, l.Page = line, page
	}
	if l.Line == 0 {
		l.Line = defaultLine
	}
	if l.Page == 0 {
		l.Page = defaultPage
	}
	if !l.Line.IsPowerOfTwo() || !l.Page.IsPowerOfTwo() {
		return fmt.Errorf("lines of %v and pages of %v: both must be powers of two", l.Line, l.Page)
	}
	return nil
}

// Terms returns the coefficients in the paper's symbols.
func (l *Laws) Terms() (out []model.Term) {
	for _, e := range experiments {
		one := l.of[e]
		if one == nil {
			continue
		}
		for i, t := range one.terms {
			out = append(out, model.Term{Symbol: t.Symbol + " of " + string(e), Value: one.params[i].Value, Unit: one.params[i].Unit, What: "for each " + t.Column})
		}
	}
	return out
}
