package budget

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"spoor/predict/internal/model"
)

// better returns the probability that the runner-up is better than the best, whose values differ by a relative margin, or NaN if
// the error of the model is not known. The errors of the two predictions are taken as independent, and their logarithms as normal.
//
// Limitation: a model errs alike for one program on similar machines. The probability is then smaller.
func (p *Problem) better(best, second model.Prediction, margin float64) float64 {
	deviation := math.Hypot(p.deviation(best), p.deviation(second))
	power := p.power()
	switch {
	case math.IsNaN(deviation):
		return math.NaN()
	case deviation*power == 0: // nothing can err
		return 0
	}
	return distuv.UnitNormal.CDF(-math.Log1p(margin) / (deviation * power))
}

// power returns the power of the time in the objective. 0: the value does not depend on it.
func (p *Problem) power() float64 {
	if p.Objective.needsCost && !p.fixedCost() {
		return p.Objective.timed + 1
	}
	return p.Objective.timed
}

// deviation returns the standard deviation of the logarithm of a time: from the mean of absolute errors that the user gives, or
// from the model's 95 % interval.
func (p *Problem) deviation(one model.Prediction) float64 {
	if !math.IsNaN(p.Error) {
		return p.Error * math.Sqrt(math.Pi/2)
	}
	whole := one.FullInterval()
	if !one.ModelMargin.Known() || !whole.Known() {
		return math.NaN()
	}
	return math.Log(float64(whole.Hi/whole.Lo)) / (2 * distuv.UnitNormal.Quantile(0.975))
}
