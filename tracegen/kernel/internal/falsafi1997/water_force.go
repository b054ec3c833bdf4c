package falsafi1997

import "math"

// bend sets the forces on the atoms of a molecule to the forces within it, and returns their energy. Let d be the
// changes of the distances O-H, O-H and H-H. The energy is
//
//	a/2 (d1^2 + d2^2) + b/2 d3^2 + c (d1 + d2) d3 + d d1 d2.
//
// Here and below, conversions to float64 keep multiplication and addition separate, which some machines could fuse.
// So the result has the same bits on all machines.
func bend(molecules []molecule, forces []int64, i int) int64 {
	for at := 9 * i; at < 9*i+9; at++ {
		forces[at] = 0
	}
	x1, y1, z1 := separation(molecules, i, 3, i, 0)
	x2, y2, z2 := separation(molecules, i, 6, i, 0)
	x3, y3, z3 := separation(molecules, i, 6, i, 3)
	r1, r2, r3 := math.Sqrt(sumOfSquares(x1, y1, z1)), math.Sqrt(sumOfSquares(x2, y2, z2)), math.Sqrt(sumOfSquares(x3, y3, z3))
	d1, d2, d3 := r1-lengthOH, r2-lengthOH, r3-lengthHH
	pull1 := float64(stretch*d1) + float64(stretchWithHH*d3) + float64(stretchBoth*d2)
	pull2 := float64(stretch*d2) + float64(stretchWithHH*d3) + float64(stretchBoth*d1)
	pull3 := float64(stretchHH*d3) + float64(stretchWithHH*(d1+d2))
	repel(forces, 9*i+3, 9*i, -pull1/r1, x1, y1, z1)
	repel(forces, 9*i+6, 9*i, -pull2/r2, x2, y2, z2)
	repel(forces, 9*i+6, 9*i+3, -pull3/r3, x3, y3, z3)
	return int64((float64(pull1*d1) + float64(pull2*d2) + float64(pull3*d3)) / 2 * waterFixed)
}

// separation returns the vector between two atoms. The atoms' coordinates begin at p of molecule i and at q of molecule
// j.
func separation(molecules []molecule, i, p, j, q int) (x, y, z float64) {
	return molecules[i][0][p] - molecules[j][0][q], molecules[i][0][p+1] - molecules[j][0][q+1], molecules[i][0][p+2] - molecules[j][0][q+2]
}

func sumOfSquares(x, y, z float64) float64 { return float64(x*x) + float64(y*y) + float64(z*z) }

// repel adds the force f times (x,y,z) to the atom at p, and subtracts it from the atom at q.
func repel(forces []int64, p, q int, f, x, y, z float64) {
	fx, fy, fz := int64(f*x*waterFixed), int64(f*y*waterFixed), int64(f*z*waterFixed)
	forces[p] += fx
	forces[p+1] += fy
	forces[p+2] += fz
	forces[q] -= fx
	forces[q+1] -= fy
	forces[q+2] -= fz
}

// interact adds the forces between two molecules, and returns their energy. Each of the nine pairs of atoms acts if
// their nearest images are closer than the cutoff. Charges q and p at distance r have the energy
//
//	q p (1/r + r^2/(2 R^3) - 3/(2 R))
//
// Its force is continuous at the cutoff R, where energy and force are zero, as in SPLASH.
func interact(molecules []molecule, forces []int64, i, j int, box, cutoff float64) (energy int64) {
	half, far := box/2, cutoff*cutoff
	for a := 0; a < 9; a += 3 {
		for b := 0; b < 9; b += 3 {
			x, y, z := separation(molecules, i, a, j, b)
			x, y, z = nearestImage(x, box, half), nearestImage(y, box, half), nearestImage(z, box, half)
			s := sumOfSquares(x, y, z)
			if s >= far {
				continue
			}
			charges := coulomb * chargeH * chargeH
			if a == 0 {
				charges *= chargeO / chargeH
			}
			if b == 0 {
				charges *= chargeO / chargeH
			}
			r := math.Sqrt(s)
			f := charges * (1/(s*r) - 1/(far*cutoff))
			e := charges * (1/r + s/(2*far*cutoff) - 3/(2*cutoff))
			if a == 0 && b == 0 {
				lf, le := lennardJones(s, far)
				f += lf
				e += le
			}
			repel(forces, 9*i+a, 9*j+b, f, x, y, z)
			energy += int64(e * waterFixed)
		}
	}
	return energy
}

// nearestImage returns the distance to the nearest periodic image of a point at distance d, along one axis.
func nearestImage(d, box, half float64) float64 {
	if d > half {
		return d - box
	}
	if d < -half {
		return d + box
	}
	return d
}

// lennardJones returns the force between oxygens, divided by their distance, and its energy. The arguments are the
// squares of the distance (s) and of the cutoff (far). As for charges, a multiple of the distance is subtracted
// from the force, so that it is zero at the cutoff.
func lennardJones(s, far float64) (force, energy float64) {
	const sigma6 = sigmaO * sigmaO * sigmaO * sigmaO * sigmaO * sigmaO
	near, end := sigma6/(s*s*s), sigma6/(far*far*far)
	atEnd := 24 * epsilonO * end * (float64(2*end) - 1) / far
	force = float64(24*epsilonO*near*(float64(2*near)-1)/s) - atEnd
	energy = float64(4*epsilonO*near*(near-1)) - float64(4*epsilonO*end*(end-1)) + float64(atEnd*(s-far)/2)
	return force, energy
}
