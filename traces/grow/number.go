package grow

import "math"

// sample is a recorded number with what it can depend on.
type sample struct {
	place         *place
	round, rounds int
	peer          int32
	value         int64
}

// number is a formula of an amount, such as the bytes of a message.
type number struct {
	form  numberForm
	unit  int64    // the value is a multiple of it
	a     int64    // constant, affine
	b     int64    // affine: per unit of the variable; shares: what is divided
	c     float64  // powers
	with  variable // affine
	power exponents
	exact bool // powers: no recorded value was rounded
	up    bool // powers: rounded up
	axes  uint8
	index variable // shares: whose share it is
	block bool     // shares: in blocks of equal bounds; otherwise the first ones get one more
}

type numberForm uint8

const (
	constant numberForm = 1 + iota
	affine              // a + b x
	powers              // unit times c times a product of powers of the sizes of axes and of 2^k
	shares              // unit times the product of shares along the axes
)

// at returns the value of the formula. The bool reports whether it had to be rounded although no recorded one was.
func (f *number) at(s *sample) (int64, bool) {
	switch f.form {
	case constant:
		return f.a, false
	case affine:
		return f.a + f.b*int64(f.with.of(s)), false
	case powers:
		x := f.c * f.power.of(s)
		return f.unit * f.rounded(x), f.exact && math.Abs(x-math.Round(x)) > 1e-6
	}
	v := f.unit
	for axis := range maxAxes {
		if f.axes>>axis&1 != 0 {
			v *= f.share(s.place.size[axis], f.indexOn(axis, s))
		}
	}
	return v, false
}

// rounded rounds x in the direction of f, without the error of floating-point numbers.
func (f *number) rounded(x float64) int64 {
	slack := 1e-9 + 1e-12*math.Abs(x)
	if f.up {
		return int64(math.Ceil(x - slack))
	}
	return int64(math.Floor(x + slack))
}

// fitsAll reports whether the formula gives all values.
func (f *number) fitsAll(all []sample) bool {
	for i := range all {
		if v, _ := f.at(&all[i]); v != all[i].value {
			return false
		}
	}
	return true
}

// variable is something that a number can depend on.
type variable uint8

const (
	byRank variable = iota
	byPeer
	byRound
	byRanks
	byRankBehind // the rank less the round, modulo the ranks
	byRankPast   // the rank less the round and one
	byRankAhead  // the rank plus the round
	byRankBeyond // the rank plus the round and one
)

// of returns the value of a variable.
func (v variable) of(s *sample) int {
	p := s.place
	switch v {
	case byPeer:
		return int(s.peer)
	case byRound:
		return s.round
	case byRanks:
		return p.ranks
	case byRankBehind:
		return modulo(p.rank-s.round, p.ranks)
	case byRankPast:
		return modulo(p.rank-s.round-1, p.ranks)
	case byRankAhead:
		return modulo(p.rank+s.round, p.ranks)
	case byRankBeyond:
		return modulo(p.rank+s.round+1, p.ranks)
	}
	return p.rank
}

// fit returns the simplest formula of all samples, of which there is at least one.
func fit(all []sample) (number, bool) {
	f := number{form: constant, a: all[0].value}
	if f.fitsAll(all) {
		return f, true
	}
	counts := rankCounts(all)
	for _, v := range []variable{byRound, byPeer, byRank} {
		if f, ok := fitAffine(all, v); ok {
			return f, true
		}
	}
	for _, unit := range units(all) {
		if f, ok := fitPowers(all, unit, counts); ok {
			return f, true
		}
		if f, ok := fitShares(all, unit); ok {
			return f, true
		}
	}
	if counts >= 3 {
		return fitAffine(all, byRanks)
	}
	return f, false
}

// rankCounts returns how many different numbers of ranks the samples have.
func rankCounts(all []sample) int {
	counts := map[int]bool{}
	for _, s := range all {
		counts[s.place.ranks] = true
	}
	return len(counts)
}

// units lists the common divisors of all values from which a size can be made: the sizes of usual elements first.
func units(all []sample) (list []int64) {
	g := int64(0)
	for _, s := range all {
		g = gcd(g, s.value)
	}
	for _, u := range []int64{8, 4, 2, 1} {
		if g%u == 0 {
			list = append(list, u)
		}
	}
	if g > 8 {
		list = append(list, g)
	}
	return list
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// fitAffine returns the formula a + b x of one variable, found from two different values of it.
func fitAffine(all []sample, v variable) (number, bool) {
	x := int64(v.of(&all[0]))
	for i := range all {
		if y := int64(v.of(&all[i])); y != x {
			slope := (all[i].value - all[0].value) / (y - x)
			f := number{form: affine, with: v, b: slope, a: all[0].value - slope*x}
			return f, f.fitsAll(all)
		}
	}
	return number{}, false
}
