package budget

import (
	"spoor/traces/lookup"
	"spoor/traces/unit"
)

// Objective is the value to minimize. It must not decrease when time or cost increases.
type Objective struct {
	Name, Unit string
	needsCost  bool
	power      func(fixed bool) float64 // of the time in it; fixed: the cost of a job does not depend on its time
	of         func(t unit.Seconds, job unit.Dollars) float64
}

// Objectives lists all; the first is that of [du2000].
var Objectives = []Objective{
	{"time", "s", false, func(bool) float64 { return 1 }, func(t unit.Seconds, _ unit.Dollars) float64 { return float64(t) }},
	{"cost-per-job", "$", true, func(fixed bool) float64 { return oneUnless(fixed) }, func(_ unit.Seconds, job unit.Dollars) float64 { return float64(job) }},
	{"time-cost", "s $", true, func(fixed bool) float64 { return 1 + oneUnless(fixed) }, func(t unit.Seconds, job unit.Dollars) float64 { return float64(t) * float64(job) }},
}

func oneUnless(fixed bool) float64 {
	if fixed {
		return 0
	}
	return 1
}

// ObjectiveNamed returns the objective called name.
func ObjectiveNamed(name string) (Objective, error) {
	var names []string
	for _, o := range Objectives {
		if o.Name == name {
			return o, nil
		}
		names = append(names, o.Name)
	}
	return Objective{}, lookup.Unknown("objective", name, names)
}
