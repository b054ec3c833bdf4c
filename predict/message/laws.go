package message

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"spoor/calibrate/fit/marshalling"
	"spoor/calibrate/fit/timing"
	"spoor/calibrate/param"
	"spoor/predict/model"
	"spoor/traces/unit"
)

// Options says which parameters are taken.
type Options struct {
	State   string // of the machine, part of the names of parameters; empty: the names have none
	Printed bool   // as the paper prints it
	// Line and Page are sizes of memory lines and pages; 0: those that the parameters say.
	Line, Page unit.Bytes
	// Residuals are relative errors of the models at times that they were not fitted to; none: not known.
	Residuals []Residual
}

// Residual is how far off a model was at one point: the measured time over the predicted one, less 1.
type Residual struct {
	Experiment           timing.Experiment
	State, Model, Method string
	Bytes                int64
	Error                float64
}

// Laws are what one model says of messages, statements and scans.
type Laws struct {
	Model      marshalling.Model
	Printed    bool
	Line, Page unit.Bytes
	of         map[timing.Experiment]*law
}

// law is a model with coefficients.
type law struct {
	terms      []marshalling.Term
	params     []param.Param
	low, high  float64 // relative errors within which 95 % of the measured times are
	judged     int     // by so many points; 0: low and high are not known
	mostJudged int64   // bytes
	instead    string  // of which model it is, if that is another one
}

// experiments are those of which there are laws. The first one has to be there.
var experiments = []timing.Experiment{timing.Transfer, timing.Array, timing.Scan}

// defaults of sizes that nobody says.
const (
	defaultLine = unit.Bytes(64)
	defaultPage = unit.Bytes(4096)
)

// Models lists those of marshalling.All that the parameters have coefficients of.
func Models(set *param.Set, o Options) (out []string) {
	for _, m := range marshalling.All {
		if _, err := newLaw(set, timing.Transfer, m, o); err == nil {
			out = append(out, m.Name)
		}
	}
	return out
}

// New takes the coefficients of a model from a set of parameters. Statements on arrays are of model S1 where they have no
// coefficients of the model: those on contiguous blocks alone cannot tell lines from loads and stores.
func New(set *param.Set, name string, o Options) (*Laws, error) {
	i := slices.IndexFunc(marshalling.All, func(m marshalling.Model) bool { return m.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no model %q; there are %s", name, strings.Join(names(marshalling.All, func(m marshalling.Model) string { return m.Name }), ", "))
	}
	l := &Laws{Model: marshalling.All[i], Printed: o.Printed, of: map[timing.Experiment]*law{}}
	for _, e := range experiments {
		one, err := newLaw(set, e, l.Model, o)
		if err == nil {
			l.of[e] = one
			continue
		}
		var missing *missing
		if e == timing.Transfer || !errors.As(err, &missing) {
			return nil, missingHint(set, err)
		}
		if one, err := newLaw(set, e, marshalling.All[0], o); err == nil && e == timing.Array {
			one.instead = marshalling.All[0].Name
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

// missing is that there is no such parameter.
type missing struct {
	name string
	e    timing.Experiment
}

func (m *missing) Error() string {
	return fmt.Sprintf("parameter %s is missing; calibrate fit makes it of a table of times of experiment %s", m.name, m.e)
}

// missingHint says which states there are, if the parameter has one.
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
		return fmt.Errorf("parameter %s is known of the states %s alone; choose one", m.name, strings.Join(states, ", "))
	}
	return err
}

// newLaw takes the coefficients of one experiment: those of relative errors, and if there are none or all is to be as
// printed, those of least squares.
func newLaw(set *param.Set, e timing.Experiment, m marshalling.Model, o Options) (*law, error) {
	if !o.Printed {
		if l, err := fittedLaw(set, e, m, marshalling.Methods[1], o); err == nil {
			return l, nil
		}
	}
	return fittedLaw(set, e, m, marshalling.Methods[0], o)
}

// fittedLaw takes those that were fitted by one method. That of arithmetic operations may be missing: it is there if the
// points that were fitted differed in them.
func fittedLaw(set *param.Set, e timing.Experiment, m marshalling.Model, method marshalling.Method, o Options) (*law, error) {
	l := &law{}
	if m.Cached {
		name := parameterName(e, m, marshalling.Term{Symbol: marshalling.Capacity}, method, o.State)
		if _, known := set.Lookup(name); !known {
			return nil, &missing{name, e}
		}
		c, err := set.Get(name, "B")
		if err != nil {
			return nil, err
		}
		m = m.At(unit.Bytes(c.Value))
	}
	for _, t := range append(slices.Clone(m.Terms), marshalling.Operations) {
		name := parameterName(e, m, t, method, o.State)
		p, known := set.Lookup(name)
		switch {
		case !known && t.Symbol == marshalling.Operations.Symbol:
			continue
		case !known:
			return nil, &missing{name, e}
		}
		if _, err := set.Get(name, t.Unit(e)); err != nil {
			return nil, err
		}
		l.terms, l.params = append(l.terms, t), append(l.params, p)
	}
	l.judge(e, m, method, o)
	return l, nil
}

func parameterName(e timing.Experiment, m marshalling.Model, t marshalling.Term, method marshalling.Method, state string) string {
	name := m.Name + "_" + t.Symbol + method.Suffix
	if e != timing.Transfer {
		name = string(e) + "_" + name
	}
	if state != "" {
		name += "-" + state
	}
	return name
}

// fewest is how many points there must be for an interval of 95 %.
const fewest = 20

// judge finds how far off the law was.
func (l *law) judge(e timing.Experiment, m marshalling.Model, method marshalling.Method, o Options) {
	var all []float64
	for _, r := range o.Residuals {
		if r.Experiment == e && r.Model == m.Name && r.Method == method.Name && (r.State == o.State || o.State == "") {
			all = append(all, r.Error)
			l.mostJudged = max(l.mostJudged, r.Bytes)
		}
	}
	if l.judged = len(all); l.judged < fewest {
		l.judged = 0
		return
	}
	slices.Sort(all)
	n := float64(len(all) - 1)
	l.low, l.high = min(0, all[int(math.Floor(0.025*n))]), max(0, all[int(math.Ceil(0.975*n))])
}

// sizes takes the sizes of lines and pages from the parameters, which say what they were fitted with.
func (l *Laws) sizes(o Options) error {
	l.Line, l.Page = o.Line, o.Page
	for _, e := range experiments {
		if l.of[e] == nil {
			continue
		}
		line, page, known := marshalling.SizesOf(l.of[e].params[0].Method)
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
		return fmt.Errorf("lines of %v and pages of %v; both must be powers of two", l.Line, l.Page)
	}
	return nil
}

// Terms are the coefficients in the paper's symbols.
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
