package message

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"spoor/calibrate/packing"
	"spoor/predict/internal/model"
	"spoor/traces/unit"
)

// Prediction is the time of an operation by one model. The zero Prediction is invalid: see Check.
type Prediction struct {
	Name     string
	Model    string
	Time     unit.Seconds
	Lo, Hi   unit.Seconds // NaN if coefficients and errors have no intervals
	Covers   string       // the uncertainties that Lo and Hi include
	Messages float64
	Bytes    float64      // bytes of the messages
	Lines    float64      // lines touched by messages, as the model counts them, or 0
	Fixed    unit.Seconds // the part of Time that does not depend on size: alpha of each message
	Terms    []model.Term
	Limit    string // the largest term
	Warnings []error
}

// Check returns an error if p is invalid.
func (p Prediction) Check() error {
	switch {
	case p.Model == "" || p.Limit == "":
		return errors.New("the prediction is empty")
	case !(p.Time > 0) || math.IsInf(float64(p.Time), 0):
		return fmt.Errorf("the time of %s by model %[3]s is %[2]v s, not positive: least squares can give negative coefficients, relative errors (*_rel) cannot", p.Name, float64(p.Time), p.Model)
	case !math.IsNaN(float64(p.Lo)) && !(p.Lo <= p.Time && p.Time <= p.Hi):
		return fmt.Errorf("%s: %v is outside %v to %v", p.Name, p.Time, p.Lo, p.Hi)
	}
	return nil
}

// sum is the sum of steps under one law: for every term, the factor of its coefficient.
type sum struct {
	by   []float64
	most int64 // bytes of the largest message
}

// estimate adds up steps.
type estimate struct {
	laws *Laws
	sums map[packing.Experiment]*sum
	p    Prediction
}

func newEstimate(l *Laws, name string) *estimate {
	return &estimate{l, map[packing.Experiment]*sum{}, Prediction{Name: name, Model: l.Model.Name}}
}

// add adds a step with the given features a number of times.
func (e *estimate) add(kind packing.Experiment, times float64, f *packing.Features, bytes int64) error {
	law := e.laws.of[kind]
	if law == nil {
		return &missing{parameterName(kind, e.laws.Model, e.laws.Model.Terms[0], packing.Methods[0], ""), kind}
	}
	s := e.sums[kind]
	if s == nil {
		s = &sum{by: make([]float64, len(law.terms))}
		e.sums[kind] = s
	}
	for i, t := range law.terms {
		s.by[i] += times * t.Of(f)
	}
	s.most = max(s.most, bytes)
	if kind == packing.Transfer {
		e.p.Messages += times
		e.p.Bytes += times * f.N
		e.p.Lines += times * e.laws.lines(f)
	}
	return nil
}

// lines returns the lines that the model counts.
func (l *Laws) lines(f *packing.Features) float64 {
	switch {
	case !l.Model.Layout:
		return 0
	case slices.ContainsFunc(l.Model.Terms, func(t packing.Term) bool { return t.Column == "MLT" }):
		return f.MLT
	}
	return f.Exact
}

// Predict returns the time of an operation.
func (l *Laws) Predict(o Operation, c Case) (Prediction, error) {
	c.Printed = l.Printed
	steps, err := o.Steps(c)
	if err != nil {
		return Prediction{}, err
	}
	e := newEstimate(l, o.Name)
	for i := range steps {
		s := &steps[i]
		f, err := s.features(l)
		if err != nil {
			return Prediction{}, fmt.Errorf("%s: %w", o.Name, err)
		}
		if err := e.add(s.Kind, s.Times, &f, s.bytes()); err != nil {
			return Prediction{}, fmt.Errorf("%s: %w", o.Name, err)
		}
	}
	return e.prediction()
}

// prediction returns the sum of the steps. Each coefficient varies independently over its interval. The errors
// of a law have the same sign for all steps, so they do not cancel.
func (e *estimate) prediction() (Prediction, error) {
	p := &e.p
	var below, above, known, judged float64 // known, judged: shares of the time
	most := 0.0
	for _, kind := range experiments {
		s, law := e.sums[kind], e.laws.of[kind]
		if s == nil {
			continue
		}
		part := 0.0
		for i, t := range law.terms {
			c := law.params[i]
			time := c.Value * s.by[i]
			part += time
			if t.Symbol == "alpha" && kind == packing.Transfer {
				p.Fixed += unit.Seconds(time)
			}
			p.Terms = append(p.Terms, model.Term{Symbol: t.Symbol + " " + t.Column, Value: time, Unit: "s", What: "of " + string(kind)})
			if c.HasInterval() {
				below += square((c.Value - c.Lo) * s.by[i])
				above += square((c.Hi - c.Value) * s.by[i])
				known = 1
			}
			if math.Abs(time) > most || p.Limit == "" {
				most, p.Limit = math.Abs(time), t.Symbol+" of "+string(kind)
			}
		}
		p.Time += unit.Seconds(part)
		if law.points > 0 {
			below += square(law.low * part)
			above += square(law.high * part)
			judged = 1
		}
		e.warnings(kind, law, s)
	}
	e.interval(math.Sqrt(below), math.Sqrt(above), known > 0, judged > 0)
	return *p, p.Check()
}

func square(x float64) float64 { return x * x }

func (e *estimate) interval(below, above float64, known, judged bool) {
	p := &e.p
	p.Lo, p.Hi = max(0, p.Time-unit.Seconds(below)), p.Time+unit.Seconds(above)
	switch {
	case known && judged:
		p.Covers = "the intervals of the coefficients, one at a time, and 95 % of the model's errors at times held out from its fit"
	case known:
		p.Covers = "the intervals of the coefficients, one at a time; the model's error is not known"
	case judged:
		p.Covers = "95 % of the model's errors at times held out from its fit"
	default:
		p.Covers = "nothing: no coefficient has an interval"
		p.Lo, p.Hi = unit.Seconds(math.NaN()), unit.Seconds(math.NaN())
	}
}

// warnings adds what makes a law doubtful for the steps.
func (e *estimate) warnings(kind packing.Experiment, l *law, s *sum) {
	warn := func(format string, args ...any) { e.p.Warnings = append(e.p.Warnings, fmt.Errorf(format, args...)) }
	if l.substitute != "" {
		warn("%s: model %s has no coefficients, so those of %s are used", kind, e.p.Model, l.substitute)
	}
	if l.largest > 0 && s.most > l.largest {
		warn("%s: sizes up to %v are predicted, but the largest measured one is %v", kind, unit.Bytes(s.most), unit.Bytes(l.largest))
	}
	for i, t := range l.terms {
		if c := l.params[i]; c.Value < 0 {
			warn("%s: %s is negative, %.4g %s", kind, c.Name, c.Value, c.Unit)
		} else if c.HasInterval() && c.Lo <= 0 && c.Hi > 0 && t.Symbol != "alpha" && s.by[i] != 0 {
			warn("%s: %s may be 0: its interval is %.3g to %.3g %s", kind, c.Name, c.Lo, c.Hi, c.Unit)
		}
	}
}

// Warnings returns the warnings of all predictions, each once, in order.
func Warnings(all []Prediction) (out []error) {
	for _, p := range all {
		out = append(out, p.Warnings...)
	}
	return Distinct(out)
}

// Distinct returns every warning once.
func Distinct(all []error) (out []error) {
	seen := map[string]bool{}
	for _, w := range all {
		if !seen[w.Error()] {
			seen[w.Error()] = true
			out = append(out, w)
		}
	}
	return out
}

// Crossover is the point at which one operation becomes faster than another.
type Crossover struct {
	Case   Case
	Model  string
	D      int64   // least d from which the second is faster, up to the largest tried; 0: none
	Before float64 // time of the first over that of the second, at d-1; NaN for the least d
	At     float64 // the same at d, or at the largest d without a crossover
	// Sure is the least d from which the second is faster for all times within their intervals; 0: none.
	Sure     int64
	Warnings []error // what makes the result doubtful
}

// Cross returns the least d from which, up to most, second takes less time than first.
func (l *Laws) Cross(first, second Operation, c Case, least, most int64) (Crossover, error) {
	if least < 1 || most < least || most-least > 1<<12 {
		return Crossover{}, fmt.Errorf("cannot search a crossover from d = %d to %d: it must begin at 1 or more and have at most 4096 steps", least, most)
	}
	x := Crossover{Case: c, Model: l.Model.Name, Before: math.NaN(), At: math.NaN()}
	above := math.NaN() // ratio at d+1
	var all []Prediction
	for d := most; d >= least; d-- {
		c.D = d
		a, err := l.Predict(first, c)
		if err != nil {
			return Crossover{}, err
		}
		b, err := l.Predict(second, c)
		if err != nil {
			return Crossover{}, err
		}
		all = append(all, a, b)
		ratio := float64(a.Time / b.Time)
		if math.IsNaN(above) {
			x.At = ratio
		}
		if ratio <= 1 {
			x.Before = ratio
			break
		}
		x.D, x.At, above = d, ratio, ratio
		if (x.Sure == d+1 || d == most) && a.Lo > b.Hi {
			x.Sure = d
		}
	}
	x.Warnings = Warnings(all)
	return x, nil
}
