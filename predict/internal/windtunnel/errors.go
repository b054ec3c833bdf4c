package windtunnel

import "math"

// Errors summarizes the errors of a model against measurements with a placement.
type Errors struct {
	Placement, Model string
	Rows             int
	// WorstProcessing and Worst are the errors of largest magnitude, of processing and of whole speedups.
	// Mean is the mean absolute error of whole speedups.
	WorstProcessing, Worst, Mean float64
	Hosts                        int // number of hosts at Worst
	Inside                       int // rows whose interval contains the measurement
}

// Summarize returns the errors of every model with every placement. A row without a predicted time makes Worst
// NaN.
func Summarize(rows []Comparison) (out []Errors) {
	for _, p := range Placements {
		for _, m := range Models {
			e := Errors{Placement: p.Name, Model: m.Name}
			for _, r := range rows {
				if r.Placement != p.Name || r.Model != m.Name {
					continue
				}
				if e.Rows++; r.inside() {
					e.Inside++
				}
				if x := r.Processing.Error(); math.Abs(x) > math.Abs(e.WorstProcessing) {
					e.WorstProcessing = x
				}
				x := r.Whole.Error()
				if math.IsNaN(x) || math.Abs(x) > math.Abs(e.Worst) {
					e.Worst, e.Hosts = x, r.Hosts
				}
				e.Mean += math.Abs(x)
			}
			if e.Rows > 0 {
				e.Mean /= float64(e.Rows)
				out = append(out, e)
			}
		}
	}
	return out
}
