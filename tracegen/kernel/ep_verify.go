package kernel

import (
	"fmt"
	"math"
	"math/bits"
)

// Verify makes all pairs serially, with a division for the modulus and the library's
// logarithm. The counts must be the same but for pairs so near to a border that
// rounding decides; the sums must be within the bound of their errors.
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
	if off > 2*s.near { // a pair may be missing here and be too many there
		return fmt.Errorf("counts %v, serially %v, differ by more than %d", f.annuli, s.annuli, 2*s.near)
	}
	for i, sum := range f.sums {
		// Either sum is off by no more than n u times the sum of absolute values [higham2002, sec. 4.2].
		bound := s.slack[i] + 2*float64(f.pairs)*0x1p-53*s.size[i]
		if e := math.Abs(sum - s.sums[i]); !(e <= bound) {
			return fmt.Errorf("sum %v differs from the serial one by %.3g, more than %.3g", sum, e, bound)
		}
	}
	return nil
}

// epSerial is counts and sums, and how far others may be from them.
type epSerial struct {
	annuli      [epAnnuli]int64
	near        int64 // pairs near to a border
	sums        [2]float64
	size, slack [2]float64 // sums of absolute values and of error bounds
}

// add adds a pair. With d = 4u the relative error of t, and that of logarithm, quotient
// and products besides, X = x s is off by x (d/(t s) + d s) at most, s = sqrt(-2 ln t / t),
// and twice that is how far two computations of it may be apart.
func (e *epSerial) add(x, y float64) {
	const d = 4 * 0x1p-53
	t := x*x + y*y
	if math.Abs(t-1) <= d {
		e.near++ // another computation may reject the pair, or not
	}
	if t > 1 {
		return
	}
	scale := math.Sqrt(-2 * math.Log(t) / t)
	slack := 2 * d * (1/(t*scale) + scale)
	if t > 1-d {
		slack = math.Sqrt(8 * d) // of two roots, that of the difference of their squares is the bound
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
