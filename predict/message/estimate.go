package message

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"spoor/calibrate/fit/marshalling"
	"spoor/calibrate/fit/timing"
	"spoor/predict/model"
	"spoor/traces/unit"
)

// Prediction is the time of something by one model. The zero Prediction is none: see Check.
type Prediction struct {
	Name     string
	Model    string
	Time     unit.Seconds
	Lo, Hi   unit.Seconds // not a number if nothing is known of coefficients and errors
	Covers   string       // what Lo and Hi cover
	Messages float64
	Bytes    float64      // of messages
	Lines    float64      // touched by messages, as the model counts them; 0 if it does not
	Fixed    unit.Seconds // of Time, what messages take however long they are: alpha of each
	Terms    []model.Term
	Limit    string // the largest term
	Warnings []error
}

// Check says why p is no answer.
func (p Prediction) Check() error {
	switch {
	case p.Model == "" || p.Limit == "":
		return errors.New("an empty prediction")
	case !(p.Time > 0) || math.IsInf(float64(p.Time), 0):
		return fmt.Errorf("%s takes %v s by model %s, which is no time: coefficients of least squares can be negative, those of relative errors (*_rel) cannot", p.Name, float64(p.Time), p.Model)
	case !math.IsNaN(float64(p.Lo)) && !(p.Lo <= p.Time && p.Time <= p.Hi):
		return fmt.Errorf("%s: %v is outside %v to %v", p.Name, p.Time, p.Lo, p.Hi)
	}
	return nil
}

// sum is what steps amount to, under one law: of every term, what its coefficient is multiplied by.
type sum struct {
	by   []float64
	most int64 // bytes of the largest
}

// estimate adds up steps.
type estimate struct {
	laws *Laws
	sums map[timing.Experiment]*sum
	p    Prediction
}

func newEstimate(l *Laws, name string) *estimate {
	return &estimate{l, map[timing.Experiment]*sum{}, Prediction{Name: name, Model: l.Model.Name}}
}

// add adds so many times what has the features.
func (e *estimate) add(kind timing.Experiment, times float64, f *marshalling.Features, bytes int64) error {
	law := e.laws.of[kind]
	if law == nil {
		return &missing{parameterName(kind, e.laws.Model, e.laws.Model.Terms[0], marshalling.Methods[0], ""), kind}
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
	if kind == timing.Transfer {
		e.p.Messages += times
		e.p.Bytes += times * f.N
		e.p.Lines += times * e.laws.lines(f)
	}
	return nil
}

// lines are those that the model knows of.
func (l *Laws) lines(f *marshalling.Features) float64 {
	switch {
	case !l.Model.Layout:
		return 0
	case slices.ContainsFunc(l.Model.Terms, func(t marshalling.Term) bool { return t.Column == "MLT" }):
		return f.MLT
	}
	return f.Exact
}

// Predict is the time of an operation.
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

// prediction is what has been added up. Coefficients vary by their intervals, each for itself; the errors of a law
// are taken to have one sign for all that it is asked, so that they do not cancel.
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
			if t.Symbol == "alpha" && kind == timing.Transfer {
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
		if law.judged > 0 {
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
		p.Covers = "coefficients by their intervals, each for itself, and 95 % of the errors of the model at times that it was not fitted to"
	case known:
		p.Covers = "coefficients by their intervals, each for itself; how far the model is off is not known"
	case judged:
		p.Covers = "95 % of the errors of the model at times that it was not fitted to"
	default:
		p.Covers = "nothing: no coefficient has an interval"
		p.Lo, p.Hi = unit.Seconds(math.NaN()), unit.Seconds(math.NaN())
	}
}

// warnings says what speaks against believing a law.
func (e *estimate) warnings(kind timing.Experiment, l *law, s *sum) {
	warn := func(format string, args ...any) { e.p.Warnings = append(e.p.Warnings, fmt.Errorf(format, args...)) }
	if l.instead != "" {
		warn("%s: there are no coefficients of model %s, and those of %s stand in for them", kind, e.p.Model, l.instead)
	}
	if l.mostJudged > 0 && s.most > l.mostJudged {
		warn("%s: up to %v is asked for, and %v was the most that was measured", kind, unit.Bytes(s.most), unit.Bytes(l.mostJudged))
	}
	for i, t := range l.terms {
		if c := l.params[i]; c.Value < 0 {
			warn("%s: %s is negative, %.4g %s", kind, c.Name, c.Value, c.Unit)
		} else if c.HasInterval() && c.Lo <= 0 && c.Hi > 0 && t.Symbol != "alpha" && s.by[i] != 0 {
			warn("%s: %s may be 0: its interval is from %.3g to %.3g %s", kind, c.Name, c.Lo, c.Hi, c.Unit)
		}
	}
}

// Warnings are those of all predictions, each once, in the order in which they come.
func Warnings(all []Prediction) (out []error) {
	for _, p := range all {
		out = append(out, p.Warnings...)
	}
	return Distinct(out)
}

// Distinct is every warning once.
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

// Crossover is where one operation begins to be faster than another.
type Crossover struct {
	Case   Case
	Model  string
	D      int64   // least d from which on the second is faster, up to the largest that was tried; 0: there is none
	Before float64 // time of the first over that of the second, at d-1; not a number for the least d
	At     float64 // and at d; without a crossover, at the largest d
	// Sure is the least d from which on the second is faster whatever times are within their intervals; 0: there is none.
	Sure     int64
	Warnings []error // what makes the result doubtful
}

// Cross looks for the least d from which on, up to most, second takes less time than first.
func (l *Laws) Cross(first, second Operation, c Case, least, most int64) (Crossover, error) {
	if least < 1 || most < least || most-least > 1<<12 {
		return Crossover{}, fmt.Errorf("a crossover is looked for from d = %d to %d: from 1 on, and at most 4096 of them", least, most)
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
