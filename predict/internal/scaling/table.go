package scaling

import (
	"fmt"
	"math"

	"spoor/calibrate/param"
	"spoor/traces/store"
)

// Table has a row for each quantity.
func Table(all []Quantity) *store.Table {
	numbers := func(name, unit string, of func(q Quantity) float64) store.Column {
		data := make([]float64, len(all))
		for i, q := range all {
			data[i] = of(q)
		}
		return store.Column{Name: name, Unit: unit, Data: data}
	}
	words := func(name string, of func(q Quantity) string) store.Column {
		data := make([]string, len(all))
		for i, q := range all {
			data[i] = of(q)
		}
		return store.Column{Name: name, Data: data}
	}
	return &store.Table{Name: "scaling", Columns: []store.Column{
		words("parameter", func(q Quantity) string { return q.Name }),
		numbers("value", "", func(q Quantity) float64 { return q.Value }),
		numbers("lo", "", func(q Quantity) float64 { return q.Lo }),
		numbers("hi", "", func(q Quantity) float64 { return q.Hi }),
		words("unit", func(q Quantity) string { return q.Unit }),
		words("form", func(q Quantity) string { return q.Form }),
		numbers("cross", "%", func(q Quantity) float64 { return 100 * q.Error }),
		numbers("left_out", "%", func(q Quantity) float64 { return 100 * q.HoldoutError }),
		words("held", func(q Quantity) string {
			switch {
			case math.IsNaN(q.HoldoutError):
				return "-"
			case q.HoldoutInside:
				return "yes"
			}
			return "no"
		}),
	}}
}

// Warnings returns what makes the extrapolated values doubtful.
func (s *Study) Warnings(all []Quantity, at Point) (list []error) {
	for _, r := range s.Runs {
		list = append(list, param.Warnings(r.Values)...)
	}
	const far = 1.0
	if p, size := s.reach(at); p > far || size > far {
		list = append(list, fmt.Errorf("the point has %.3g times the processors and %.3g times the size of the largest run", p, size))
	}
	var missed []string
	checked := 0
	for _, q := range all {
		if !math.IsNaN(q.HoldoutError) {
			checked++
			if !q.HoldoutInside {
				missed = append(missed, q.Name)
			}
		}
	}
	switch {
	case checked == 0:
		list = append(list, fmt.Errorf("too few runs to hold out the largest, so nothing was checked; analyze more runs"))
	case len(missed) > 0:
		list = append(list, fmt.Errorf("of %d intervals from the smaller runs, %d do not contain the largest run: %v", checked, len(missed), missed))
	}
	return list
}
