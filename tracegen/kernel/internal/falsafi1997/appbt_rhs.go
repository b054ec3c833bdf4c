package falsafi1997

// rightHandSide computes dt R(u) at the inner points of the line along x that begins at start.
func rightHandSide(u, rhs, forcing, rho, velocity, square, q []float64, start, n int, dt float64) {
	for at := 5 * (start + 1); at < 5*(start+n-1); at++ {
		rhs[at] = forcing[at]
	}
	differences(u, rhs, rho, velocity, square, q, start, n)
	for at := 5 * (start + 1); at < 5*(start+n-1); at++ {
		rhs[at] *= dt
	}
}

// differences adds R(u), without the forces, at the inner points of a line along x.
func differences(u, rhs, rho, velocity, square, q []float64, start, n int) {
	y, z := start/n%n, start/(n*n)
	for i := 1; i < n-1; i++ {
		p := start + i
		addFluxes(u, rhs, rho, velocity, square, q, p, 1, n, 0)
		addFluxes(u, rhs, rho, velocity, square, q, p, n, n, 1)
		addFluxes(u, rhs, rho, velocity, square, q, p, n*n, n, 2)
		subtractFourth(u, rhs, p, 1, i, n)
		subtractFourth(u, rhs, p, n, y, n)
		subtractFourth(u, rhs, p, n*n, z, n)
	}
}

// addFluxes adds central differences of the fluxes at point p in direction d; the next point is s away. It also
// adds second differences for viscosity, heat conduction and diffusion. Here and below, conversions to float64 keep
// multiplication and addition separate. Some machines could fuse them, and the result would then have other bits.
func addFluxes(u, rhs, rho, velocity, square, q []float64, p, s, n, d int) {
	t := float64(n - 1) // reciprocal of the distance between points
	half, diffusion, shear := t/2, appbtDiffusion[d]*t*t, appbtK34*t*t
	at, hi, lo := 5*p, 5*(p+s), 5*(p-s)
	flow, flowHi, flowLo := velocity[3*p+d], velocity[3*(p+s)+d], velocity[3*(p-s)+d]

	rhs[at] += float64(diffusion*(u[hi]-2*u[at]+u[lo])) - float64(half*(u[hi+1+d]-u[lo+1+d]))
	for a := range 3 {
		m := 1 + a
		momentum := float64(u[hi+m]*flowHi) - float64(u[lo+m]*flowLo)
		viscosity := shear
		if a == d {
			momentum += float64(appbtK2 * (u[hi+4] - square[p+s] - u[lo+4] + square[p-s]))
			viscosity *= appbtPush
		}
		rhs[at+m] += float64(diffusion*(u[hi+m]-2*u[at+m]+u[lo+m])) +
			float64(viscosity*(velocity[3*(p+s)+a]-2*velocity[3*p+a]+velocity[3*(p-s)+a])) - float64(half*momentum)
	}
	energyHi := float64(appbtK1*u[hi+4]) - float64(appbtK2*square[p+s])
	energyLo := float64(appbtK1*u[lo+4]) - float64(appbtK2*square[p-s])
	rhs[at+4] += float64(diffusion*(u[hi+4]-2*u[at+4]+u[lo+4])) +
		float64(appbtHeat*t*t*(q[p+s]-2*q[p]+q[p-s])) +
		float64(shear/6*(float64(flowHi*flowHi)-2*float64(flow*flow)+float64(flowLo*flowLo))) +
		float64(appbtK1345*t*t*(float64(u[hi+4]*rho[p+s])-2*float64(u[at+4]*rho[p])+float64(u[lo+4]*rho[p-s]))) -
		float64(half*(float64(energyHi*flowHi)-float64(energyLo*flowLo)))
}

// subtractFourth subtracts the fourth difference at point p, which is number i of n in its direction; the next
// point is s away. Near the boundary it uses the values that continue the line.
func subtractFourth(u, rhs []float64, p, s, i, n int) {
	for at := 5 * p; at < 5*p+5; at++ {
		var fourth float64
		switch i {
		case 1:
			fourth = float64(5*u[at]) - 4*u[at+5*s] + u[at+10*s]
		case 2:
			fourth = float64(6*u[at]) - 4*u[at-5*s] - 4*u[at+5*s] + u[at+10*s]
		case n - 3:
			fourth = u[at-10*s] - 4*u[at-5*s] + float64(6*u[at]) - 4*u[at+5*s]
		case n - 2:
			fourth = u[at-10*s] - 4*u[at-5*s] + float64(5*u[at])
		default:
			fourth = u[at-10*s] - 4*u[at-5*s] + float64(6*u[at]) - 4*u[at+5*s] + u[at+10*s]
		}
		rhs[at] -= appbtFourth * fourth
	}
}
