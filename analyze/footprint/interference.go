package footprint

import (
	"fmt"
	"math"
)

// Interference is how many blocks of a process B takes from the projection of A, which ran
// before and will run again: those that it replaces less the shared ones that it leaves.
// Both have the shared footprint fs, and private ones of fa and fb.
type Interference func(fs, fa, fb float64) (float64, error)

// Interference is [Shape.Others] of one process: with a placement of shared blocks that is the
// same for A and B, and LRU replacement. It is never negative, and 0 where B has no private blocks and
// all fits.
//
// In a fully associative cache of N blocks, A leaves min(N, fs+fa). Of these, B keeps or leaves behind its
// shared blocks, as far as its footprint fits, and what it does not need, A's private ones:
//
//	kept = fs min(1, N/(fs+fb)) + min(max(0, N-fs-fb), fa min(1, N/(fs+fa)))
//
// In a direct-mapped cache of N sets, with q = 1-1/N and s = fs/(fs+fb), it is
//
//	N ((1-s) (1-q^(fs+fb)) - q^(fs+fa) (1-q^fb))
//
// for B takes a set if its last block there is private, unless A had nothing in it. In between, it is
// the sum over sets of the form for fully associative ones, with the blocks of each kind
// that lie in the set binomially distributed.
func (s Shape) Interference(fs, fa, fb float64) (float64, error) {
	return s.Others(1, fs, fa, fb)
}

// Others is Interference of several processes that ran one after the other, each with a private footprint of
// fb. All use the shared blocks, so that what becomes of these is up to the
// last one, while A's private ones have to make way for all private ones. In the forms of
// Interference, that is
//
//	kept = fs min(1, N/(fs+fb)) + min(max(0, N-fs-others fb), fa min(1, N/(fs+fa)))
//	N ((1-s) (1-q^(fs+fb)) - q^fs (1-q^fb) + q^fs (1-q^fa) (1-q^(others fb)))
//
// Differs: [falsafi1997, sec. 3.3.4] takes several for one with the sum of their private footprints,
// which makes the last of them use its shared blocks among all these private ones.
func (s Shape) Others(others int, fs, fa, fb float64) (float64, error) {
	all := float64(others) * fb
	if err := s.Check(fs, fa, fb, all); err != nil {
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
		return max(0, n*(private(fs, fb)*touched(n, fs+fb)-h*touched(n, fb)+h*touched(n, fa)*touched(n, all))), nil
	}
	loss, as, bs, alls := 0.0, loads(fa, n), loads(fb, n), loads(all, n)
	for _, h := range loads(fs, n) {
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
	return max(0, min(n*loss, left)), err // joined loads are up to some 10^-5 off at the corner of what A leaves
}

// keptShared is how many shared blocks a fully associative cache of n blocks has when a process
// with these and fb others has run.
func keptShared(n, fs, fb float64) float64 { return fs * fits(n, fs+fb) }

// keptPrivate is how many of the private blocks of A are left when others have used fb.
func keptPrivate(n, fs, fa, fb float64) float64 {
	return min(max(0, n-fs-fb), fa*fits(n, fs+fa))
}

// fits is the share of a footprint that a cache of n blocks holds.
func fits(n, f float64) float64 {
	if f <= n {
		return 1
	}
	return n / f
}

// private is the share of private blocks in a footprint; 0 if that is empty.
func private(shared, private float64) float64 {
	if shared+private == 0 {
		return 0
	}
	return private / (shared + private)
}

// PaperInterference is the model of [falsafi1997] with its slips corrected: shared
// blocks are placed anew by B, and if fully associative, blocks fill frames as customers fill
// queues. With E[X], E[W] the projections of A and B, both eq. 7 and eq. 13 come to
//
//	I = E[W] (E[X]/N - fs/(fs+fb))
//
// which is negative where B has few private blocks.
//
// Differs: the closed form is the sums of [falsafi1997, eq. 5-7], and of eq. 9-13 with
// P{S=1|Y=l} = fs/(fs+fb) in eq. 10 and P{Y=0} in the row of j = 0 alone in eq. 12; see [Printed] for these.
func (s Shape) PaperInterference(fs, fa, fb float64) (float64, error) {
	if err := s.checkPaper(fs, fa, fb); err != nil {
		return 0, err
	}
	if fs+fb == 0 {
		return 0, nil
	}
	x, err := s.PaperProjection(fs + fa)
	if err != nil {
		return 0, err
	}
	w, err := s.PaperProjection(fs + fb)
	if err != nil {
		return 0, err
	}
	return w * (x/s.Frames() - fs/(fs+fb)), nil
}

// Printed is how the equations for direct-mapped caches are read. The zero value is as they
// are printed; with all set, they are [Shape.PaperInterference].
type Printed struct {
	FromZero bool // the denominator of eq. 10 begins with m = 0, not 1
	Exact    bool // P{S=1|Y=l} is fs/(fs+fb), in place of eq. 10
	Once     bool // eq. 12 adds P{Y=0} to j = 0 alone, not to j = 1 too
}

// maxPrinted bounds the footprints of Printed, whose sums are long.
const maxPrinted = 1 << 20

// Interference is [falsafi1997, eq. 13] for a direct-mapped cache of n sets, from the
// sums of eq. 9-12. It is here for comparison: as printed, it comes to about -n for
// footprints that are small.
func (r Printed) Interference(n, fs, fa, fb int) (float64, error) {
	if n < 1 || min(fs, fa, fb) < 0 || max(n, fs, fa, fb) > maxPrinted {
		return 0, fmt.Errorf("%d sets, footprints of %d, %d and %d blocks: from 1 and from 0 to %d are possible", n, fs, fa, fb, maxPrinted)
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

// exactLoads is the binomial distribution of f blocks over n sets, where it is not negligible.
func exactLoads(f, n int) (out []load) {
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
		out = append(out, load{float64(l), p})
	}
	return out
}

// shared is P{S=1|Y=l} [falsafi1997, eq. 10].
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

// ExtraMisses is how many more misses A has when it runs again after B than without B, in a
// direct-mapped cache of n sets with one placement of shared blocks, each process using each of its blocks once, and
// in the same order every time. It is less than Interference, for A also evicts
// its own blocks, and negative where B leaves what A needs first.
func ExtraMisses(n int, fs, fa, fb float64) (float64, error) {
	if err := (Shape{n, 1}).Check(fs, fa, fb); err != nil {
		return 0, err
	}
	sum := 0.0
	as, bs := loads(fa, float64(n)), loads(fb, float64(n))
	for _, h := range loads(fs, float64(n)) {
		for _, a := range as {
			for _, b := range bs {
				sum += h.p * a.p * b.p * extra(h.k, h.k+a.k, b.k)
			}
		}
	}
	return float64(n) * sum, nil
}

// extra is the extra misses in a set with shared blocks, t of A with these, and private ones of B.
func extra(shared, t, private float64) float64 {
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

// Several is the interference among k processes that take turns, in blocks over one turn of
// each: one has the largest private footprint, all others the average [falsafi1997, eq. 14]. Several
// interfering processes are as one with the sum of their private footprints.
//
//	M(k) = I(fs, largest, (k-1) average) + (k-1) I(fs, average, (k-2) average + largest)
//
// Differs: M(1) = 0, for a process alone is not interfered with, whatever I says.
func Several(i Interference, k int, fs, average, largest float64) (float64, error) {
	if k < 1 {
		return 0, fmt.Errorf("%d processes: there must be one at least", k)
	}
	if k == 1 {
		return 0, (Shape{1, 1}).Check(fs, average, largest)
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

// Turns is how [Several] is to be had of Others: k processes take turns, one with the largest private
// footprint, all others with the average.
func (s Shape) Turns(k int, fs, average, largest float64) (float64, error) {
	if k < 1 {
		return 0, fmt.Errorf("%d processes: there must be one at least", k)
	}
	others := float64(k - 1)
	first, err := s.Others(k-1, fs, largest, average)
	if err != nil || k == 1 {
		return 0, err
	}
	rest, err := s.Others(k-1, fs, average, ((others-1)*average+largest)/others)
	if err != nil {
		return 0, err
	}
	return first + others*rest, nil
}
