// Package scaling extrapolates what was measured of a few small runs to numbers of processors and sizes of problems that were never
// traced, so that models reach them.
//
// Every quantity is fitted by itself, in the normal form of performance models
//
//	y = a + b p^i log2(p)^j s^k log2(s)^l
//
// of the number of processors p and the size s of the problem, with exponents of a short list [calotoiu2013]. Of
// all forms, the simplest is taken whose predictions of each run from the others are about the best. A
// value comes with an interval, with how far beyond the runs it is, and with how well the same would have predicted the
// largest runs from the smaller ones: see [Quantity].
//
// [calotoiu2013] A. Calotoiu, T. Hoefler, M. Poke, F. Wolf: Using automated performance modeling to find scalability bugs in
// complex codes. SC 2013.
package scaling

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Point is where something was measured, or is to be predicted.
type Point struct {
	Processors float64
	Size       float64 // of the problem, in whatever its program counts; 1 if it does not vary
}

// Observation is one value that was measured.
type Observation struct {
	Point
	Value float64
}

// MinPoints is how many different points a fit needs: one more than a form of two coefficients and its check.
const MinPoints = 4

// Quantity is a value beyond what was measured.
type Quantity struct {
	Name, Unit string
	Value      float64
	Lo, Hi     float64 // 95 % for the errors of the fit, widened to what other good forms say and to Left
	Form       string
	Error      float64 // root mean square of the errors at each point, predicted from the others, as a share
	// Left is the error, as a share, with which the runs of the largest size, or of most processors where sizes are alike, are
	// predicted from the others; NaN if these are too few. Held says that the interval of that prediction held the measured value.
	Left float64
	Held bool
	N    int
}

// Extrapolate predicts at a point from observations.
func Extrapolate(all []Observation, at Point) (Quantity, error) {
	l, err := learn(all)
	if err != nil {
		return Quantity{}, err
	}
	return l.predict(at)
}

// learned is what observations teach.
type learned struct {
	n     int
	fits  []fitted
	least float64 // what is never measured below 0 is not there either
	left  float64 // see [Quantity]
	held  bool
}

// learn fits all forms, and predicts the largest runs from the smaller ones.
func learn(all []Observation) (*learned, error) {
	l := &learned{n: len(all), left: math.NaN()}
	for _, o := range all {
		if !(o.Processors >= 1 && o.Size >= 1) || math.IsNaN(o.Value) || math.IsInf(o.Value+o.Processors+o.Size, 0) {
			return nil, fmt.Errorf("%v at %v processors and size %v is no measurement", o.Value, o.Processors, o.Size)
		}
		if o.Value < 0 {
			l.least = math.Inf(-1)
		}
	}
	if n := points(all); n < MinPoints-1 {
		return nil, fmt.Errorf("%d different runs are too few; %d are needed", n, MinPoints)
	}
	l.fits = fitAll(all)
	less, largest := split(all)
	if points(less) < MinPoints-1 {
		return l, nil
	}
	smaller, err := learn(less)
	if err != nil {
		return nil, err
	}
	l.held = true
	for _, o := range largest {
		p, err := smaller.predict(o.Point)
		if err != nil {
			l.left = math.NaN()
			return l, nil
		}
		e := p.Value/o.Value - 1
		if o.Value == p.Value {
			e = 0
		}
		if math.IsNaN(l.left) || math.Abs(e) > math.Abs(l.left) {
			l.left = e
		}
		l.held = l.held && p.Lo <= o.Value && o.Value <= p.Hi
	}
	return l, nil
}

// split leaves out the observations of the largest size, or of most processors.
func split(all []Observation) (less, largest []Observation) {
	of := func(o Observation) float64 { return o.Size }
	if most, least := extremes(all, of); most == least {
		of = func(o Observation) float64 { return o.Processors }
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

func extremes(all []Observation, of func(Observation) float64) (most, least float64) {
	most, least = of(all[0]), of(all[0])
	for _, o := range all {
		most, least = max(most, of(o)), min(least, of(o))
	}
	return most, least
}

// points is how many different ones there are.
func points(all []Observation) int {
	seen := map[Point]bool{}
	for _, o := range all {
		seen[o.Point] = true
	}
	return len(seen)
}

// good is how many times the error of the best form another one may have whose prediction the interval covers.
const good = 2

// floor is an error that is none: rounding of what was measured.
const floor = 1e-9

// predict takes the simplest of the forms that are about the best.
func (l *learned) predict(at Point) (Quantity, error) {
	fits := slices.DeleteFunc(slices.Clone(l.fits), func(f fitted) bool {
		v := f.at(at)
		return !(v >= l.least) || math.IsInf(v, 0)
	})
	if len(fits) == 0 {
		return Quantity{}, fmt.Errorf("no form fits %d runs", l.n)
	}
	best := slices.MinFunc(fits, func(a, b fitted) int { return cmp.Compare(a.left, b.left) })
	enough := best.left*1.1 + floor
	chosen := fits[slices.IndexFunc(fits, func(f fitted) bool { return f.left <= enough })]
	value, half := chosen.at(at), chosen.half(at)
	q := Quantity{Value: value, Lo: value - half, Hi: value + half, Form: (&chosen).String(), Error: chosen.left, Left: l.left, Held: l.held, N: l.n}
	for _, f := range fits {
		if f.left <= good*best.left+floor {
			v := f.at(at)
			q.Lo, q.Hi = min(q.Lo, v), max(q.Hi, v)
		}
	}
	if wide := math.Abs(l.left * value); wide > 0 && !math.IsInf(wide, 0) {
		q.Lo, q.Hi = min(q.Lo, value-wide), max(q.Hi, value+wide)
	}
	q.Lo = max(q.Lo, l.least)
	return q, nil
}
