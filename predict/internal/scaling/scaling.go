// Package scaling extrapolates the parameters of a few small runs to more processors and larger problems than
// were traced, so that models can predict these.
//
// Every quantity is fitted by itself, in the normal form of performance models
//
//	y = a + b p^i log2(p)^j s^k log2(s)^l
//
// of the number of processors p and the size s of the problem, with exponents from a short list
// [calotoiu2013]. Each form predicts each run from the others. Of the forms with nearly the best predictions,
// the simplest is chosen. A value comes with an interval, the distance from the runs, and the error of the
// same method on the largest runs when these are held out: see [Quantity].
package scaling

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Point is a number of processors and a size of the problem.
type Point struct {
	Processors float64
	Size       float64 // size of the problem in units of the program; 1 if it does not vary
}

// observation is one measured value.
type observation struct {
	Point
	Value float64
}

// minPoints is the number of different points that a fit needs: two coefficients, one point for errors, and
// one to hold out.
const minPoints = 4

// Quantity is an extrapolated value.
type Quantity struct {
	Name, Unit string
	Value      float64
	Lo, Hi     float64 // 95 % interval of the fit, widened to other good forms and by HoldoutError
	Form       string
	Error      float64 // RMS relative error of each point when predicted from the others
	// HoldoutError is the relative error of predicting the largest runs from the others: those of the largest
	// size, or of most processors if all sizes are equal. It is NaN if the others are too few.
	// HoldoutInside reports whether the interval of that prediction contains the measured value.
	HoldoutError  float64
	HoldoutInside bool
	N             int
}

// extrapolate predicts a value at a point from observations.
func extrapolate(all []observation, at Point) (Quantity, error) {
	if n := points(all); n < minPoints {
		return Quantity{}, fmt.Errorf("%d different runs are too few; analyze at least %d", n, minPoints)
	}
	l, err := fitModels(all)
	if err != nil {
		return Quantity{}, err
	}
	return l.predict(at)
}

// modelSet is the forms fitted to observations.
type modelSet struct {
	n             int
	fits          []fit
	least         float64 // lower limit: 0 if no measured value is negative
	holdoutError  float64 // see [Quantity]
	holdoutInside bool
}

// fitModels fits all forms, and predicts the largest runs from the smaller ones.
func fitModels(all []observation) (*modelSet, error) {
	l := &modelSet{n: len(all), holdoutError: math.NaN()}
	for _, o := range all {
		if !(o.Processors >= 1 && o.Size >= 1) || math.IsNaN(o.Value) || math.IsInf(o.Value+o.Processors+o.Size, 0) {
			return nil, fmt.Errorf("the value %v at %v processors and size %v is not a valid measurement", o.Value, o.Processors, o.Size)
		}
		if o.Value < 0 {
			l.least = math.Inf(-1)
		}
	}
	l.fits = fitAll(all)
	less, largest := split(all)
	if points(less) < minPoints-1 {
		return l, nil
	}
	smaller, err := fitModels(less)
	if err != nil {
		return nil, err
	}
	l.holdoutInside = true
	for _, o := range largest {
		p, err := smaller.predict(o.Point)
		if err != nil {
			l.holdoutError = math.NaN()
			return l, nil
		}
		e := p.Value/o.Value - 1
		if o.Value == p.Value {
			e = 0
		}
		if math.IsNaN(l.holdoutError) || math.Abs(e) > math.Abs(l.holdoutError) {
			l.holdoutError = e
		}
		l.holdoutInside = l.holdoutInside && p.Lo <= o.Value && o.Value <= p.Hi
	}
	return l, nil
}

// split separates the observations of the largest size, or of most processors if all sizes are equal.
func split(all []observation) (less, largest []observation) {
	of := func(o observation) float64 { return o.Size }
	if most, least := extremes(all, of); most == least {
		of = func(o observation) float64 { return o.Processors }
	}
	most, _ := extremes(all, of)
	for _, o := range all {
		if of(o) == most {
			largest = append(largest, o)
		} else {
			less = append(less, o)
		}
	}
	return less, largest
}

func extremes(all []observation, of func(observation) float64) (most, least float64) {
	most, least = of(all[0]), of(all[0])
	for _, o := range all {
		most, least = max(most, of(o)), min(least, of(o))
	}
	return most, least
}

// points returns the number of different points.
func points(all []observation) int {
	seen := map[Point]bool{}
	for _, o := range all {
		seen[o.Point] = true
	}
	return len(seen)
}

// good is the largest ratio of a form's error to the best form's error at which the interval covers the form's
// prediction.
const good = 2

// floor is the error that counts as none, because measurements are rounded.
const floor = 1e-9

// predict uses the simplest of the forms with nearly the best error.
func (l *modelSet) predict(at Point) (Quantity, error) {
	fits := slices.DeleteFunc(slices.Clone(l.fits), func(f fit) bool {
		v := f.at(at)
		return !(v >= l.least) || math.IsInf(v, 0)
	})
	if len(fits) == 0 {
		return Quantity{}, fmt.Errorf("no form fits %d runs", l.n)
	}
	best := slices.MinFunc(fits, func(a, b fit) int { return cmp.Compare(a.crossError, b.crossError) })
	enough := best.crossError*1.1 + floor
	chosen := fits[slices.IndexFunc(fits, func(f fit) bool { return f.crossError <= enough })]
	value, half := chosen.at(at), chosen.halfWidth(at)
	q := Quantity{Value: value, Lo: value - half, Hi: value + half, Form: (&chosen).String(), Error: chosen.crossError, HoldoutError: l.holdoutError, HoldoutInside: l.holdoutInside, N: l.n}
	for _, f := range fits {
		if f.crossError <= good*best.crossError+floor {
			v := f.at(at)
			q.Lo, q.Hi = min(q.Lo, v), max(q.Hi, v)
		}
	}
	if wide := math.Abs(l.holdoutError * value); wide > 0 && !math.IsInf(wide, 0) {
		q.Lo, q.Hi = min(q.Lo, value-wide), max(q.Hi, value+wide)
	}
	q.Lo = max(q.Lo, l.least)
	return q, nil
}
