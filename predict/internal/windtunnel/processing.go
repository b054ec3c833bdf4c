package windtunnel

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// work describes the processing times of targets within a quantum, in cycles.
type work struct {
	mu, sigma float64
	quantum   float64 // upper bound of the times; 0: none
}

// kruskalWeiss returns T_processing as printed, with the natural logarithm:
//
//	T_processing(K,p) = K mu + sigma sqrt(2 K ln p)   [falsafi1997, eq. 1]
//
// It is asymptotic: exact for K that grows faster than ln p.
func kruskalWeiss(w work, k, hosts int) float64 {
	return float64(k)*w.mu + w.sigma*math.Sqrt(2*float64(k)*math.Log(float64(hosts)))
}

// gammaMaximum returns the expected maximum over hosts of sums of k times. It assumes that the sums have a
// gamma distribution with mean k mu and variance k sigma^2:
//
//	shape a = k mu^2/sigma^2,  scale theta = sigma^2/mu,  E[max] = int_0^inf (1 - F(x)^p) dx
//
// Differs: [falsafi1997, eq. 1] has the asymptotic form of Kruskal and Weiss. That is up to 90 % too long and
// 23 % too short.
func gammaMaximum(w work, k, hosts int) float64 {
	mean, sd := float64(k)*w.mu, math.Sqrt(float64(k))*w.sigma
	if hosts == 1 || sd <= smallest*mean || mean == 0 {
		return mean
	}
	shape, scale := mean*mean/(sd*sd), w.sigma*w.sigma/w.mu
	return meanOfMaximum(func(x float64) float64 { return mathext.GammaIncReg(shape, x/scale) }, hosts, mean, sd, 0, math.Inf(1))
}

// boundedMaximum is the same for sums with a beta distribution between 0 and k quanta, with mean k mu and
// variance k sigma^2. If the variance is as large as possible, times are the whole quantum or 0. For k = 1 the
// distribution is then
//
//	E[max] = Q (1 - (1-mu/Q)^p)
//
// Differs: [falsafi1997, eq. 1] has no bound, so its maxima for K = 1 exceed the quantum.
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

// normalMaximum returns the expected maximum of n standard normal variables: 0, 0.5642, 0.8463, ...
func normalMaximum(n int) float64 {
	if n == 1 {
		return 0
	}
	return meanOfMaximum(distuv.UnitNormal.CDF, n, 0, 1, math.Inf(-1), math.Inf(1))
}

// smallest is the relative standard deviation below which values count as constant. It changes no printed
// result, and the functions for larger deviations fail near it.
const smallest = 1e-7

// narrow is the parameter from which a distribution between bounds counts as normal, or as gamma near one of
// the bounds. The result is then within 10^-5. RegIncBeta fails for parameters ten times as large.
const narrow = 1e6

// meanOfMaximum returns the expected maximum of n independent variables. They have the distribution function
// cdf, this mean and standard deviation, and lie between least and most. It is the integral of 1 - cdf^n.
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

// negligible is the probability that ends a range of integration.
const negligible = 1e-15

// integral integrates f from a to b by the double exponential rule, x = tanh(pi/2 sinh t). The rule works for
// distributions with a steep end. It halves the steps until that changes the sum by less than settled: halving
// them squares the error.
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
