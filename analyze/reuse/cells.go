package reuse

import "math/bits"

// Capacities at which a sample knows its error are the starts of cells: cell c is
// the distances from cellStart(c) up to the next start. There are four to an octave, so that
// powers of two and the means of neighbouring ones are starts.
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
