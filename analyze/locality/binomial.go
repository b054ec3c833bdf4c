package locality

import (
	"math"
	"sort"
)

// missProbability returns Smith's probability that a use at a stack distance misses in a set-associative LRU
// cache. The use misses if at least as many of the lines used since fell into its set as the set has ways.
// Every line falls into the set with probability 1/sets, independently [smith1978; hill1989]:
//
//	P(miss | distance d) = P[Bin(d, 1/sets) >= ways]
//
// Programs with strides of powers of two, or with arrays of equal alignment, crowd their lines into few sets
// and miss more often. Programs that sweep through memory spread their lines evenly and miss less often.
//
// Differs: an incomplete beta function takes differences of log-gamma functions. At distances of 2^32, only
// five digits of these are left. Here the first term of the smaller tail is a product, and the other terms
// follow from it.
func missProbability(distance, sets, ways int64) float64 {
	switch {
	case distance < ways:
		return 0
	case sets == 1:
		return 1
	}
	b := binomial{n: distance, p: 1 / float64(sets)}
	if float64(ways) > float64(distance)*b.p {
		return b.above(ways)
	}
	return max(0, 1-b.below(ways))
}

// binomial is the distribution of the number of lines in one set, of n lines.
type binomial struct {
	n int64
	p float64
}

// odds returns p/(1-p).
func (b binomial) odds() float64 { return b.p / (1 - b.p) }

// at returns the probability of k, at most n: the product of the odds of k lines, with the others elsewhere.
func (b binomial) at(k int64) float64 {
	log := float64(b.n) * math.Log1p(-b.p)
	product := 1.0
	for j := range k {
		product *= float64(b.n-j) / float64(j+1) * b.odds()
		if product < 1e-200 || product > 1e200 {
			log += math.Log(product)
			product = 1
		}
	}
	return math.Exp(log + math.Log(product))
}

// negligible is a share that does not change a double.
const negligible = 1e-17

// above returns the probability of k or more. k is above the mean, so that terms decrease.
func (b binomial) above(k int64) float64 {
	term, sum := 1.0, 0.0
	for i := k; i <= b.n && term > negligible*sum; i++ {
		sum += term
		term *= float64(b.n-i) / float64(i+1) * b.odds()
	}
	return min(sum*b.at(k), 1)
}

// below returns the probability of less than k. k is not above the mean.
func (b binomial) below(k int64) float64 {
	term, sum := 1.0, 0.0
	for i := k - 1; i >= 0 && term > negligible*sum; i-- {
		sum += term
		term *= float64(i) / (float64(b.n-i+1) * b.odds())
	}
	return min(sum*b.at(k-1), 1)
}

// corrected returns the expected misses in a set-associative cache, without first uses. uses is by distance.
// From one distance to the next,
//
//	P[Bin(d+1, p) >= k] = P[Bin(d, p) >= k] + p P[Bin(d, p) = k-1]
//
// and the second term follows from the previous one. So a distance costs a few operations. Distances with a
// miss probability near 0 or 1 are not computed.
func corrected(uses []uint64, sets, ways int64) (misses float64) {
	n := int64(len(uses))
	d := ways + int64(sort.Search(int(max(0, n-ways)), func(i int) bool {
		return missProbability(ways+int64(i), sets, ways) > negligible
	}))
	block := 1024 + 16*ways // the first of a block costs at least as much as ways of the others
	p := 1 / float64(sets)
	for d < n {
		tail := missProbability(d, sets, ways)
		if tail == 1 {
			break
		}
		end := min(n, d+block)
		step := p * binomial{d, p}.at(ways-1)
		for ; d < end; d++ {
			misses += tail * float64(uses[d])
			tail = min(tail+step, 1)
			step *= (1 - p) * float64(d+1) / float64(d+2-ways)
		}
	}
	for ; d < n; d++ {
		misses += float64(uses[d])
	}
	return misses
}
