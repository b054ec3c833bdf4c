package falsafi1997

// jacobians computes the derivatives of flux and of viscous terms, 5x5 matrices, at the inner points of the line in
// direction d that begins at start.
func jacobians(u, rho, square, q, flux, viscous []float64, start, along, n, d int) {
	for i := 1; i < n-1; i++ {
		p := start + i*along
		fluxJacobian(u, rho, square, q, flux[25*i:25*i+25], p, d)
		viscousJacobian(u, rho, viscous[25*i:25*i+25], p, d)
	}
}

// fluxJacobian computes the derivative of the flux in direction d with respect to u.
func fluxJacobian(u, rho, square, q, f []float64, p, d int) {
	t, flow, energy := rho[p], u[5*p+1+d], u[5*p+4]
	for at := range f {
		f[at] = 0
	}
	f[1+d] = 1
	for a := range 3 {
		row, momentum := 5*(1+a), u[5*p+1+a]
		f[row] = -(flow * momentum * t * t)
		f[row+1+d] = momentum * t
		f[row+1+a] += flow * t
	}
	row := 5 * (1 + d)
	f[row] += float64(appbtK2 * q[p])
	f[20] = (float64(2*appbtK2*square[p]) - float64(appbtK1*energy)) * flow * t * t
	for a := range 3 {
		momentum := u[5*p+1+a]
		f[row+1+a] -= float64(appbtK2 * momentum * t)
		f[20+1+a] = -(appbtK2 * momentum * flow * t * t)
	}
	f[row+4] = appbtK2
	f[20+1+d] += float64(appbtK1*energy*t) - float64(appbtK2*q[p])
	f[24] = appbtK1 * flow * t
}

// viscousJacobian computes the derivative of the viscous terms and of heat conduction in direction d with respect
// to u.
func viscousJacobian(u, rho, v []float64, p, d int) {
	t := rho[p]
	for at := range v {
		v[at] = 0
	}
	v[20] = -(appbtK1345 * t * t * u[5*p+4])
	for a := range 3 {
		viscosity, momentum := appbtK34, u[5*p+1+a]
		if a == d {
			viscosity *= appbtPush
		}
		v[5*(1+a)] = -(viscosity * t * t * momentum)
		v[5*(1+a)+1+a] = viscosity * t
		v[20] -= float64((viscosity - appbtK1345) * t * t * t * momentum * momentum)
		v[20+1+a] = (viscosity - appbtK1345) * t * t * momentum
	}
	v[24] = appbtK1345 * t
}

// blocks sets up the system of a line. Block row i has a, b and c for points i-1, i and i+1.
func blocks(flux, viscous, a, b, c []float64, n, d int, dt float64) {
	t := float64(n - 1)
	convection, diffusion := dt*t/2, dt*t*t
	diagonal := diffusion * appbtDiffusion[d]
	for i := 1; i < n-1; i++ {
		for m := range 25 {
			at := 25*i + m
			b[at] = 2 * diffusion * viscous[at]
			if i > 1 {
				a[at] = -float64(convection*flux[at-25]) - float64(diffusion*viscous[at-25])
			}
			if i < n-2 {
				c[at] = float64(convection*flux[at+25]) - float64(diffusion*viscous[at+25])
			}
		}
		for m := 0; m < 25; m += 6 {
			at := 25*i + m
			b[at] += 1 + 2*diagonal
			a[at] -= diagonal
			c[at] -= diagonal
		}
	}
}

// solveBlocks replaces the right-hand side of a line's system by the solution, by block elimination.
func solveBlocks(a, b, c, rhs []float64, start, along, n int) {
	for i := 1; i < n-1; i++ {
		at, r := 25*i, 5*(start+i*along)
		if i > 1 {
			subtractVector(rhs, r, a[at:at+25], r-5*along)
			subtractMatrix(b[at:at+25], a[at:at+25], c[at-25:at])
		}
		eliminate(b[at:at+25], c[at:at+25], rhs[r:r+5])
	}
	for i := n - 3; i >= 1; i-- {
		r := 5 * (start + i*along)
		subtractVector(rhs, r, c[25*i:25*i+25], r+5*along)
	}
}

// subtractVector subtracts matrix m times the vector at x from the vector at y.
func subtractVector(rhs []float64, y int, m []float64, x int) {
	for row := range 5 {
		sum := rhs[y+row]
		for col := range 5 {
			sum -= float64(m[5*row+col] * rhs[x+col])
		}
		rhs[y+row] = sum
	}
}

// subtractMatrix subtracts the product of x and y from m.
func subtractMatrix(m, x, y []float64) {
	for row := range 5 {
		for col := range 5 {
			sum := m[5*row+col]
			for k := range 5 {
				sum -= float64(x[5*row+k] * y[5*k+col])
			}
			m[5*row+col] = sum
		}
	}
}

// eliminate replaces c and r by b^-1 c and b^-1 r, by Gauss-Jordan elimination without pivoting. This is possible
// because b is near the identity.
func eliminate(b, c, r []float64) {
	for k := range 5 {
		pivot := 1 / b[6*k]
		for col := k + 1; col < 5; col++ {
			b[5*k+col] *= pivot
		}
		for col := range 5 {
			c[5*k+col] *= pivot
		}
		r[k] *= pivot
		for row := range 5 {
			if row == k {
				continue
			}
			l := b[5*row+k]
			for col := k + 1; col < 5; col++ {
				b[5*row+col] -= float64(l * b[5*k+col])
			}
			for col := range 5 {
				c[5*row+col] -= float64(l * c[5*k+col])
			}
			r[row] -= float64(l * r[k])
		}
	}
}
