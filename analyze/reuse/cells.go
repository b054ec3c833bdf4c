package reuse

import "math/bits"

// cells is the number of cells. Cell c holds the distances from cellStart(c) up to the next start. A sample
// knows its error at the capacities where cells start. An octave has four cells, so that cells start at the
// powers of two and at the means of neighbouring powers.
const cells = 252

func cellOf(distance uint64) int {
	n := bits.Len64(distance)
	if n < 3 {
		return int(distance)
	}
	return 4*(n-2) + int(distance>>(n-3)&3)
}

func cellStart(cell int) uint64 {
	if cell < 4 {
		return uint64(cell)
	}
	return uint64(4+cell%4) << (cell/4 - 1)
}
