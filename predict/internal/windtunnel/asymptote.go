package windtunnel

import (
	"fmt"
	"math"

	"spoor/calibrate/machine"
)

// asymptote is cost/performance for large K. There T(K,p) is about a K + b sqrt(K ln p), and the cost is about
// p (C_processor + K C_memory). In units of C_memory it is
//
//	CP/C_memory = (K + r) (1 + beta/sqrt(K)),  r = C_processor/C_memory,  beta = b/a sqrt(ln p)   [falsafi1997, eq. 21]
type asymptote struct{ R, Beta float64 }

// costPerformance returns CP/C_memory.
func (a asymptote) costPerformance(k float64) float64 { return (k + a.R) * (1 + a.Beta/math.Sqrt(k)) }

// minimum returns K_min, where costPerformance is least. It is x^2 of the positive root of its derivative,
//
//	2 x^3 + beta x^2 - r beta = 0
//
// which is unique by Descartes' rule of signs, and has a closed form by Cardano's formula.
//
// Differs: [falsafi1997] has no closed form, and calls CP concave. CP falls to K_min and then rises.
func (a asymptote) minimum() float64 {
	if a.Beta == 0 || a.R == 0 {
		return 0
	}
	s := a.Beta / 6 // x = t - s, t^3 + 3 u t + 2 v = 0
	u, v := -s*s, s*s*s-a.R*a.Beta/4
	var t float64
	if d := v*v + u*u*u; d >= 0 {
		root := math.Cbrt(math.Sqrt(d) - v) // v < 0 here, so nothing cancels
		t = root - u/root
	} else {
		t = 2 * s * math.Cos(math.Acos(-v/(s*s*s))/3)
	}
	x := t - s
	if !(x > 1e-3*s) { // most digits have cancelled; then the cube is negligible
		x = math.Sqrt(a.R)
	}
	for range 5 { // Newton's method restores the cancelled digits
		x -= ((2*x+a.Beta)*x*x - a.R*a.Beta) / ((6*x + 2*a.Beta) * x)
	}
	return x * x
}

// beta formats Beta. As printed, it is not known if a target takes negative time.
func (a asymptote) beta() string {
	if math.IsNaN(a.Beta) {
		return "beta is not known: as printed, a target takes negative time"
	}
	return fmt.Sprintf("beta = %.4g", a.Beta)
}

// asymptote returns the asymptote of T(K,p). Here a is the cost of each target, with the interference among
// all measured ones, and b sqrt(ln p) is the imbalance: b = sigma_intra sqrt(2) [falsafi1997, eq. 1].
//
// Differs: unless published, the imbalance is sigma_intra times the expected maximum of p normal variables,
// since sums of many times are normal. That is less: sqrt(2 ln p) is its upper bound.
func (c *calculator) asymptote(h host, m *machine.WindTunnel, hosts int) (asymptote, error) {
	t, err := c.time(c.Targets, 1)
	if err != nil {
		return asymptote{}, err
	}
	a := float64(t.total()-t.Overhead) / float64(c.Targets)
	if a <= 0 { // as printed
		a = math.NaN()
	}
	spread := normalMaximum(hosts)
	if c.model.published {
		spread = math.Sqrt(2 * math.Log(float64(hosts)))
	}
	return asymptote{float64(h.node(m) / m.Memory), float64(c.Sigma) * spread / a}, nil
}
