package windtunnel

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"spoor/traces/unit"
)

// placedDraws is the number of quanta of each kind to draw from the joint distribution of hosts. With 16
// kinds, the standard error of a mean maximum is below 0.3 % if every host has all or no work, and ten times
// less otherwise.
const placedDraws = 1024

// joint describes the work of hosts in quanta of one kind: mean and standard deviation of each host, in
// cycles, and the correlations.
type joint struct {
	weight   float64 // share of quanta
	mean, sd []float64
	factor   []float64 // lower triangular root of the correlations, row by row
}

// joints returns the joint distributions of all kinds of quanta. The slice of has the host of each target.
func (s *Samples) joints(hosts int, of []int, c cost) (out []joint) {
	n := s.quanta()
	order, _ := s.ordered()
	kinds := max(1, min(quantumKinds, n/minPerKind))
	for k := range kinds {
		part := order[k*n/kinds : (k+1)*n/kinds]
		loads := make([][]float64, hosts)
		for _, q := range part {
			for h, x := range s.loads(q.quantum, hosts, of, c) {
				loads[h] = append(loads[h], x)
			}
		}
		out = append(out, newJoint(float64(len(part))/float64(n), loads))
	}
	return out
}

// minPerKind is the least number of quanta of a kind, so that covariances do not rest on a handful.
const minPerKind = 32

// newJoint computes the moments of the work of each host in quanta of a kind.
func newJoint(weight float64, loads [][]float64) joint {
	hosts := len(loads)
	j := joint{weight, make([]float64, hosts), make([]float64, hosts), make([]float64, hosts*hosts)}
	for h, x := range loads {
		j.mean[h], j.sd[h] = stat.PopMeanStdDev(x, nil)
	}
	n := float64(len(loads[0]))
	for h := range hosts {
		for g := range h {
			if s := j.sd[h] * j.sd[g] * n; s > 0 {
				for i, x := range loads[h] {
					j.factor[h*hosts+g] += (x - j.mean[h]) * (loads[g][i] - j.mean[g]) / s
				}
			}
		}
		j.factor[h*hosts+h] = 1
	}
	root(j.factor, hosts)
	return j
}

// root replaces the lower triangle of a positive semidefinite matrix by its Cholesky factor. A row that
// earlier rows determine has pivot 0 and contributes nothing to later rows.
func root(a []float64, n int) {
	const nothing = 1e-9
	for i := range n {
		for j := range i + 1 {
			v := a[i*n+j]
			for k := range j {
				v -= a[i*n+k] * a[j*n+k]
			}
			switch pivot := a[j*n+j]; {
			case i == j:
				a[i*n+j] = math.Sqrt(max(0, v))
			case pivot > nothing:
				a[i*n+j] = v / pivot
			default:
				a[i*n+j] = 0
			}
		}
	}
}

// maximum returns the expected maximum over hosts of their work. Each has a beta distribution between 0 and
// most. The correlations are those of a multivariate normal distribution: a Gaussian copula [cario1997].
func (j *joint) maximum(most float64, random *rand.Rand) float64 {
	hosts := len(j.mean)
	marginals := make([]marginal, hosts)
	for h := range hosts {
		marginals[h] = newMarginal(j.mean[h], j.sd[h], most)
	}
	e, sum := make([]float64, hosts), 0.0
	for range placedDraws / 2 {
		var longest [2]float64 // of a draw and its mirror image
		for h := range hosts {
			e[h] = random.NormFloat64()
			z := 0.0
			for i, f := range j.factor[h*hosts : h*hosts+h+1] {
				z += f * e[i]
			}
			longest[0], longest[1] = max(longest[0], marginals[h].at(z)), max(longest[1], marginals[h].at(-z))
		}
		sum += longest[0] + longest[1]
	}
	return sum / placedDraws
}

// marginal is a beta distribution as a function of a normal variable: its quantiles at Phi(z).
type marginal struct {
	mean, sd, most float64
	x, cdf         []float64 // points of the distribution function, rising; none: normal
}

// newMarginal returns the beta distribution from 0 to most with this mean and standard deviation. If the
// deviation is as large as possible, the values are 0 and most only.
func newMarginal(mean, sd, most float64) marginal {
	m := marginal{mean: mean, sd: sd, most: most}
	if sd <= smallest*mean || mean <= 0 || mean >= most {
		m.sd = 0
		return m
	}
	share, v := mean/most, sd*sd/(most*most)
	sum := share*(1-share)/v - 1
	if sum > narrow {
		return m
	}
	if sum < smallest {
		m.x, m.cdf = []float64{0, 0, most, most}, []float64{0, 1 - share, 1 - share, 1}
		return m
	}
	const points, reach, ends = 256, 8, 10
	lo, hi := max(0, mean-reach*sd), min(most, mean+reach*sd)
	for i := range points + 1 { // points are dense at the ends, where a distribution may be steep
		x := lo + (hi-lo)/(1+math.Exp(ends*(1-2*float64(i)/points)))
		m.x, m.cdf = append(m.x, x), append(m.cdf, mathext.RegIncBeta(share*sum, (1-share)*sum, x/most))
	}
	return m
}

// at returns the quantile at Phi(z), interpolated between points.
func (m *marginal) at(z float64) float64 {
	if m.cdf == nil {
		return min(max(0, m.mean+m.sd*z), m.most)
	}
	u := distuv.UnitNormal.CDF(z)
	i, _ := slices.BinarySearch(m.cdf, u)
	if i == 0 || i == len(m.cdf) {
		return m.x[min(i, len(m.x)-1)]
	}
	part := (u - m.cdf[i-1]) / (m.cdf[i] - m.cdf[i-1])
	return m.x[i-1] + part*(m.x[i]-m.x[i-1])
}

// placed returns T(K,p) of the measured targets, with the known sharing of hosts. For each kind of quanta it
// uses the means and the covariances of the work of hosts. The work includes all that a host does for a
// target, so the slowest host is the slowest in total. The time beyond processing is divided as that of all
// targets.
//
// Differs: [falsafi1997, eq. 1] assumes equal, independent targets, as if they were placed anew in every
// quantum.
func (c *calculator) placed(k, hosts int) (Time, error) {
	if t, known := c.known[hosts]; known {
		return t, nil
	}
	t := Time{Work: unit.Cycles(k) * c.Mu, Overhead: c.Overhead}
	var each cost // cost of a target that is active, or runs
	each.active, each.running = c.direct(1, 0), c.direct(0, 1)
	switching := each.active
	var missing [2]float64
	for i, l := range []struct {
		*Level
		name string
	}{{&c.Cache, "cache"}, {&c.TLB, "TLB"}} {
		m, err := c.missesOf(l.name, l.Level, k)
		if err != nil {
			return Time{}, err
		}
		missing[i] = m / float64(k) * float64(l.Miss)
		each.active += missing[i]
	}
	processing := c.longestOf(hosts, cost{})
	t.Imbalance = unit.Cycles(processing) - t.Work
	beyond := min(c.longestOf(hosts, each)-processing, float64(k)*(each.active+each.running)) // a host pays at most for the targets that it has
	if all := each.active*c.Active + each.running*c.Running; all > 0 {
		t.Switch = unit.Cycles(beyond * (switching*c.Active + each.running*c.Running) / all)
		t.Cache, t.TLB = unit.Cycles(beyond*missing[0]*c.Active/all), unit.Cycles(beyond*missing[1]*c.Active/all)
	}
	c.known[hosts] = t
	return t, nil
}

// longestOf returns the mean over quanta of the work of the slowest host, with the cost of each target. The
// sampled quanta are scaled to the mean length of all.
func (c *calculator) longestOf(hosts int, each cost) float64 {
	k := c.Targets / hosts
	random := rand.New(rand.NewPCG(1, uint64(hosts)))
	most, sum := float64(k)*(float64(c.Quantum)+each.active+each.running), 0.0
	for _, j := range c.Sampled.joints(hosts, c.placement.Of(k, hosts), each) {
		sum += j.weight * j.maximum(most, random)
	}
	return sum * c.Sampled.scale(c.Parameters, each)
}

// scale returns the ratio of the time of a target in all quanta, by p, to that in the sampled quanta.
func (s *Samples) scale(p *Parameters, each cost) float64 {
	sampled := 0.0
	for at := range s.times {
		sampled += s.load(at, each)
	}
	all := float64(p.Targets)*float64(p.Mu) + p.Active*each.active + p.Running*each.running
	return quotient(all, sampled/float64(s.quanta()))
}
