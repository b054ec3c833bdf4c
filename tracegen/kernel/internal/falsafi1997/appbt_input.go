package falsafi1997

// appbtCoefficients are the coefficients of the steady state [RNR-94-007]. For each variable they are the constant,
// then those of x, y and z, of their squares, cubes and fourth powers.
var appbtCoefficients = [5][13]float64{
	{2, 0, 0, 4, 5, 3, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3},
	{1, 0, 0, 0, 1, 2, 3, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5},
	{2, 2, 0, 0, 0, 2, 3, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4},
	{2, 2, 0, 0, 0, 2, 3, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3},
	{5, 4, 3, 2, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2},
}

// appbtExact returns the steady state at a point of the unit cube.
func appbtExact(x, y, z float64) (u [5]float64) {
	for m, c := range appbtCoefficients {
		u[m] = c[0] +
			x*(c[1]+x*(c[4]+x*(c[7]+x*c[10]))) +
			y*(c[2]+y*(c[5]+y*(c[8]+y*c[11]))) +
			z*(c[3]+z*(c[6]+z*(c[9]+z*c[12])))
	}
	return u
}

// appbtFill sets the variables of all points to the results of f.
func appbtFill(n int, f func(x, y, z float64) [5]float64) []float64 {
	h := 1 / float64(n-1)
	u := make([]float64, 0, 5*n*n*n)
	for k := range n {
		for j := range n {
			for i := range n {
				v := f(float64(i)*h, float64(j)*h, float64(k)*h)
				u = append(u, v[:]...)
			}
		}
	}
	return u
}

// appbtStart returns the start values. On the boundary they are the steady state. Inside, the values at the ends of
// the lines are interpolated in three directions, and the three results are combined [RNR-94-007].
func appbtStart(n int) []float64 {
	return appbtFill(n, func(x, y, z float64) (u [5]float64) {
		inside := func(t float64) bool { return t > 0 && t < float64(n-1)*(1/float64(n-1)) }
		if !inside(x) || !inside(y) || !inside(z) {
			return appbtExact(x, y, z)
		}
		west, east := appbtExact(0, y, z), appbtExact(1, y, z)
		south, north := appbtExact(x, 0, z), appbtExact(x, 1, z)
		bottom, top := appbtExact(x, y, 0), appbtExact(x, y, 1)
		for m := range u {
			px := x*east[m] + (1-x)*west[m]
			py := y*north[m] + (1-y)*south[m]
			pz := z*top[m] + (1-z)*bottom[m]
			u[m] = px + py + pz - px*py - px*pz - py*pz + px*py*pz
		}
		return u
	})
}

// appbtForcing returns the forces for which the steady state is steady: the negative of R there without forces.
func appbtForcing(n int) []float64 {
	u, forcing, flow := appbtFill(n, appbtExact), make([]float64, 5*n*n*n), newAppbtFlow(n*n*n)
	for line := range n * n {
		deriveFlow(u, flow.rho, flow.velocity, flow.square, flow.q, line*n, n)
	}
	for k := 1; k < n-1; k++ {
		for j := 1; j < n-1; j++ {
			differences(u, forcing, flow.rho, flow.velocity, flow.square, flow.q, (k*n+j)*n, n)
		}
	}
	for i := range forcing {
		forcing[i] = -forcing[i]
	}
	return forcing
}
