package fit

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Floor returns the noise floor: the share of the variance between points that is noise. No model can have a lower
// Errors.Ratio, except by chance. Clusters are split into halves, of even and of odd index. With m1 and m2 the
// means of k1 and k2 of a point's k clusters, it is
//
//	sum (k1 k2/k^2) (m1-m2)^2 / SST,
//
// whose terms estimate the variance of the mean of all k. Medians and least times of halves are used in the same way
// if Take says so. (m1-m2)^2/2 is then the variance of one half, which the least of all does not exceed. It is not
// known if no point was measured in both halves, or if all times are equal.
func (t *Times) Floor() (floor float64, known bool) {
	noise, halved := 0.0, 0
	for _, row := range t.Of {
		var weight [2][]int
		var n [2]float64
		for half := range weight {
			weight[half] = make([]int, len(row))
		}
		for c, y := range row {
			if !math.IsNaN(y) {
				weight[c%2][c] = 1
				n[c%2]++
			}
		}
		if n[0] > 0 && n[1] > 0 {
			first, _ := t.Take.of(row, weight[0])
			second, _ := t.Take.of(row, weight[1])
			apart, all := first-second, n[0]+n[1]
			share := n[0] * n[1] / (all * all)
			if t.Take == Least {
				share = 0.5
			}
			noise += share * apart * apart
			halved++
		}
	}
	means := t.Means()
	if halved == 0 || len(means) < 2 {
		return math.NaN(), false
	}
	sst := stat.PopVariance(means, nil) * float64(halved) // of as many points as the noise
	return noise / sst, sst > 0
}
