package cluster

import (
	"math"
	"math/bits"
	"slices"
)

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
