package footprint

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Shape is a cache or TLB with LRU replacement: fully associative with one set, direct-mapped
// with one way.
//
// Its methods take footprints in blocks, which may be means and so need not be whole. Blocks
// are placed in sets independently and evenly. Each has the form that simulation bears out and, with
// Paper in its name, the one of [falsafi1997], which is for fully associative and for
// direct-mapped caches alone.
type Shape struct{ Sets, Ways int }

// MaxFrames is the largest number of sets, and of ways.
const MaxFrames = 1 << 30

// Frames is how many blocks it holds.
func (s Shape) Frames() float64 { return float64(s.Sets) * float64(s.Ways) }

// String is the sets times the ways: "2048x1".
func (s Shape) String() string { return fmt.Sprintf("%dx%d", s.Sets, s.Ways) }

// Check is an error about a shape that is none, or about footprints that are none: not finite, or
// below 0.
func (s Shape) Check(footprints ...float64) error {
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
		return fmt.Errorf("a cache of %d sets of %d ways: [falsafi1997] has fully associative and direct-mapped ones", s.Sets, s.Ways)
	}
	return s.Check(footprints...)
}

// Projection is how many blocks of a footprint of f are in the cache when all of them have
// been used, which is the number of misses that flushing the cache causes. A set keeps
// min(ways, blocks that lie in it), of which this is the mean; so it is min(f, N) if fully
// associative, and N (1 - (1-1/N)^f) if direct-mapped [falsafi1997, eq. 8].
func (s Shape) Projection(f float64) (float64, error) {
	if err := s.Check(f); err != nil {
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
	for _, l := range distribution(f, n) { // not joined: the minimum has a corner
		sum += l.p * min(l.k, float64(s.Ways))
	}
	return min(n*sum, f, s.Frames()), nil
}

// PaperProjection is Projection, but for fully associative caches the mean of [falsafi1997, eq. 4], in which
// blocks fill frames as customers fill queues: N f/(N+f-1).
func (s Shape) PaperProjection(f float64) (float64, error) {
	if err := s.checkPaper(f); err != nil {
		return 0, err
	}
	if s.Sets == 1 {
		return queues(float64(s.Ways), f), nil
	}
	return s.Projection(f)
}

// Footprint is the inverse of Projection: of the footprint that leaves x blocks in the
// cache. No footprint leaves more than the cache holds; one that fills it may be of any size.
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

// PaperFootprint is the inverse of PaperProjection: x (N-1)/(N-x) if fully associative
// [falsafi1997, sec. 3.3.6].
func (s Shape) PaperFootprint(x float64) (float64, error) {
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
	if err := s.Check(); err != nil {
		return err
	}
	if !(x >= 0 && x < s.Frames()) {
		return fmt.Errorf("a projection of %v blocks in a cache of %v: it must be from 0 and below that, for a full cache says nothing of what does not fit", x, s.Frames())
	}
	return nil
}

// QueueDistribution is P{X = k}, k = 0 .. min(n, f), of a footprint of f blocks in a fully
// associative cache of n [falsafi1997, eq. 4]:
//
//	P{X = k} = C(n,k) C(f-1,k-1) / C(f+n-1,n-1)
func QueueDistribution(n, f int) ([]float64, error) {
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

// queues is the mean of QueueDistribution, in closed form.
func queues(n, f float64) float64 {
	if f == 0 {
		return 0
	}
	return min(n, n*f/(n+f-1))
}

// untouched is (1-1/n)^f, the probability that none of f blocks lies in a given set of n.
func untouched(n, f float64) float64 {
	if f == 0 {
		return 1
	}
	return math.Exp(f * math.Log1p(-1/n))
}

// touched is 1 - untouched, without the cancellation.
func touched(n, f float64) float64 {
	if f == 0 {
		return 0
	}
	return -math.Expm1(f * math.Log1p(-1/n))
}

// load is how many blocks lie in a set, with probability p.
type load struct{ k, p float64 }

// From maxMean on, loads are taken from a normal distribution, at maxLoads points.
const (
	maxMean  = 1e4
	maxLoads = 96
)

// loads is the distribution, with neighbours joined where there are many terms: for sums over several
// of them, of what is smooth within so few.
func loads(f, n float64) []load { return joined(distribution(f, n)) }

// distribution is that of the number of f blocks that lie in a given set of n: binomial
// of floor(f) blocks and one that is there with probability f - floor(f).
func distribution(f, n float64) []load {
	whole, part := math.Modf(f)
	mean := f / n
	if n == 1 {
		return []load{{whole, 1 - part}, {whole + 1, part}}
	}
	if mean > maxMean {
		return normalLoads(mean, math.Sqrt(mean*(1-1/n)))
	}
	reach := 9*math.Sqrt(mean) + 20
	first := max(0, math.Floor(mean-reach))
	weights := append(binomial(whole, n, first, min(math.Floor(mean+reach), whole)), 0)
	var all []load
	fewer := 0.0
	for i, w := range weights {
		if p := (1-part/n)*w + part/n*fewer; p > 1e-16 {
			all = append(all, load{first + float64(i), p})
		}
		fewer = w
	}
	return normal(all)
}

// binomial is how probable it is, beside the mode, that first to last of so many blocks lie in a given set of n: from
// the mode on by ratios of neighbours, as factorials of large numbers come with errors of 10^-9 and more.
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

// normal scales probabilities to 1.
func normal(all []load) []load {
	total := 0.0
	for _, l := range all {
		total += l.p
	}
	for i := range all {
		all[i].p /= total
	}
	return all
}

func normalLoads(mean, sd float64) (out []load) {
	const reach = 6
	for i := range maxLoads {
		z := reach * (2*(float64(i)+0.5)/maxLoads - 1)
		out = append(out, load{mean + z*sd, distuv.UnitNormal.Prob(z)})
	}
	return normal(out)
}

// joined is the loads in at most maxLoads bins.
func joined(all []load) (out []load) {
	width := (len(all) + maxLoads - 1) / maxLoads
	if width <= 1 {
		return all
	}
	for from := 0; from < len(all); from += width {
		var bin load
		for _, l := range all[from:min(from+width, len(all))] {
			bin.k += l.k * l.p
			bin.p += l.p
		}
		bin.k /= bin.p
		out = append(out, bin)
	}
	return out
}
