package footprint

import (
	"math/big"
	"math/rand/v2"
	"slices"
)

// The equations of [falsafi1997] as they are written, in exact arithmetic.

func choose(n, k int) *big.Int {
	if k < 0 || n < 0 || k > n {
		return new(big.Int)
	}
	return new(big.Int).Binomial(int64(n), int64(k))
}

func product(factors ...*big.Int) *big.Int {
	out := big.NewInt(1)
	for _, f := range factors {
		out.Mul(out, f)
	}
	return out
}

// exactQueues is P{X = k} [falsafi1997, eq. 4].
func exactQueues(n, f int) []*big.Rat {
	if f == 0 {
		return []*big.Rat{big.NewRat(1, 1)}
	}
	out := []*big.Rat{new(big.Rat)}
	for k := 1; k <= min(n, f); k++ {
		out = append(out, new(big.Rat).SetFrac(product(choose(n, k), choose(f-1, k-1)), choose(f+n-1, n-1)))
	}
	return out
}

// exactTLB is the sum of all probabilities of [falsafi1997, eq. 6] and the interference of eq. 7.
func exactTLB(n, fs, fa, fb int) (sum, interference *big.Rat) {
	sum, interference = new(big.Rat), new(big.Rat)
	f := fs + fb
	ways := product(choose(f, fs), choose(f+n-1, n-1))
	for k, px := range exactQueues(n, fs+fa) {
		for i := range k + 1 {
			for j := range min(fs, n) + 1 {
				count := new(big.Int)
				for w := max(i, j); w <= min(n, f); w++ {
					count.Add(count, product(choose(k, i), choose(n-k, w-i), choose(w, j), choose(f-w, fs-j), choose(f-1, w-1)))
				}
				p := new(big.Rat).Mul(px, new(big.Rat).SetFrac(count, ways))
				sum.Add(sum, p)
				interference.Add(interference, p.Mul(p, big.NewRat(int64(i-j), 1)))
			}
		}
	}
	return sum, interference
}

// placed is a block in the set of a real cache.
type placed struct {
	id  uint64
	set int
}

// lruSets are sets of blocks, most recent first.
type lruSets struct {
	ways int
	sets [][]uint64
}

func newLRUSets(s Shape) *lruSets { return &lruSets{s.Ways, make([][]uint64, s.Sets)} }

func (c *lruSets) clone() *lruSets {
	out := &lruSets{ways: c.ways}
	for _, s := range c.sets {
		out.sets = append(out.sets, slices.Clone(s))
	}
	return out
}

func (c *lruSets) use(b placed) (miss bool) {
	set := &c.sets[b.set]
	at := slices.Index(*set, b.id)
	switch {
	case at >= 0:
		*set = slices.Delete(*set, at, at+1)
	case len(*set) == c.ways:
		*set = (*set)[:c.ways-1]
	}
	*set = slices.Insert(*set, 0, b.id)
	return at < 0
}

func (c *lruSets) run(blocks []placed) (misses int) {
	for _, b := range blocks {
		if c.use(b) {
			misses++
		}
	}
	return misses
}

// has is how many of the blocks are in the cache.
func (c *lruSets) has(blocks []placed) (n int) {
	for _, b := range blocks {
		if slices.Contains(c.sets[b.set], b.id) {
			n++
		}
	}
	return n
}

// experiment runs A, B and A again. Each block is placed at random once, and used once in each run, in a
// random order. It returns A's projection, the loss of it, and the additional misses of A.
func experiment(r *rand.Rand, shape Shape, fs, fa, fb int) (projection, loss, extra float64) {
	next := uint64(0)
	draw := func(n int) (out []placed) {
		for range n {
			out = append(out, placed{next, r.IntN(shape.Sets)})
			next++
		}
		return out
	}
	shared := draw(fs)
	a, b := append(draw(fa), shared...), append(draw(fb), shared...)
	r.Shuffle(len(a), func(i, j int) { a[i], a[j] = a[j], a[i] })
	r.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
	c := newLRUSets(shape)
	c.run(a)
	before := c.has(a)
	alone := c.clone().run(a)
	c.run(b)
	after := c.has(a)
	return float64(before), float64(before - after), float64(c.run(a) - alone)
}

// average repeats the experiment.
func average(r *rand.Rand, n int, shape Shape, fs, fa, fb int) (projection, loss, extra float64) {
	for range n {
		p, l, e := experiment(r, shape, fs, fa, fb)
		projection += p / float64(n)
		loss += l / float64(n)
		extra += e / float64(n)
	}
	return projection, loss, extra
}
