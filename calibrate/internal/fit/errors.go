package fit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Errors measures how far predictions are from measured times.
type Errors struct {
	Points int
	// Ratio is SSE/SST: the squared residuals over the squared distances from the mean. 0 is perfect, 1 is as good
	// as the mean. [hur1999, eq. 11] calls it "R^2", which is usually the name of 1 - SSE/SST.
	Ratio float64
	// MSE is SSE/(n-p-1) in squared units of time, with p+1 coefficients [hur1999, eq. 10]. It is NaN if there are
	// no more points than coefficients. SE is its root, the standard error.
	//
	// Differs: [hur1999, sec. 4.5] writes s_e = MS_E.
	MSE, SE float64
	// Median and P90 are quantiles of |predicted/measured - 1|.
	Median, P90 float64
}

// ErrorsOf returns the errors of predictions by a model with so many coefficients. Measured times are above zero.
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

// quantile returns a quantile of sorted values, with linear interpolation.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	below := int(at)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (at-float64(below))*(sorted[above]-sorted[below])
}
