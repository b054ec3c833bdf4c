package grow

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/mat"
)

// blockParts are the parts of the work on a block of an array, whose sides are those of the array divided by the sizes of a
// grid of ranks. The part with the bits of some dimensions is in proportion to the product of these sides: in two
// dimensions a constant, one for each side, and one for the area. So loops over rows cost something besides their elements.
type blockParts [1 << (maxAxes - 1)]float64

// at returns the work of a rank.
func (b *blockParts) at(p *place) (sum float64) {
	for dims := range 1 << (p.axes - 1) {
		sum += b[dims] * p.block(dims)
	}
	return sum
}

// block returns the product of some sides of a block, if the array has sides of one.
func (p *place) block(dims int) float64 {
	product := 1.
	for d := 1; d < p.axes; d++ {
		if dims>>(d-1)&1 != 0 {
			product /= float64(p.size[d])
		}
	}
	return product
}

// fitBlocks returns as few parts as possible that deviate from points by less than a tolerance, none of them negative. If several choices of so many
// parts do, it returns their mean, which does too. It needs a grid and three points.
func fitBlocks(x []*place, y []float64, tolerance float64) (mean blockParts, ok bool) {
	if len(x) < 3 || x[0].axes < 3 {
		return mean, false
	}
	for size := 2; size <= len(x); size++ {
		found := 0.
		for choice := range uint(1) << (1 << (x[0].axes - 1)) {
			if bits.OnesCount(choice) != size {
				continue
			}
			if parts, ok := solveBlocks(x, y, choice); ok && parts.deviation(x, y) < tolerance {
				found++
				for i := range parts {
					mean[i] += parts[i]
				}
			}
		}
		if found > 0 {
			for i := range mean {
				mean[i] /= found
			}
			return mean, true
		}
	}
	return mean, false
}

// solveBlocks returns the chosen parts by least squares. It returns false if one is negative.
func solveBlocks(x []*place, y []float64, choice uint) (parts blockParts, ok bool) {
	terms := mat.NewDense(len(x), bits.OnesCount(choice), nil)
	for i, p := range x {
		for k, left := 0, choice; left != 0; k, left = k+1, left&(left-1) {
			terms.Set(i, k, p.block(bits.TrailingZeros(left)))
		}
	}
	var found mat.VecDense
	if err := found.SolveVec(terms, mat.NewVecDense(len(y), y)); err != nil {
		return parts, false
	}
	for k, left := 0, choice; left != 0; k, left = k+1, left&(left-1) {
		if parts[bits.TrailingZeros(left)] = found.AtVec(k); !(found.AtVec(k) >= 0) {
			return parts, false
		}
	}
	return parts, true
}

// deviation returns the largest deviation of the points.
func (b *blockParts) deviation(x []*place, y []float64) (most float64) {
	for i := range x {
		most = max(most, math.Abs(b.at(x[i])-y[i]))
	}
	return most
}
