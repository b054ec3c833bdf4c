package falsafi1997

import (
	"math"

	"spoor/tracegen/kernel/internal/workload"
)

// waterInput puts undistorted molecules with the same orientation on a cubic lattice, as in SPLASH. Free sites are
// spread evenly. Velocities of atoms are random for 298 K, with a total momentum of zero.
func waterInput(n int, box, dt float64, seed uint64) []molecule {
	const thermal = 298 * 8.314462618e-7 // k T
	rng := workload.Generator(seed)
	side := int(math.Ceil(math.Cbrt(float64(n)) - 1e-9))
	spacing := box / float64(side)
	halfAngle := math.Asin(lengthHH / (2 * lengthOH))
	along, across := lengthOH*math.Cos(halfAngle), lengthOH*math.Sin(halfAngle)
	molecules := make([]molecule, n)
	var momentum [3]float64
	for i := range molecules {
		site := i * side * side * side / n
		m := &molecules[i]
		for axis, at := range []int{site / (side * side), site / side % side, site % side} {
			for atom := range 3 {
				m[0][3*atom+axis] = (float64(at) + 0.5) * spacing
				mass := massOf(3 * atom)
				v := math.Sqrt(thermal/mass) * rng.NormFloat64()
				m[1][3*atom+axis] = v * dt
				momentum[axis] += mass * v
			}
		}
		m[0][3], m[0][6] = m[0][3]+along, m[0][6]+along
		m[0][4], m[0][7] = m[0][4]+across, m[0][7]-across
	}
	for i := range molecules {
		for c := range 9 {
			molecules[i][1][c] -= momentum[c%3] / (float64(n) * (massO + 2*massH)) * dt
		}
	}
	return molecules
}
