package fit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Errors is how far predictions are from what was measured.
type Errors struct {
	Points int
	// Ratio is SSE/SST, the squares of the residuals over those about the mean: 0 is perfect, and 1 is
	// no better than the mean. [hur1999, eq. 11] calls it "R^2", which is 1-R^2 of everybody else.
	Ratio float64
	// MSE is SSE/(n-p-1) in squared units of time, p+1 the coefficients [hur1999, eq. 10]; NaN if there are no
	// more points than coefficients. SE is its root, the estimated standard deviation of errors.
	//
	// Differs: [hur1999, sec. 4.5] writes s_e = MS_E.
	MSE, SE float64
	// Median and P90 are quantiles of |predicted/measured - 1|.
	Median, P90 float64
}

// ErrorsOf compares. Measured times are above zero.
func ErrorsOf(measured, predicted []float64, coefficients int) Errors {
	e := Errors{Points: len(measured), MSE: math.NaN(), SE: math.NaN(), Ratio: math.NaN(), Median: math.NaN(), P90: math.NaN()}
	if len(measured) == 0 {
		return e
	}
	var sse, sst float64
	mean := stat.Mean(measured, nil)
	relative := make([]float64, len(measured))
	for i, y := range measured {
		sse += (y - predicted[i]) * (y - predicted[i])
		sst += (y - mean) * (y - mean)
		relative[i] = math.Abs(predicted[i]/y - 1)
	}
	if sst > 0 {
		e.Ratio = sse / sst
	}
	if free := len(measured) - coefficients; free > 0 {
		e.MSE = sse / float64(free)
		e.SE = math.Sqrt(e.MSE)
	}
	slices.Sort(relative)
	e.Median, e.P90 = quantile(relative, 0.5), quantile(relative, 0.9)
	return e
}

// quantile interpolates between sorted values.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	below := int(at)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (at-float64(below))*(sorted[above]-sorted[below])
}
