package budget

import (
	"spoor/traces/lookup"
	"spoor/traces/unit"
)

// Objective is the value to minimize. It must not decrease when time or cost increases.
type Objective struct {
	Name, Unit string
	needsCost  bool
	timed      float64 // power of the time in it, beside that in the cost of a job
	of         func(t unit.Seconds, job unit.Dollars) float64
}

// Objectives lists all; the first is that of [du2000].
var Objectives = []Objective{
	{"time", "s", false, 1, func(t unit.Seconds, _ unit.Dollars) float64 { return float64(t) }},
	{"cost-per-job", "$", true, 0, func(_ unit.Seconds, job unit.Dollars) float64 { return float64(job) }},
	{"time-cost", "s $", true, 1, func(t unit.Seconds, job unit.Dollars) float64 { return float64(t) * float64(job) }},
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
