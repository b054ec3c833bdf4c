package windtunnel

import (
	"fmt"
	"math"

	"spoor/calibrate/machine"
)

// Asymptote is cost/performance for large K, with T(K,p) about a K + b sqrt(K ln p) and cost about
// p (C_processor + K C_memory), in units of C_memory:
//
//	CP/C_memory = (K + r) (1 + beta/sqrt(K)),  r = C_processor/C_memory,  beta = b/a sqrt(ln p)   [falsafi1997, eq. 21]
type Asymptote struct{ R, Beta float64 }

// CostPerformance is CP/C_memory.
func (a Asymptote) CostPerformance(k float64) float64 { return (k + a.R) * (1 + a.Beta/math.Sqrt(k)) }

// Minimum is K_min, where CostPerformance is least: x^2 of the positive root of its derivative,
//
//	2 x^3 + beta x^2 - r beta = 0
//
// of which there is one by Descartes' rule of signs, in closed form by Cardano's.
//
// Differs: [falsafi1997] has no closed form, and calls CP concave: it falls to K_min and rises from there on.
func (a Asymptote) Minimum() float64 {
	if a.Beta == 0 || a.R == 0 {
		return 0
	}
	s := a.Beta / 6 // x = t - s, t^3 + 3 u t + 2 v = 0
	u, v := -s*s, s*s*s-a.R*a.Beta/4
	var t float64
	if d := v*v + u*u*u; d >= 0 {
		root := math.Cbrt(math.Sqrt(d) - v) // v < 0 here, so that nothing cancels
		t = root - u/root
	} else {
		t = 2 * s * math.Cos(math.Acos(-v/(s*s*s))/3)
	}
	x := t - s
	if !(x > 1e-3*s) { // most of it has cancelled; without the cube it is
		x = math.Sqrt(a.R)
	}
	for range 5 { // what has cancelled comes back by Newton's method
		x -= ((2*x+a.Beta)*x*x - a.R*a.Beta) / ((6*x + 2*a.Beta) * x)
	}
	return x * x
}

// beta says what Beta is, which is not known where targets take less than no time.
func (a Asymptote) beta() string {
	if math.IsNaN(a.Beta) {
		return "beta not known, as a target takes less than no time as printed"
	}
	return fmt.Sprintf("beta = %.4g", a.Beta)
}

// asymptote is that of T(K,p): a is all that each target costs, with the interference among all that were
// measured, and b sqrt(ln p) the imbalance: b = sigma_intra sqrt(2) [falsafi1997, eq. 1].
//
// Differs: unless as published, imbalance is sigma_intra times the expected maximum of p normal variables, which is what sums
// of many times are. That is less: sqrt(2 ln p) is its bound.
func (c *calculator) asymptote(h Host, m *machine.WindTunnel, hosts int) (Asymptote, error) {
	t, err := c.time(c.Targets, 1)
	if err != nil {
		return Asymptote{}, err
	}
	a := float64(t.Total()-t.Overhead) / float64(c.Targets)
	if a <= 0 { // as printed
		a = math.NaN()
	}
	spread := normalMaximum(hosts)
	if c.model.published {
		spread = math.Sqrt(2 * math.Log(float64(hosts)))
	}
	return Asymptote{float64(h.node(m) / m.Memory), float64(c.Sigma) * spread / a}, nil
}
