package windtunnel

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// work is the processing times of targets within a quantum, in cycles.
type work struct {
	mu, sigma float64
	quantum   float64 // no time is longer; 0 if they may be
}

// kruskalWeiss is T_processing as printed, with the natural logarithm:
//
//	T_processing(K,p) = K mu + sigma sqrt(2 K ln p)   [falsafi1997, eq. 1]
//
// It is asymptotic: exact for K that grows faster than ln p.
func kruskalWeiss(w work, k, hosts int) float64 {
	return float64(k)*w.mu + w.sigma*math.Sqrt(2*float64(k)*math.Log(float64(hosts)))
}

// gammaMaximum is the expected maximum over hosts of sums of k times, which are taken to be
// gamma distributed with mean k mu and variance k sigma^2:
//
//	shape a = k mu^2/sigma^2,  scale theta = sigma^2/mu,  E[max] = int_0^inf (1 - F(x)^p) dx
//
// Differs: [falsafi1997, eq. 1] has the asymptotic form of Kruskal and Weiss, which is up to 90 % too long and 23 % too short.
func gammaMaximum(w work, k, hosts int) float64 {
	mean, sd := float64(k)*w.mu, math.Sqrt(float64(k))*w.sigma
	if hosts == 1 || sd <= smallest*mean || mean == 0 {
		return mean
	}
	shape, scale := mean*mean/(sd*sd), w.sigma*w.sigma/w.mu
	return meanOfMaximum(func(x float64) float64 { return mathext.GammaIncReg(shape, x/scale) }, hosts, mean, sd, 0, math.Inf(1))
}

// boundedMaximum is the same of sums with a beta distribution between 0 and k quanta, with mean k mu and
// variance k sigma^2. Where the variance is as large as it can be, times are the whole quantum or nothing, and
// for k = 1 so is the distribution:
//
//	E[max] = Q (1 - (1-mu/Q)^p)
//
// Differs: [falsafi1997, eq. 1] knows no bound, so that its maxima for K = 1 are longer than the quantum.
func boundedMaximum(w work, k, hosts int) float64 {
	n := float64(k)
	mean, sd, most := n*w.mu, math.Sqrt(n)*w.sigma, n*w.quantum
	if hosts == 1 || sd <= smallest*mean || mean == 0 || mean >= most {
		return min(mean, most)
	}
	m, v := mean/most, sd*sd/(most*most)
	sum := m*(1-m)/v - 1 // alpha + beta of the distribution
	switch {
	case sum < smallest:
		return most * -math.Expm1(float64(hosts)*math.Log1p(-m))
	case sum > narrow && m < 1e-3: // the bound is far away
		return gammaMaximum(w, k, hosts)
	case sum > narrow:
		return min(most, mean+sd*normalMaximum(hosts))
	}
	return meanOfMaximum(func(x float64) float64 { return mathext.RegIncBeta(m*sum, (1-m)*sum, min(1, x/most)) }, hosts, mean, sd, 0, most)
}

// normalMaximum is the expected maximum of so many standard normal variables: 0, 0.5642, 0.8463, ...
func normalMaximum(n int) float64 {
	if n == 1 {
		return 0
	}
	return meanOfMaximum(distuv.UnitNormal.CDF, n, 0, 1, math.Inf(-1), math.Inf(1))
}

// smallest is the standard deviation, over the mean, below which there is no variation: it
// changes no result that is printed, and functions for larger ones have their limits.
const smallest = 1e-7

// narrow distributions between bounds are normal, or gamma at one of them, within 10^-5 of the result; RegIncBeta fails for
// parameters ten times as large.
const narrow = 1e6

// meanOfMaximum is the expected maximum of n independent variables with the distribution function cdf, of
// this mean and standard deviation, between least and most: the integral of 1 - cdf^n.
func meanOfMaximum(cdf func(float64) float64, n int, mean, sd, least, most float64) float64 {
	none := func(x float64) float64 { return math.Pow(cdf(x), float64(n)) }
	lo, hi := mean, mean
	for step := sd; lo > least && none(lo) > negligible; step *= 1.5 {
		lo = max(least, lo-step)
	}
	for step := sd; hi < most && none(hi) < 1-negligible; step *= 1.5 {
		hi = min(most, hi+step)
	}
	return lo + integral(func(x float64) float64 { return 1 - none(x) }, lo, hi)
}

// negligible probabilities end a range of integration.
const negligible = 1e-15

// integral is of f from a to b, by the double exponential rule: x = tanh(pi/2 sinh t), which
// does not mind that distributions with much probability at an end rise steeply there. Steps are halved until that
// changes the sum by less than settled: halving them squares the error.
func integral(f func(float64) float64, a, b float64) float64 {
	const finest, reach, settled = 1.0 / 48, 158, 1e-7
	half, sum := (b-a)/2, 0.0
	add := func(from, every int) {
		for i := from; i <= reach; i += every {
			s, c := math.Sinh(float64(i)*finest), math.Cosh(float64(i)*finest)
			at := math.Tanh(math.Pi / 2 * s)
			weight := math.Pi / 2 * c / (math.Cosh(math.Pi/2*s) * math.Cosh(math.Pi/2*s))
			sum += weight * f(a+half*(1+at))
		}
	}
	step := 8
	add(-reach/step*step, step)
	last := half * finest * float64(step) * sum
	for step > 1 {
		step /= 2
		add(-(reach/step-1+reach/step%2)*step, 2*step) // those between
		now := half * finest * float64(step) * sum
		if math.Abs(now-last) <= settled*math.Abs(now) {
			return now
		}
		last = now
	}
	return last
}
