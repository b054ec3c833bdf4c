package sivasubramaniam1995

import (
	"fmt"
	"math"
	"math/bits"
)

// Verify makes all pairs serially, with a division for the modulus and with the library's logarithm. The counts
// must be equal, except for pairs so near to a border that rounding decides. The sums must be within their error
// bounds.
func (f *ep) Verify() error {
	var s epSerial
	state := f.first
	for range f.pairs {
		var r [2]float64
		for i := range r {
			high, low := bits.Mul64(nasMultiplier, state)
			_, state = bits.Div64(high, low, 1<<nasBits)
			r[i] = float64(state) / (1 << nasBits)
		}
		s.add(2*r[0]-1, 2*r[1]-1)
	}
	var off int64
	for l, count := range f.annuli {
		off += max(count-s.annuli[l], s.annuli[l]-count)
	}
	if off > 2*s.near { // a pair may be missing in one annulus and extra in another
		return fmt.Errorf("counts %v, serially %v, differ by more than %d", f.annuli, s.annuli, 2*s.near)
	}
	for i, sum := range f.sums {
		// The error of either sum is at most n u times the sum of absolute values [higham2002, sec. 4.2].
		bound := s.slack[i] + 2*float64(f.pairs)*0x1p-53*s.size[i]
		if e := math.Abs(sum - s.sums[i]); !(e <= bound) {
			return fmt.Errorf("sum %v differs from the serial one by %.3g, more than %.3g", sum, e, bound)
		}
	}
	return nil
}

// epSerial holds counts and sums, and bounds for their differences to other computations.
type epSerial struct {
	annuli      [epAnnuli]int64
	near        int64 // pairs near to a border
	sums        [2]float64
	size, slack [2]float64 // sums of absolute values and of error bounds
}

// add adds a pair. Let d = 4u be the relative error of t, and also that of logarithm, quotient and products. Then
// the error of X = x s is at most x (d/(t s) + d s), s = sqrt(-2 ln t / t). Two computations of it differ by at
// most twice that.
func (e *epSerial) add(x, y float64) {
	const d = 4 * 0x1p-53
	t := x*x + y*y
	if math.Abs(t-1) <= d {
		e.near++ // another computation may or may not reject the pair
	}
	if t > 1 {
		return
	}
	scale := math.Sqrt(-2 * math.Log(t) / t)
	slack := 2 * d * (1/(t*scale) + scale)
	if t > 1-d {
		slack = math.Sqrt(8 * d) // the difference of two roots is at most the root of the difference of their squares
	}
	for i, v := range [2]float64{x, y} {
		e.sums[i] += v * scale
		e.size[i] += math.Abs(v * scale)
		e.slack[i] += math.Abs(v) * slack
	}
	greatest := max(math.Abs(x), math.Abs(y))
	if math.Floor(greatest*(scale-slack)) != math.Floor(greatest*(scale+slack)) {
		e.near++
	}
	e.annuli[min(int(greatest*scale), epAnnuli-1)]++
}
