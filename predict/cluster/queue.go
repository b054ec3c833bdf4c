package cluster

import (
	"math"
)

// utilization is the utilization of one server with n customers. Each thinks for an exponential time of mean
// 1/lambda between two services of exponential time of mean tau, with rho = lambda*tau [du2000, eq. 3.9]:
//
//	U = 1 - (1/(n! rho^n)) / sum(k=0..n) 1/(k! rho^k)
//
// Differs: evaluated as 1 - ErlangB(n, 1/rho), which is equal and does not overflow.
func utilization(n int, rho float64) float64 {
	if rho == 0 {
		return 0
	}
	a, b := 1/rho, 1.0
	if math.IsInf(a, 0) {
		return float64(n) * rho // 1/rho overflows: there are no waits
	}
	for k := 1; k <= n; k++ {
		b = a * b / (float64(k) + a*b)
	}
	return 1 - b
}

// response returns the mean time from request to end of service at the server of [utilization] [du2000, eq.
// 3.12]:
//
//	t = n*tau/U - 1/lambda
//
// Differs: computed by mean value analysis, R(k) = tau*(1 + Q(k-1)), X(k) = k/(1/lambda + R(k)), Q(k) =
// X(k)*R(k). This is equal and loses no digits when lambda*tau is small.
func response(n int, lambda, tau float64) float64 {
	r, q := tau, 0.0
	for k := 1; k <= n; k++ {
		r = tau * (1 + q)
		q = float64(k) * lambda * r / (1 + lambda*r)
	}
	return r
}

// harmonicTail returns 1/2 + 1/3 + ... + 1/n. By this factor of the mean, the largest of n exponential times
// exceeds the mean [du2000, eq. 3.13]. Large n use the expansion of Euler and Maclaurin, which is exact to the
// last digits there.
func harmonicTail(n int) (sum float64) {
	if n >= 64 {
		const gamma = 0.57721566490153286061
		x := float64(n)
		y := 1 / (x * x)
		return math.Log(x) + gamma - 1 + 1/(2*x) - y*(1.0/12-y*(1.0/120-y/252))
	}
	for k := n; k >= 2; k-- {
		sum += 1 / float64(k)
	}
	return sum
}

// A hold is one kind of use of the bus: how long the bus is held, and which share of the visits are of this
// kind.
type hold struct{ time, share float64 }

// A customer of the bus thinks for an exponential time of mean think, waits in the queue, and holds the bus
// for one of holds. The shares of holds add up to 1.
type customer struct {
	think      float64
	holds      [3]hold
	memoryless bool      // true: holds the bus for an exponential time of the same mean
	ports      []float64 // for a switch: share of the messages that use each port, as in [remoteRequests]
}

// moments returns the means of the bus time of c and of its square.
func (c *customer) moments() (mean, square float64) {
	for _, h := range c.holds {
		mean += h.share * h.time
		square += h.share * h.time * h.time
	}
	if c.memoryless {
		square = 2 * mean * mean
	}
	return mean, square
}

// minCycle bounds the rate of visits that cost nothing, in seconds.
const minCycle = 1e-15

// cycle returns the time from one visit of c to the next if c waits w for each.
func (c *customer) cycle(w float64) float64 {
	b, _ := c.moments()
	return max(minCycle, c.think+w+b)
}

// takacs returns the mean wait per visit of n equal customers. It is exact for exponential think times and any
// distribution of the bus time. With beta(s) the Laplace transform of the bus time and lambda = 1/think, a
// busy period lasts on average
//
//	B = b sum(k=0..n-1) C(n-1,k) prod(i=1..k) (1 - beta(i lambda))/beta(i lambda)
//
// The bus is busy for U = B/(B + 1/(n lambda)), and W = n b/U - think - b.
//
// L. Takacs: Introduction to the Theory of Queues. Oxford University Press, 1962, chapter 5 (the machine
// interference problem).
func takacs(n int, c customer) float64 {
	b, _ := c.moments()
	if c.think <= 0 {
		return float64(n-1) * b // each waits for all others
	}
	// term is the logarithm of a term of the sum.
	term, sum := 0.0, 1.0
	for k := 1; k < n; k++ {
		beta, rest := c.transform(float64(k) / c.think)
		term += math.Log(float64(n-k)/float64(k)) + math.Log(rest) - math.Log(beta)
		if term > 600 {
			return max(0, float64(n-1)*b-c.think) // the bus is never free
		}
		sum += math.Exp(term)
	}
	idle := c.think / float64(n)
	return max(0, float64(n)*(b+idle/sum)-c.think-b)
}

// transform returns the Laplace transform of the bus time of c, and 1 minus that without loss of digits.
func (c *customer) transform(s float64) (beta, rest float64) {
	for _, h := range c.holds {
		beta += h.share * math.Exp(-s*h.time)
		rest -= h.share * math.Expm1(-s*h.time)
	}
	return beta, rest
}
