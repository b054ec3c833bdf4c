package grow

import "math"

// share returns the part i of b that n parts share.
func (f *number) share(n, i int) int64 {
	if f.block {
		return int64(i+1)*f.b/int64(n) - int64(i)*f.b/int64(n)
	}
	return f.b/int64(n) + int64(btoi(int64(i) < f.b%int64(n)))
}

// indexOn returns whose share it is along an axis.
func (f *number) indexOn(axis int, s *sample) int {
	if axis == 0 {
		return f.index.of(s)
	}
	if f.index == byPeer && s.peer >= 0 {
		return int(s.peer) / s.place.stride[axis] % s.place.size[axis]
	}
	return s.place.coord[axis]
}

// shareAxes lists the sets of axes along which a size may be divided, as bits.
var shareAxes = []uint8{1 << 0, 1 << 1, 1 << 2, 1 << 3, 1<<1 | 1<<2, 1<<1 | 1<<3, 1<<2 | 1<<3, 1<<1 | 1<<2 | 1<<3}

// fitShares returns unit times the product of shares along axes: the parts of arrays of equal sides that are divided
// among the ranks.
func fitShares(all []sample, unit int64) (number, bool) {
	for _, axes := range shareAxes {
		if axes>>all[0].place.axes != 0 {
			continue
		}
		for index := range byRankBeyond + 1 {
			if index == byRanks || index == byRound || index > byPeer && axes != 1 {
				continue
			}
			for _, block := range []bool{false, true} {
				f := number{form: shares, unit: unit, axes: axes, index: index, block: block}
				if f.divided(all) {
					return f, true
				}
			}
		}
	}
	return number{}, false
}

// divided sets what is divided, if all values are shares of it.
func (f *number) divided(all []sample) bool {
	low, high := 0., math.Inf(1)
	for i := range all {
		parts, dims := 1., 0.
		for axis := range maxAxes {
			if f.axes>>axis&1 != 0 {
				parts *= float64(all[i].place.size[axis])
				dims++
			}
		}
		side, u := math.Pow(parts, 1/dims), float64(all[i].value/f.unit)
		low = max(low, (math.Pow(u, 1/dims)-1)*side)
		high = min(high, (math.Pow(u, 1/dims)+1)*side)
	}
	if high > 1<<40 || high-low > 1<<16 {
		return false
	}
	for n := int64(low); n <= int64(math.Ceil(high)); n++ {
		if f.b = n; f.fitsAll(all) {
			return true
		}
	}
	return false
}
