package footprint

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Shape is a cache or TLB with LRU replacement. It is fully associative with one set, direct-mapped with one
// way.
//
// Its methods take footprints in blocks. These may be means, and need not be whole numbers. Blocks are placed
// in sets independently and evenly. Each method has a form that simulation confirms. The methods with Paper
// in their names are the forms of [falsafi1997], which exist only for fully associative and direct-mapped
// caches.
type Shape struct{ Sets, Ways int }

// MaxFrames is the maximum number of sets, and of ways.
const MaxFrames = 1 << 30

// frames returns the number of blocks that it holds.
func (s Shape) frames() float64 { return float64(s.Sets) * float64(s.Ways) }

// String returns sets x ways: "2048x1".
func (s Shape) String() string { return fmt.Sprintf("%dx%d", s.Sets, s.Ways) }

// check returns an error if the shape is invalid, or if a footprint is negative or not finite.
func (s Shape) check(footprints ...float64) error {
	if s.Sets < 1 || s.Ways < 1 || s.Sets > MaxFrames || s.Ways > MaxFrames {
		return fmt.Errorf("a cache of %d sets of %d ways: both must be from 1 to %d", s.Sets, s.Ways, MaxFrames)
	}
	for _, f := range footprints {
		if !(f >= 0 && f <= math.MaxInt64) {
			return fmt.Errorf("a footprint of %v blocks: it must be from 0 to 2^63", f)
		}
	}
	return nil
}

// checkPaper is Check for a form of the paper.
func (s Shape) checkPaper(footprints ...float64) error {
	if s.Sets > 1 && s.Ways > 1 {
		return fmt.Errorf("a cache of %d sets of %d ways: [falsafi1997] has only fully associative and direct-mapped caches", s.Sets, s.Ways)
	}
	return s.check(footprints...)
}

// Projection returns the number of blocks of a footprint of f that are in the cache after all of them were
// used. This is also the number of misses that flushing the cache causes. A set keeps min(ways, blocks in the
// set); the result is the mean over sets. So it is min(f, N) if fully associative, and N (1 - (1-1/N)^f) if
// direct-mapped [falsafi1997, eq. 8].
func (s Shape) Projection(f float64) (float64, error) {
	if err := s.check(f); err != nil {
		return 0, err
	}
	n := float64(s.Sets)
	switch {
	case s.Sets == 1:
		return min(f, float64(s.Ways)), nil
	case s.Ways == 1:
		return n * touched(n, f), nil
	}
	sum := 0.0
	for _, l := range distribution(f, n) { // not binned, because the minimum has a corner
		sum += l.p * min(l.k, float64(s.Ways))
	}
	return min(n*sum, f, s.frames()), nil
}

// paperProjection is Projection, except for fully associative caches. There it is the mean of [falsafi1997,
// eq. 4], where blocks fill frames as customers fill queues: N f/(N+f-1).
func (s Shape) paperProjection(f float64) (float64, error) {
	if err := s.checkPaper(f); err != nil {
		return 0, err
	}
	if s.Sets == 1 {
		return queueMean(float64(s.Ways), f), nil
	}
	return s.Projection(f)
}

// Footprint is the inverse of Projection. It returns the footprint that leaves x blocks in the cache. x must
// be below the size of the cache, because a footprint that fills the cache may have any size.
func (s Shape) Footprint(x float64) (float64, error) {
	if err := s.checkProjection(x); err != nil {
		return 0, err
	}
	n := float64(s.Sets)
	switch {
	case s.Sets == 1:
		return x, nil
	case s.Ways == 1:
		return math.Log1p(-x/n) / math.Log1p(-1/n), nil
	}
	low, high := x, 2*x+1
	for {
		if y, _ := s.Projection(high); y >= x || high > math.MaxInt64/2 {
			break
		}
		low, high = high, 2*high
	}
	for range 200 {
		mid := low + (high-low)/2
		if y, _ := s.Projection(mid); y < x {
			low = mid
		} else {
			high = mid
		}
	}
	return high, nil
}

// paperFootprint is the inverse of paperProjection: x (N-1)/(N-x) if fully associative [falsafi1997, sec.
// 3.3.6].
func (s Shape) paperFootprint(x float64) (float64, error) {
	if err := s.checkPaper(); err != nil {
		return 0, err
	}
	if s.Sets > 1 || s.Ways == 1 {
		return s.Footprint(x)
	}
	if err := s.checkProjection(x); err != nil {
		return 0, err
	}
	n := float64(s.Ways)
	return x * (n - 1) / (n - x), nil
}

func (s Shape) checkProjection(x float64) error {
	if err := s.check(); err != nil {
		return err
	}
	if !(x >= 0 && x < s.frames()) {
		return fmt.Errorf("a projection of %v blocks in a cache of %v: it must be at least 0 and below the size, because a full cache does not determine the footprint", x, s.frames())
	}
	return nil
}

// queueDistribution returns P{X = k}, k = 0 .. min(n, f), for a footprint of f blocks in a fully associative
// cache of n [falsafi1997, eq. 4]:
//
//	P{X = k} = C(n,k) C(f-1,k-1) / C(f+n-1,n-1)
func queueDistribution(n, f int) ([]float64, error) {
	if n < 1 || f < 0 || n > MaxFrames || f > MaxFrames {
		return nil, fmt.Errorf("%d blocks in %d frames: there must be from 1 to %d frames and from 0 to as many blocks", f, n, MaxFrames)
	}
	if f == 0 {
		return []float64{1}, nil
	}
	out := make([]float64, min(n, f)+1)
	all := logChoose(f+n-1, n-1)
	for k := 1; k < len(out); k++ {
		out[k] = math.Exp(logChoose(n, k) + logChoose(f-1, k-1) - all)
	}
	return out, nil
}

func logChoose(n, k int) float64 {
	if k < 0 || k > n {
		return math.Inf(-1)
	}
	a, _ := math.Lgamma(float64(n) + 1)
	b, _ := math.Lgamma(float64(k) + 1)
	c, _ := math.Lgamma(float64(n-k) + 1)
	return a - b - c
}

// queueMean returns the mean of queueDistribution, in closed form.
func queueMean(n, f float64) float64 {
	if f == 0 {
		return 0
	}
	return min(n, n*f/(n+f-1))
}

// untouched returns (1-1/n)^f, the probability that none of f blocks is in a given set of n.
func untouched(n, f float64) float64 {
	if f == 0 {
		return 1
	}
	return math.Exp(f * math.Log1p(-1/n))
}

// touched returns 1 - untouched, without cancellation.
func touched(n, f float64) float64 {
	if f == 0 {
		return 0
	}
	return -math.Expm1(f * math.Log1p(-1/n))
}

// setLoad is a number of blocks in a set, with its probability p.
type setLoad struct{ k, p float64 }

// For means above maxMean, loads come from a normal distribution, at maxLoads points.
const (
	maxMean  = 1e4
	maxLoads = 96
)

// binnedDistribution returns the distribution with neighbours merged, if it has many terms. It is for sums
// over several distributions of functions that are smooth within a bin.
func binnedDistribution(f, n float64) []setLoad { return binned(distribution(f, n)) }

// distribution returns the distribution of the number of f blocks in a given set of n. It is binomial for
// floor(f) blocks, plus one block that exists with probability f - floor(f).
func distribution(f, n float64) []setLoad {
	whole, part := math.Modf(f)
	mean := f / n
	if n == 1 {
		return []setLoad{{whole, 1 - part}, {whole + 1, part}}
	}
	if mean > maxMean {
		return normalLoads(mean, math.Sqrt(mean*(1-1/n)))
	}
	reach := 9*math.Sqrt(mean) + 20
	first := max(0, math.Floor(mean-reach))
	weights := append(binomial(whole, n, first, min(math.Floor(mean+reach), whole)), 0)
	var all []setLoad
	fewer := 0.0
	for i, w := range weights {
		if p := (1-part/n)*w + part/n*fewer; p > 1e-16 {
			all = append(all, setLoad{first + float64(i), p})
		}
		fewer = w
	}
	return normalized(all)
}

// binomial returns the probability that first to last of the blocks are in a given set of n, relative to the
// mode. It computes ratios of neighbours from the mode on, because factorials of large numbers have errors of
// 10^-9 and more.
func binomial(blocks, n, first, last float64) []float64 {
	w := make([]float64, int(last-first)+1)
	mode := math.Floor(blocks / n)
	w[int(mode-first)] = 1
	for k := mode; k < last; k++ {
		w[int(k+1-first)] = w[int(k-first)] * (blocks - k) / ((k + 1) * (n - 1))
	}
	for k := mode; k > first; k-- {
		w[int(k-1-first)] = w[int(k-first)] * k * (n - 1) / (blocks - k + 1)
	}
	return w
}

// normalized scales probabilities to a sum of 1.
func normalized(all []setLoad) []setLoad {
	total := 0.0
	for _, l := range all {
		total += l.p
	}
	for i := range all {
		all[i].p /= total
	}
	return all
}

func normalLoads(mean, sd float64) (out []setLoad) {
	const reach = 6
	for i := range maxLoads {
		z := reach * (2*(float64(i)+0.5)/maxLoads - 1)
		out = append(out, setLoad{mean + z*sd, distuv.UnitNormal.Prob(z)})
	}
	return normalized(out)
}

// binned merges the loads into at most maxLoads bins.
func binned(all []setLoad) (out []setLoad) {
	width := (len(all) + maxLoads - 1) / maxLoads
	if width <= 1 {
		return all
	}
	for from := 0; from < len(all); from += width {
		var bin setLoad
		for _, l := range all[from:min(from+width, len(all))] {
			bin.k += l.k * l.p
			bin.p += l.p
		}
		bin.k /= bin.p
		out = append(out, bin)
	}
	return out
}
