package grow

import "math"

// exponents are those of a product of powers of the sizes of the axes, times 2^(round k), times the logarithm of the
// number of ranks if log is set.
type exponents struct {
	size  [maxAxes]float64
	round int8
	log   bool
}

// of returns the product.
func (e *exponents) of(s *sample) float64 {
	x := math.Ldexp(1, int(e.round)*s.round)
	for a, power := range e.size {
		switch power {
		case 0:
		case 1:
			x *= float64(s.place.size[a])
		case -1:
			x /= float64(s.place.size[a])
		default:
			x *= math.Pow(float64(s.place.size[a]), power)
		}
	}
	if e.log {
		x *= float64(rounds(s.place.ranks))
	}
	return x
}

// allPowers lists the products in the order of preference.
var allPowers = func() (all []exponents) {
	for _, size := range [][maxAxes]float64{
		{}, {-1}, {1}, {0, -1}, {0, 0, -1}, {0, 0, 0, -1}, {0, -1, -1}, {0, 0, -1, -1}, {0, -1, 0, -1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 1},
		{-1. / 2}, {1. / 2}, {-2. / 3}, {2. / 3}, {-1. / 3}, {1. / 3}, {-2}, {2}, {-3. / 2}, {3. / 2},
	} {
		for _, round := range []int8{0, -1, 1} {
			all = append(all, exponents{size: size, round: round})
		}
	}
	for _, power := range []float64{0, -1, 1} {
		all = append(all, exponents{size: [maxAxes]float64{power}, log: true})
	}
	return all[1:] // the first one is a constant
}()

// fitPowers returns unit times c times a product of powers: exactly, or rounded down or up. Formulas that change with
// the number of ranks need samples of two such numbers.
func fitPowers(all []sample, unit int64, counts int) (number, bool) {
	for _, e := range allPowers {
		if (e.size != [maxAxes]float64{} || e.log) && counts < 2 {
			continue
		}
		f := number{form: powers, unit: unit, power: e}
		if f.exactly(all) || f.roundedDown(all) || f.roundedUp(all) {
			return f, true
		}
	}
	return number{}, false
}

// exactly sets c so that no value is rounded, if that is possible.
func (f *number) exactly(all []sample) bool {
	f.c = float64(all[0].value/f.unit) / f.power.of(&all[0])
	f.exact, f.up = true, false
	for i := range all {
		v, inexact := f.at(&all[i])
		if inexact || v != all[i].value {
			f.exact = false
			return false
		}
	}
	return true
}

// roundedDown sets c so that rounding down gives all values, if that is possible.
func (f *number) roundedDown(all []sample) bool {
	low, high := 0., math.Inf(1)
	for i := range all {
		u, m := float64(all[i].value/f.unit), f.power.of(&all[i])
		low, high = max(low, u/m), min(high, (u+1)/m)
	}
	f.up = false
	return f.roundest(low, high, all)
}

// roundedUp does the same for rounding up.
func (f *number) roundedUp(all []sample) bool {
	low, high := 0., math.Inf(1)
	for i := range all {
		u, m := float64(all[i].value/f.unit), f.power.of(&all[i])
		low, high = max(low, (u-1)/m), min(high, u/m)
	}
	f.up = true
	return f.roundest(low, high, all)
}

// roundest sets c to the integer between the bounds that is divisible by the largest power of 10, or else of 2.
func (f *number) roundest(low, high float64, all []sample) bool {
	if !(low < high) || high > 1<<52 {
		return false
	}
	for _, base := range []float64{10, 2} {
		for step := math.Pow(base, math.Floor(math.Log(max(high, 1))/math.Log(base))); step >= 1; step /= base {
			f.c = math.Ceil(low/step) * step
			if f.c <= high && f.c > 0 && (base == 2 || step > 1) && f.fitsAll(all) {
				return true
			}
		}
	}
	return false
}
