package windtunnel

import "math"

// Errors is how far a model is from what was measured with a placement.
type Errors struct {
	Placement, Model string
	Rows             int
	// Worst are the errors that are largest, either way, of processing times and of all; Mean is that of the absolute errors of all.
	WorstProcessing, Worst, Mean float64
	Hosts                        int // where Worst is
	Inside                       int // rows whose interval holds what was measured
}

// Summarize is the errors of every model with every placement. Rows in which a model gives no time count for nothing but make
// Worst not a number.
func Summarize(rows []Comparison) (out []Errors) {
	for _, p := range Placements {
		for _, m := range Models {
			e := Errors{Placement: p.Name, Model: m.Name}
			for _, r := range rows {
				if r.Placement != p.Name || r.Model != m.Name {
					continue
				}
				if e.Rows++; r.Inside() {
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
