package footprint

import (
	"fmt"
	"math"
)

// interferenceModel computes the number of blocks that process B takes from the projection of A, which ran before and
// will run again. These are the blocks that B replaces, less the shared blocks that it leaves. Both have the
// shared footprint fs. Their private footprints are fa and fb.
type interferenceModel func(fs, fa, fb float64) (float64, error)

// Interference is [Shape.sequentialInterference] of one process. Shared blocks have the same placement for A
// and B, and replacement is LRU. The result is never negative. It is 0 if B has no private blocks and
// everything fits.
//
// In a fully associative cache of N blocks, A leaves min(N, fs+fa). B keeps or leaves behind its shared
// blocks, as far as its footprint fits. It also keeps those private blocks of A for which it does not need
// the space:
//
//	kept = fs min(1, N/(fs+fb)) + min(max(0, N-fs-fb), fa min(1, N/(fs+fa)))
//
// In a direct-mapped cache of N sets, with q = 1-1/N and s = fs/(fs+fb), it is
//
//	N ((1-s) (1-q^(fs+fb)) - q^(fs+fa) (1-q^fb))
//
// because B takes a set if its last block there is private, unless A had nothing in it. For other caches, it
// is the sum over sets of the fully associative form. The blocks of each kind in a set are binomially
// distributed.
func (s Shape) Interference(fs, fa, fb float64) (float64, error) {
	return s.sequentialInterference(1, fs, fa, fb)
}

// sequentialInterference is Interference of several processes that ran one after the other. Each has a
// private footprint of fb. All use the shared blocks, so that the last process determines how many of these
// are left. All private blocks together replace the private blocks of A. In the forms of Interference, the
// result is
//
//	kept = fs min(1, N/(fs+fb)) + min(max(0, N-fs-others fb), fa min(1, N/(fs+fa)))
//	N ((1-s) (1-q^(fs+fb)) - q^fs (1-q^fb) + q^fs (1-q^fa) (1-q^(others fb)))
//
// Differs: [falsafi1997, sec. 3.3.4] treats several processes as one with the sum of their private
// footprints. Then the last process uses its shared blocks among all these private blocks.
func (s Shape) sequentialInterference(others int, fs, fa, fb float64) (float64, error) {
	all := float64(others) * fb
	if err := s.check(fs, fa, fb, all); err != nil {
		return 0, err
	}
	if others < 1 {
		return 0, nil
	}
	n, ways := float64(s.Sets), float64(s.Ways)
	switch {
	case s.Sets == 1:
		return max(0, min(ways, fs+fa)-keptShared(ways, fs, fb)-keptPrivate(ways, fs, fa, all)), nil
	case s.Ways == 1:
		h := untouched(n, fs)
		return max(0, n*(privateShare(fs, fb)*touched(n, fs+fb)-h*touched(n, fb)+h*touched(n, fa)*touched(n, all))), nil
	}
	loss, as, bs, alls := 0.0, binnedDistribution(fa, n), binnedDistribution(fb, n), binnedDistribution(all, n)
	for _, h := range binnedDistribution(fs, n) {
		for _, b := range bs {
			loss -= h.p * b.p * keptShared(ways, h.k, b.k)
		}
		for _, a := range as {
			loss += h.p * a.p * min(ways, h.k+a.k)
			for _, b := range alls {
				loss -= h.p * a.p * b.p * keptPrivate(ways, h.k, a.k, b.k)
			}
		}
	}
	left, err := s.Projection(fs + fa)
	return max(0, min(n*loss, left)), err // binned loads have an error of about 10^-5 where A just fits
}

// keptShared returns the number of shared blocks in a fully associative cache of n blocks after a process has
// used them and fb private ones.
func keptShared(n, fs, fb float64) float64 { return fs * keptShare(n, fs+fb) }

// keptPrivate returns the number of private blocks of A that are left after others have used fb.
func keptPrivate(n, fs, fa, fb float64) float64 {
	return min(max(0, n-fs-fb), fa*keptShare(n, fs+fa))
}

// keptShare returns the share of a footprint that a cache of n blocks holds.
func keptShare(n, f float64) float64 {
	if f <= n {
		return 1
	}
	return n / f
}

// privateShare returns the share of private blocks in a footprint; 0 if it is empty.
func privateShare(shared, private float64) float64 {
	if shared+private == 0 {
		return 0
	}
	return private / (shared + private)
}

// PaperInterference is the model of [falsafi1997] with its errors corrected. B places shared blocks anew. In
// fully associative caches, blocks fill frames as customers fill queues. With the projections E[X] of A and
// E[W] of B, both eq. 7 and eq. 13 become
//
//	I = E[W] (E[X]/N - fs/(fs+fb))
//
// which is negative if B has few private blocks.
//
// Differs: this closed form equals the sums of [falsafi1997, eq. 5-7]. It equals those of eq. 9-13 with two
// corrections: P{S=1|Y=l} = fs/(fs+fb) in eq. 10, and P{Y=0} only in the row of j = 0 in eq. 12. See
// [Printed] for the sums.
func (s Shape) PaperInterference(fs, fa, fb float64) (float64, error) {
	if err := s.checkPaper(fs, fa, fb); err != nil {
		return 0, err
	}
	if fs+fb == 0 {
		return 0, nil
	}
	x, err := s.paperProjection(fs + fa)
	if err != nil {
		return 0, err
	}
	w, err := s.paperProjection(fs + fb)
	if err != nil {
		return 0, err
	}
	return w * (x/s.frames() - fs/(fs+fb)), nil
}

// Printed selects how the equations for direct-mapped caches are read. The zero value reads them as printed.
// With all fields set, the result is [Shape.PaperInterference].
type Printed struct {
	FromZero bool // the denominator of eq. 10 starts with m = 0, not 1
	Exact    bool // P{S=1|Y=l} is fs/(fs+fb), instead of eq. 10
	Once     bool // eq. 12 adds P{Y=0} only to j = 0, not also to j = 1
}

// maxPrinted is the maximum footprint of Printed, whose sums are long.
const maxPrinted = 1 << 20

// Interference is [falsafi1997, eq. 13] for a direct-mapped cache of n sets, from the sums of eq. 9-12. It is
// for comparison only. As printed, it is about -n for small footprints.
func (r Printed) Interference(n, fs, fa, fb int) (float64, error) {
	if n < 1 || min(fs, fa, fb) < 0 || max(n, fs, fa, fb) > maxPrinted {
		return 0, fmt.Errorf("%d sets, footprints of %d, %d and %d blocks: sets must be from 1, footprints from 0, to %d", n, fs, fa, fb, maxPrinted)
	}
	none := untouched(float64(n), float64(fs+fb)) // P{Y=0}
	var shared, other float64                     // P{S=1,Y>=1}, P{S=0,Y>=1}
	for _, l := range exactLoads(fs+fb, n) {
		if l.k == 0 {
			continue
		}
		s := r.shared(fs, fb, int(l.k))
		shared += s * l.p
		other += (1 - s) * l.p
	}
	a := touched(float64(n), float64(fs+fa)) // P{X=1}
	left := (1 - a) * shared
	if !r.Once {
		left += none
	}
	return float64(n) * (a*other - left), nil
}

// exactLoads returns the binomial distribution of f blocks over n sets, without negligible terms.
func exactLoads(f, n int) (out []setLoad) {
	q := math.Log1p(-1 / float64(n))
	for l := 0; l <= f; l++ {
		p := 0.0
		if n > 1 {
			p = math.Exp(logChoose(f, l) - float64(l)*math.Log(float64(n)) + float64(f-l)*q)
		} else if l == f {
			p = 1
		}
		if p < 1e-17 && l > f/n {
			break
		}
		out = append(out, setLoad{float64(l), p})
	}
	return out
}

// shared returns P{S=1|Y=l} [falsafi1997, eq. 10].
func (r Printed) shared(fs, fb, l int) float64 {
	if r.Exact {
		return float64(fs) / float64(fs+fb)
	}
	from := 1
	if r.FromZero {
		from = 0
	}
	var num, den float64
	all := logChoose(fs+fb, l)
	for m := from; m <= min(l, fs); m++ {
		ways := logChoose(fs, m) + logChoose(fb, l-m) - all
		num += math.Exp(ways + logChoose(l-1, m-1))
		den += math.Exp(ways + logChoose(l, m))
	}
	if den == 0 {
		return 0
	}
	return num / den
}

// extraMisses returns the additional misses of A when it runs again after B, compared with no B. It is for a
// direct-mapped cache of n sets with one placement of shared blocks. Each process uses each of its blocks
// once, always in the same order. The result is below Interference, because A also evicts its own blocks. It
// is negative if B leaves the blocks that A needs first.
func extraMisses(n int, fs, fa, fb float64) (float64, error) {
	if err := (Shape{n, 1}).check(fs, fa, fb); err != nil {
		return 0, err
	}
	sum := 0.0
	as, bs := binnedDistribution(fa, float64(n)), binnedDistribution(fb, float64(n))
	for _, h := range binnedDistribution(fs, float64(n)) {
		for _, a := range as {
			for _, b := range bs {
				sum += h.p * a.p * b.p * extraInSet(h.k, h.k+a.k, b.k)
			}
		}
	}
	return float64(n) * sum, nil
}

// extraInSet returns the extra misses in a set with the given shared blocks, t blocks of A including these,
// and the given private blocks of B.
func extraInSet(shared, t, private float64) float64 {
	switch {
	case t == 1 && shared == 1:
		return private / (1 + private)
	case t == 1 && private > 0:
		return 1
	case t > 1 && shared > 0:
		return -shared / t / (shared + private)
	}
	return 0
}

// TurnInterference returns the interference among k processes that take turns, in blocks over one turn of
// each. One process has the largest private footprint, all others have the average [falsafi1997, eq. 14].
// Several interfering processes count as one with the sum of their private footprints.
//
//	M(k) = I(fs, largest, (k-1) average) + (k-1) I(fs, average, (k-2) average + largest)
//
// Differs: M(1) = 0, because a single process has no interference, whatever I is.
func TurnInterference(i interferenceModel, k int, fs, average, largest float64) (float64, error) {
	if k < 1 {
		return 0, fmt.Errorf("%d processes: at least 1 is needed", k)
	}
	if k == 1 {
		return 0, (Shape{1, 1}).check(fs, average, largest)
	}
	others := float64(k - 1)
	first, err := i(fs, largest, others*average)
	if err != nil {
		return 0, err
	}
	rest, err := i(fs, average, (others-1)*average+largest)
	if err != nil {
		return 0, err
	}
	return first + others*rest, nil
}

// TurnInterference is [TurnInterference] with sequentialInterference as the model.
func (s Shape) TurnInterference(k int, fs, average, largest float64) (float64, error) {
	if k < 1 {
		return 0, fmt.Errorf("%d processes: at least 1 is needed", k)
	}
	others := float64(k - 1)
	first, err := s.sequentialInterference(k-1, fs, largest, average)
	if err != nil || k == 1 {
		return 0, err
	}
	rest, err := s.sequentialInterference(k-1, fs, average, ((others-1)*average+largest)/others)
	if err != nil {
		return 0, err
	}
	return first + others*rest, nil
}
