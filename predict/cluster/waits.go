package cluster

import (
	"math"
	"math/bits"
	"slices"
)

// maxExact is the largest number of customers for which [waits] uses all subsets: 2^10 networks of 10
// customers.
const maxExact = 10

// waits returns the mean wait of each customer per visit at a bus that serves first come, first served.
//
// Every customer is a class of its own. Mean value analysis over all subsets computes the wait of p from what
// p finds on arrival, the network without p:
//
//	W_p(S) = sum(q in S-p) [ X_q W_q b_q + U_q r_q ],   X_q = 1/(Z_q + W_q + b_q),  U_q = X_q b_q
//
// Here all quantities on the right are of S-p, b_q is the mean bus time of q, and r_q = E[b_q^2]/(2 b_q) is
// the rest of it at an arrival. For exponential times (r = b) of equal means this is exact. Bus times are
// nearly fixed. For these, the mean over the customers is replaced by the exact one of n equal customers: see
// [takacs]. The utilization of the bus is at most 1, which raises the waits if necessary.
func waits(customers []customer) []float64 {
	n := len(customers)
	if n < 2 {
		return make([]float64, n)
	}
	if usesSwitch(customers) {
		w := portWaits(customers)
		capUtilization(customers, w)
		return w
	}
	how := estimatorFor(n)
	w := how.customers(customers)
	average := mean(customers)
	if e := how.equal(n, average); e > 0 {
		scale(w, takacs(n, average)/e)
	}
	capUtilization(customers, w)
	return w
}

func scale(w []float64, factor float64) {
	for i := range w {
		w[i] *= factor
	}
}

// An estimator is one way to do mean value analysis, for any customers and for n equal ones.
type estimator struct {
	customers func([]customer) []float64
	equal     func(n int, c customer) float64
}

var (
	bySubsets    = estimator{overSubsets, equalSubsets}
	byFixedPoint = estimator{fixedPoint, equalFixedPoint}
)

// estimatorFor selects all subsets for few customers, the fixed point for many.
func estimatorFor(n int) estimator {
	if n <= maxExact {
		return bySubsets
	}
	return byFixedPoint
}

// mean returns the average customer. Its holds are those of all visits together. Its think time gives as many
// visits as all customers make without waiting.
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

// measure holds the values of a customer that the waits depend on.
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

// load returns how long an arriving customer waits because q is in the network, if q itself waits w.
func (q *measure) load(w float64) float64 {
	return (w*q.mean + q.square/2) / max(minCycle, q.think+w+q.mean)
}

// overSubsets is the recursion of [waits] over all subsets, in O(n 2^n). For every p in S, the load that p
// finds is that of S-p.
func overSubsets(customers []customer) []float64 {
	n := len(customers)
	measures := measuresOf(customers)
	loads := make([]float64, 1<<n) // load of all customers, by network
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

// equalSubsets is [overSubsets] for n equal customers: all subsets of one size are equal.
func equalSubsets(n int, c customer) (w float64) {
	m := c.measure()
	for k := 2; k <= n; k++ {
		w = float64(k-1) * m.load(w)
	}
	return w
}

// maxRounds bounds the iterations of a fixed point. Each at least halves the error.
const maxRounds = 200

// fixedPoint computes what p finds from the whole network without p's part, like Bard and Schweitzer. It
// assumes that the others behave without p as they do with it.
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
			// Damped by half, so that a saturated bus does not oscillate.
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

// equalFixedPoint is [fixedPoint] for n equal customers.
func equalFixedPoint(n int, c customer) (w float64) {
	m := c.measure()
	for range maxRounds {
		w = (w + float64(n-1)*m.load(w)) / 2
	}
	return w
}

// evenWaits returns the least mean waits of n customers, which are those of evenly spaced requests. They are 0
// as long as the bus has room for all requests, and then R = n*b - Z.
func evenWaits(customers []customer) []float64 {
	w := make([]float64, len(customers))
	capUtilization(customers, w)
	return w
}

// exponentialWaits is [waits] for exponential bus times of the same means. For equal customers it is [du2000,
// eq. 3.12].
func exponentialWaits(customers []customer) []float64 {
	memoryless := slices.Clone(customers)
	for i := range memoryless {
		memoryless[i].memoryless = true
	}
	approximate := estimatorFor(len(customers)).customers
	if usesSwitch(memoryless) {
		approximate = portWaits
	}
	w := approximate(memoryless)
	capUtilization(memoryless, w)
	return w
}

// capUtilization raises the waits until the utilization of the bus, or of each port, is at most 1. All waits
// rise by the same part of their distance to the largest possible wait, and by no more than needed. No
// customer is ahead of another twice, so a wait is at most the bus time of all others. If all wait that long,
// the utilization is at most 1.
func capUtilization(customers []customer, w []float64) {
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
	if usesSwitch(customers) {
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
