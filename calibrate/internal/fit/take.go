package fit

import (
	"math"
	"slices"
)

// Take says which time of its clusters a point has.
type Take string

// The default is Mean. Median is the middle one, or the mean of the two in the middle. Least is the least.
const (
	Mean   Take = "mean"
	Median Take = "median"
	Least  Take = "minimum"
)

// Takes lists all.
var Takes = []Take{Mean, Median, Least}

// of returns the time of a point if cluster c counts times[c] times; false if it was not measured in these clusters.
func (k Take) of(row []float64, times []int) (float64, bool) {
	if k == Median || k == Least {
		return k.ranked(row, times)
	}
	sum, n := 0.0, 0
	for c, y := range row {
		if times[c] > 0 && !math.IsNaN(y) {
			sum += float64(times[c]) * y
			n += times[c]
		}
	}
	return sum / float64(n), n > 0
}

// ranked returns the median or the least.
func (k Take) ranked(row []float64, times []int) (float64, bool) {
	var all []float64
	for c, y := range row {
		if !math.IsNaN(y) {
			for range times[c] {
				all = append(all, y)
			}
		}
	}
	if len(all) == 0 {
		return 0, false
	}
	slices.Sort(all)
	if k == Least {
		return all[0], true
	}
	return quantile(all, 0.5), true
}
