package falsafi1997

import (
	"fmt"
	"math"
)

// Verify compares u, to the bit, with the method on one processor, written directly from its definition. There,
// states of five numbers and matrices are values, and every quantity is computed from the states where it is
// needed. Verify also checks that u has come nearer to the steady state: with too long a step it diverges.
func (f *appbt) Verify() error {
	s := newSerialBT(f.n, f.dt)
	for range f.iterations {
		s.iterate()
	}
	for at, got := range f.u {
		if want := s.u[at/5][at%5]; got != want {
			return fmt.Errorf("variable %d of point (%d,%d,%d) is %v, serially %v",
				at%5, at/5%f.n, at/5/f.n%f.n, at/5/f.n/f.n, got, want)
		}
	}
	before, after := appbtErrors(appbtStart(f.n), f.n), appbtErrors(f.u, f.n)
	for m := range after {
		if !(after[m] < before[m]) {
			return fmt.Errorf("the error of variable %d goes from %.3g to %.3g: a step of %g is too long for size %d",
				m, before[m], after[m], f.dt, f.n)
		}
	}
	return nil
}

// appbtErrors returns the root mean squares of the differences to the steady state, by variable, for the number of
// inner points, as in NAS.
func appbtErrors(u []float64, n int) (errors [5]float64) {
	for at, exact := range appbtFill(n, appbtExact) {
		errors[at%5] += (u[at] - exact) * (u[at] - exact)
	}
	for m := range errors {
		errors[m] = math.Sqrt(errors[m] / float64((n-2)*(n-2)*(n-2)))
	}
	return errors
}

type (
	state  [5]float64
	matrix [5][5]float64
)

type serialBT struct {
	n          int
	dt         float64
	u, forcing []state
}

func newSerialBT(n int, dt float64) *serialBT {
	return &serialBT{n: n, dt: dt, u: states(appbtStart(n)), forcing: states(appbtForcing(n))}
}

func states(v []float64) []state {
	s := make([]state, len(v)/5)
	for i := range s {
		s[i] = state(v[5*i : 5*i+5])
	}
	return s
}

func (s *serialBT) iterate() {
	n := s.n
	du := make([]state, len(s.u))
	s.inner(func(p int, at [3]int) {
		du[p] = s.rate(p, at)
		for m := range du[p] {
			du[p][m] *= s.dt
		}
	})
	for d, along := range []int{1, n, n * n} {
		s.inner(func(p int, at [3]int) {
			if at[d] == 1 { // a line begins
				s.solve(du, p, along, d)
			}
		})
	}
	for p := range s.u {
		for m := range s.u[p] {
			s.u[p][m] += du[p][m]
		}
	}
}

// inner calls f for all inner points and their coordinates.
func (s *serialBT) inner(f func(p int, at [3]int)) {
	for k := 1; k < s.n-1; k++ {
		for j := 1; j < s.n-1; j++ {
			for i := 1; i < s.n-1; i++ {
				f((k*s.n+j)*s.n+i, [3]int{i, j, k})
			}
		}
	}
}

func (u state) velocity(d int) float64 { return u[1+d] * (1 / u[0]) }
func (u state) square() float64 {
	return 0.5 * (float64(u[1]*u[1]) + float64(u[2]*u[2]) + float64(u[3]*u[3])) * (1 / u[0])
}
func (u state) q() float64 { return u.square() * (1 / u[0]) }

// rate returns R at point p.
func (s *serialBT) rate(p int, at [3]int) state {
	r := s.forcing[p]
	for d, along := range []int{1, s.n, s.n * s.n} {
		s.addDirection(&r, s.u[p-along], s.u[p], s.u[p+along], d)
	}
	for d, along := range []int{1, s.n, s.n * s.n} {
		for m := range r {
			r[m] -= appbtFourth * s.fourth(p, along, at[d], m)
		}
	}
	return r
}

// addDirection adds to r the contribution of the states before, at and after a point in direction d.
func (s *serialBT) addDirection(r *state, before, here, after state, d int) {
	t := float64(s.n - 1)
	second := func(coefficient float64, f func(state) float64) float64 {
		return float64(coefficient * (f(after) - 2*f(here) + f(before)))
	}
	for m := range r {
		change := second(appbtDiffusion[d]*t*t, func(u state) float64 { return u[m] })
		if m > 0 && m < 4 {
			viscosity := appbtK34 * t * t
			if m == 1+d {
				viscosity *= appbtPush
			}
			change += second(viscosity, func(u state) float64 { return u.velocity(m - 1) })
		}
		if m == 4 {
			change += second(appbtHeat*t*t, state.q)
			change += second(appbtK34*t*t/6, func(u state) float64 { return float64(u.velocity(d) * u.velocity(d)) })
			change += second(appbtK1345*t*t, func(u state) float64 { return float64(u[4] * (1 / u[0])) })
		}
		r[m] += change - float64(t/2*s.fluxChange(before, after, m, d))
	}
}

// fluxChange returns the difference of the flux of variable m in direction d between two states.
func (s *serialBT) fluxChange(before, after state, m, d int) float64 {
	switch m {
	case 0:
		return after[1+d] - before[1+d]
	case 4:
		enthalpy := func(u state) float64 { return float64(appbtK1*u[4]) - float64(appbtK2*u.square()) }
		return float64(enthalpy(after)*after.velocity(d)) - float64(enthalpy(before)*before.velocity(d))
	}
	change := float64(after[m]*after.velocity(d)) - float64(before[m]*before.velocity(d))
	if m == 1+d {
		change += float64(appbtK2 * (after[4] - after.square() - before[4] + before.square()))
	}
	return change
}

// fourth returns the fourth difference of variable m at point p, which is number i in the direction; points are
// along apart.
func (s *serialBT) fourth(p, along, i, m int) float64 {
	weights := []float64{1, -4, 6, -4, 1}
	switch i {
	case 1:
		weights = []float64{0, 0, 5, -4, 1}
	case 2:
		weights = []float64{0, -4, 6, -4, 1}
	case s.n - 3:
		weights = []float64{1, -4, 6, -4, 0}
	case s.n - 2:
		weights = []float64{1, -4, 5, 0, 0}
	}
	var sum float64
	for k, w := range weights {
		if w != 0 {
			sum += float64(w * s.u[p+(k-2)*along][m])
		}
	}
	return sum
}

// solve solves the system of the line whose first inner point is p.
func (s *serialBT) solve(du []state, p, along, d int) {
	rows := s.n - 2
	above := make([]matrix, rows) // elements above the diagonal of ones after elimination
	for i := range rows {
		here := p + i*along
		lower, diagonal, upper := s.blockRow(here, along, d)
		if i > 0 {
			du[here] = du[here].minus(lower, du[here-along])
			diagonal = diagonal.minus(lower, above[i-1])
		}
		above[i], du[here] = diagonal.divide(upper, du[here])
	}
	for i := rows - 2; i >= 0; i-- {
		here := p + i*along
		du[here] = du[here].minus(above[i], du[here+along])
	}
}

// blockRow returns the factors of du before, at and after point p.
func (s *serialBT) blockRow(p, along, d int) (lower, diagonal, upper matrix) {
	t := float64(s.n - 1)
	convection, diffusion := s.dt*t/2, s.dt*t*t
	fluxBefore, viscousBefore := derivatives(s.u[p-along], d)
	_, viscous := derivatives(s.u[p], d)
	fluxAfter, viscousAfter := derivatives(s.u[p+along], d)
	for i := range 5 {
		for j := range 5 {
			lower[i][j] = -float64(convection*fluxBefore[i][j]) - float64(diffusion*viscousBefore[i][j])
			diagonal[i][j] = 2 * diffusion * viscous[i][j]
			upper[i][j] = float64(convection*fluxAfter[i][j]) - float64(diffusion*viscousAfter[i][j])
		}
		lower[i][i] -= diffusion * appbtDiffusion[d]
		diagonal[i][i] += 1 + 2*(diffusion*appbtDiffusion[d])
		upper[i][i] -= diffusion * appbtDiffusion[d]
	}
	return lower, diagonal, upper
}

// derivatives returns the derivatives of flux and viscous terms in direction d with respect to u.
func derivatives(u state, d int) (flux, viscous matrix) {
	t, flow := 1/u[0], u[1+d]
	flux[0][1+d] = 1
	viscous[4][0] = -(appbtK1345 * t * t * u[4])
	for i := 1; i < 4; i++ {
		flux[i][0] = -(flow * u[i] * t * t)
		flux[i][1+d] = u[i] * t
		flux[i][i] += flow * t
		flux[4][i] = -(appbtK2 * u[i] * flow * t * t)
		viscosity := appbtK34
		if i == 1+d {
			viscosity *= appbtPush
		}
		viscous[i][0], viscous[i][i] = -(viscosity * t * t * u[i]), viscosity*t
		viscous[4][0] -= float64((viscosity - appbtK1345) * t * t * t * u[i] * u[i])
		viscous[4][i] = (viscosity - appbtK1345) * t * t * u[i]
	}
	for i := 1; i < 4; i++ {
		flux[1+d][i] -= float64(appbtK2 * u[i] * t)
	}
	flux[1+d][0] += float64(appbtK2 * u.q())
	flux[1+d][4] = appbtK2
	flux[4][0] = (float64(2*appbtK2*u.square()) - float64(appbtK1*u[4])) * flow * t * t
	flux[4][1+d] += float64(appbtK1*u[4]*t) - float64(appbtK2*u.q())
	flux[4][4], viscous[4][4] = appbtK1*flow*t, appbtK1345*t
	return flux, viscous
}

// minus returns y - m x.
func (y state) minus(m matrix, x state) state {
	for i := range y {
		for j := range x {
			y[i] -= float64(m[i][j] * x[j])
		}
	}
	return y
}

func (y matrix) minus(m, x matrix) matrix {
	for i := range y {
		for j := range y[i] {
			for k := range x {
				y[i][j] -= float64(m[i][k] * x[k][j])
			}
		}
	}
	return y
}

// divide returns b^-1 c and b^-1 r, by Gauss-Jordan elimination of (b c r).
func (b matrix) divide(c matrix, r state) (matrix, state) {
	var rows [5][11]float64
	for i := range rows {
		copy(rows[i][:5], b[i][:])
		copy(rows[i][5:10], c[i][:])
		rows[i][10] = r[i]
	}
	for k := range rows {
		reciprocal := 1 / rows[k][k]
		for j := k; j < 11; j++ {
			rows[k][j] *= reciprocal
		}
		for i := range rows {
			for j := 10; i != k && j >= k; j-- {
				rows[i][j] -= float64(rows[i][k] * rows[k][j])
			}
		}
	}
	for i := range rows {
		copy(c[i][:], rows[i][5:10])
		r[i] = rows[i][10]
	}
	return c, r
}
