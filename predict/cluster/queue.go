package cluster

import (
	"math"
	"math/bits"
	"slices"
)

// utilization is how busy one server is that n customers use, each thinking for
// an exponential time of mean 1/lambda between two services of exponential time of
// mean tau, with rho = lambda*tau [du2000, eq. 3.9]:
//
//	U = 1 - (1/(n! rho^n)) / sum(k=0..n) 1/(k! rho^k)
//
// Differs: evaluated as 1 - ErlangB(n, 1/rho), which is the same and does not
// overflow.
func utilization(n int, rho float64) float64 {
	if rho == 0 {
		return 0
	}
	a, b := 1/rho, 1.0
	if math.IsInf(a, 0) {
		return float64(n) * rho // 1/rho overflows: nobody ever waits
	}
	for k := 1; k <= n; k++ {
		b = a * b / (float64(k) + a*b)
	}
	return 1 - b
}

// response is the mean time from request to end of service at the server of
// [utilization] [du2000, eq. 3.12]:
//
//	t = n*tau/U - 1/lambda
//
// Differs: computed by mean value analysis, R(k) = tau*(1 + Q(k-1)), X(k) =
// k/(1/lambda + R(k)), Q(k) = X(k)*R(k), which is the same and loses no digits when
// lambda*tau is small.
func response(n int, lambda, tau float64) float64 {
	r, q := tau, 0.0
	for k := 1; k <= n; k++ {
		r = tau * (1 + q)
		q = float64(k) * lambda * r / (1 + lambda*r)
	}
	return r
}

// harmonicTail is 1/2 + 1/3 + ... + 1/n: what the slowest of n exponential times
// exceeds their mean by [du2000, eq. 3.13]; of many, by the expansion of Euler and Maclaurin, which is exact to the last digits there.
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

// A hold is one kind of use of the bus: for how long it is held, and the share of
// the visits that are of this kind.
type hold struct{ time, share float64 }

// A customer of the bus thinks for an exponential time of mean think, waits in
// line, and holds the bus for one of holds, the shares of which add up to 1.
type customer struct {
	think      float64
	holds      [3]hold
	memoryless bool      // hold the bus for an exponential time of the same mean instead
	ports      []float64 // of a switch instead of a bus: which part of the messages uses each; see [between]
}

// moments are the mean of the times for which c holds the bus, and of their squares.
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

// minCycle keeps visits that cost nothing from coming infinitely often, in seconds.
const minCycle = 1e-15

// cycle is the time from one visit of c to its next if it waits w for each.
func (c *customer) cycle(w float64) float64 {
	b, _ := c.moments()
	return max(minCycle, c.think+w+b)
}

// maxExact is the largest number of customers whose subsets are all looked at: 2^10
// networks of 10 customers.
const maxExact = 10

// waits is the mean wait of each customer per visit at a bus that serves first
// come, first served.
//
// Every customer is a class of its own. Mean value analysis over all subsets
// takes the wait of p from what it sees on arrival, the network without p:
//
//	W_p(S) = sum(q in S-p) [ X_q W_q b_q + U_q r_q ],   X_q = 1/(Z_q + W_q + b_q),  U_q = X_q b_q
//
// all of S-p, with b_q the mean time for which q holds the bus and r_q =
// E[b_q^2]/(2 b_q) what is left of it when somebody comes. For exponential times
// (r = b) of equal means this is exact. Bus times are nearly fixed, and there the
// mean over the customers is replaced by the exact one of n equal customers: see
// [takacs]. The bus is never held for more than all of the time, which raises the
// waits if need be.
func waits(customers []customer) []float64 {
	n := len(customers)
	if n < 2 {
		return make([]float64, n)
	}
	if routed(customers) {
		w := portWaits(customers)
		fill(customers, w)
		return w
	}
	how := estimatorFor(n)
	w := how.customers(customers)
	average := mean(customers)
	if e := how.equal(n, average); e > 0 {
		scale(w, takacs(n, average)/e)
	}
	fill(customers, w)
	return w
}

func scale(w []float64, factor float64) {
	for i := range w {
		w[i] *= factor
	}
}

// An estimator is one way to do mean value analysis, for any customers and for n
// equal ones.
type estimator struct {
	customers func([]customer) []float64
	equal     func(n int, c customer) float64
}

var (
	bySubsets    = estimator{overSubsets, equalSubsets}
	byFixedPoint = estimator{fixedPoint, equalFixedPoint}
)

// estimatorFor looks at all subsets of n customers if they are few.
func estimatorFor(n int) estimator {
	if n <= maxExact {
		return bySubsets
	}
	return byFixedPoint
}

// mean is the customer whose holds are those of all visits together, and whose
// think time makes as many visits as all of them do without waiting.
func mean(customers []customer) (m customer) {
	rate := 0.0
	for i := range customers {
		rate += 1 / customers[i].cycle(0)
	}
	busy := 0.0
	for k := range m.holds {
		for i := range customers {
			visits := 1 / customers[i].cycle(0) / rate
			m.holds[k].share += visits * customers[i].holds[k].share
			m.holds[k].time += visits * customers[i].holds[k].share * customers[i].holds[k].time
		}
		busy += m.holds[k].time
		if m.holds[k].share > 0 {
			m.holds[k].time /= m.holds[k].share
		}
	}
	m.think = max(0, float64(len(customers))/rate-busy)
	return m
}

// measure is what the waits depend on.
type measure struct{ think, mean, square float64 }

func (c *customer) measure() measure {
	mean, square := c.moments()
	return measure{c.think, mean, square}
}

func measuresOf(customers []customer) []measure {
	all := make([]measure, len(customers))
	for p := range customers {
		all[p] = customers[p].measure()
	}
	return all
}

// load is what an arriving customer waits for because q is in the network, if q
// itself waits w.
func (q *measure) load(w float64) float64 {
	return (w*q.mean + q.square/2) / max(minCycle, q.think+w+q.mean)
}

// overSubsets is the recursion of [waits] over all subsets, in O(n 2^n): what p finds
// in S is the load of all of S-p, whoever p is.
func overSubsets(customers []customer) []float64 {
	n := len(customers)
	measures := measuresOf(customers)
	loads := make([]float64, 1<<n) // of all customers of each network
	for s := 1; s < 1<<n; s++ {
		for rest := s; rest != 0; rest &= rest - 1 {
			p := bits.TrailingZeros(uint(rest))
			loads[s] += measures[p].load(loads[s&^(1<<p)])
		}
	}
	w := make([]float64, n)
	for p := range w {
		w[p] = loads[1<<n-1-1<<p]
	}
	return w
}

// equalSubsets is [overSubsets] of n equal customers: all subsets of one size are one.
func equalSubsets(n int, c customer) (w float64) {
	m := c.measure()
	for k := 2; k <= n; k++ {
		w = float64(k-1) * m.load(w)
	}
	return w
}

// maxRounds bounds the iterations of a fixed point, which halve the error or better.
const maxRounds = 200

// fixedPoint takes what p sees from the whole network without p's part, in the
// manner of Bard and Schweitzer: the network without p is taken to be as the
// others are with it.
func fixedPoint(customers []customer) []float64 {
	const tolerance = 1e-12
	w := make([]float64, len(customers))
	measures := measuresOf(customers)
	for range maxRounds {
		total := 0.0
		for q := range measures {
			total += measures[q].load(w[q])
		}
		change := 0.0
		for p := range customers {
			// Halfway, so that the round trip of a saturated bus does not swing.
			next := (w[p] + total - measures[p].load(w[p])) / 2
			change = max(change, math.Abs(next-w[p])/customers[p].cycle(next))
			w[p] = next
		}
		if change < tolerance {
			break
		}
	}
	return w
}

// equalFixedPoint is [fixedPoint] of n equal customers.
func equalFixedPoint(n int, c customer) (w float64) {
	m := c.measure()
	for range maxRounds {
		w = (w + float64(n-1)*m.load(w)) / 2
	}
	return w
}

// takacs is the mean wait per visit of n equal customers, exact for exponential
// think times and any distribution of the time for which the bus is held. With
// beta(s) the Laplace transform of the latter and lambda = 1/think, a busy period
// lasts on average
//
//	B = b sum(k=0..n-1) C(n-1,k) prod(i=1..k) (1 - beta(i lambda))/beta(i lambda)
//
// the bus is busy for U = B/(B + 1/(n lambda)), and W = n b/U - think - b.
// L. Takacs: Introduction to the Theory of Queues. Oxford University Press, 1962,
// chapter 5 (the machine interference problem).
func takacs(n int, c customer) float64 {
	b, _ := c.moments()
	if c.think <= 0 {
		return float64(n-1) * b // everybody waits for everybody else
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

// transform is the Laplace transform of the time for which c holds the bus, and 1
// minus that without loss of digits.
func (c *customer) transform(s float64) (beta, rest float64) {
	for _, h := range c.holds {
		beta += h.share * math.Exp(-s*h.time)
		rest -= h.share * math.Expm1(-s*h.time)
	}
	return beta, rest
}

// evenWaits is the least that n customers can wait on average, which they do if
// their requests are evenly spaced: nothing as long as the bus has room for
// all of them, and then R = n*b - Z.
func evenWaits(customers []customer) []float64 {
	w := make([]float64, len(customers))
	fill(customers, w)
	return w
}

// exponentialWaits is [waits] for exponential bus times of the same means, as in
// [du2000, eq. 3.12], which they are for equal customers.
func exponentialWaits(customers []customer) []float64 {
	memoryless := slices.Clone(customers)
	for i := range memoryless {
		memoryless[i].memoryless = true
	}
	approximate := estimatorFor(len(customers)).customers
	if routed(memoryless) {
		approximate = portWaits
	}
	w := approximate(memoryless)
	fill(memoryless, w)
	return w
}

// fill raises the waits, all by the same part of what they are below the most that they can be, by as little that the bus is held for no more
// than all of the time. Nobody is in front of another one twice, so that a wait is at most what all others hold the bus; when everybody waits that
// long, it is never held for longer.
func fill(customers []customer, w []float64) {
	measures := measuresOf(customers)
	all := 0.0
	for i := range measures {
		all += measures[i].mean
	}
	raised := func(i int, part float64) float64 {
		most := all - measures[i].mean
		return min(w[i], most) + part*max(0, most-w[i])
	}
	var ports []float64
	if routed(customers) {
		ports = make([]float64, len(customers[0].ports))
	}
	busy := func(part float64) (u float64) {
		of := func(i int) float64 {
			m := &measures[i]
			if m.mean == 0 {
				return 0
			}
			return m.mean / max(minCycle, m.think+raised(i, part)+m.mean)
		}
		if ports != nil {
			return busiestPort(customers, of, ports)
		}
		for i := range measures {
			u += of(i)
		}
		return u
	}
	part := 0.0
	if busy(0) > 1 {
		lo, hi := 0.0, 1.0
		for range 60 {
			if mid := (lo + hi) / 2; busy(mid) > 1 {
				lo = mid
			} else {
				hi = mid
			}
		}
		part = hi
	}
	for i := range w {
		w[i] = raised(i, part)
	}
}
