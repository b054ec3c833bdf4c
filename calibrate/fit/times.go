package fit

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// ShortestTime is the least time, in seconds, that is believed of a measurement: a femtosecond, which is far below what any clock
// can tell. Squares of what is shorter by far, and of their inverses, leave the range of numbers.
const ShortestTime = 1e-15

// Times are repeated measurements of points, by cluster: what was measured together and may be off
// together, such as a launch of the program.
type Times struct {
	Of      [][]float64 // by point and cluster; NaN where there is none
	Cluster string      // what a cluster is: "launches"
}

// clusters is how many there are.
func (t *Times) clusters() int {
	if len(t.Of) == 0 {
		return 0
	}
	return len(t.Of[0])
}

// Means are the mean times of the points.
func (t *Times) Means() []float64 {
	all := make([]int, t.clusters())
	for c := range all {
		all[c] = 1
	}
	means, _ := t.drawn(all)
	return means
}

// drawn is the means of the points if cluster c counts so many times, and whether a point was
// measured there at all.
func (t *Times) drawn(times []int) (means []float64, count []int) {
	means, count = make([]float64, len(t.Of)), make([]int, len(t.Of))
	for p, row := range t.Of {
		sum, n := 0.0, 0
		for c, y := range row {
			if times[c] > 0 && !math.IsNaN(y) {
				sum += float64(times[c]) * y
				n += times[c]
			}
		}
		if n > 0 {
			means[p], count[p] = sum/float64(n), 1
		}
	}
	return means, count
}

// Floor is the share of the variance between points that is noise, so that no model can have a
// lower Errors.Ratio but by luck: clusters are split into halves, those of even and of odd index, and with m1 and
// m2 the means of k1 and k2 of a point's k clusters it is
//
//	sum (k1 k2/k^2) (m1-m2)^2 / SST,
//
// whose terms estimate the variance of the mean of all k. It is false if no point was
// measured in both halves, or all alike.
func (t *Times) Floor() (floor float64, known bool) {
	noise, halved := 0.0, 0
	for _, row := range t.Of {
		var sum [2]float64
		var n [2]float64
		for c, y := range row {
			if !math.IsNaN(y) {
				sum[c%2] += y
				n[c%2]++
			}
		}
		if n[0] > 0 && n[1] > 0 {
			apart, all := sum[0]/n[0]-sum[1]/n[1], n[0]+n[1]
			noise += n[0] * n[1] / (all * all) * apart * apart
			halved++
		}
	}
	means := t.Means()
	if halved == 0 || len(means) < 2 {
		return math.NaN(), false
	}
	sst := stat.PopVariance(means, nil) * float64(halved) // of as many points as noise is of
	return noise / sst, sst > 0
}

// MaxFloor is the largest noise floor at which there are parameters at all.
const MaxFloor = 0.002

// TooNoisyError is the error of times on which repetitions do not agree.
type TooNoisyError struct {
	What   string
	Floor  float64
	Points int
}

// Error has the numbers.
func (e *TooNoisyError) Error() string {
	return fmt.Sprintf("%s: too noisy: the noise floor of split halves is %.3g of the variance between %d points, and must not be above %g; no parameters",
		e.What, e.Floor, e.Points, MaxFloor)
}

// Estimate finds parameters from the mean times of points; drawn is how often each point counts, and its mean
// is not to be looked at if that is 0.
type Estimate func(means []float64, drawn []int) ([]float64, error)

// Spread is by how much parameters vary.
type Spread struct {
	SD   []float64 // standard deviations; NaN if not known
	df   []float64 // degrees of freedom
	What string    // of what, for people
}

const (
	replicates = 200
	// mostFailed is the share of replicates that may have no solution before the rest is no sample of anything.
	mostFailed = 0.2
)

// Spread bootstraps: points are drawn anew, with all their clusters, and clusters, with all their points.
// Variances of the two add. The noise of single measurements is in both, so that intervals are wide rather
// than narrow: up to 1.4 times where there is nothing else. Variances of few draws are too low by
// (k-1)/k, which is made good.
//
// Variances over clusters are doubled: intervals are to hold what another run of the same points finds, which has an
// error of its own, and not just the true value.
//
// Few points may decide a coefficient, as large messages do where errors grow with time: the degrees of
// freedom over points are how many do, (sum u^2)^2 / sum u^4 of the changes u that leaving out one makes.
//
// Points count as given (and not drawn) if fixed is set: what is estimated then belongs to these
// very points.
func (t *Times) Spread(e Estimate, parameters int, fixed bool, seed uint64) Spread {
	return t.SpreadWith(e, parameters, t.ClusterSD(e, parameters, seed), fixed, seed)
}

// ClusterSD is the standard deviations of parameters over draws of clusters, NaN where too many draws have no solution; nil if there
// is but one cluster.
func (t *Times) ClusterSD(e Estimate, parameters int, seed uint64) []float64 {
	if t.clusters() < 2 {
		return nil
	}
	return replicate(e, parameters, rand.New(rand.NewPCG(seed, ofClusters)), t.drawClusters)
}

// SpreadWith is Spread where standard deviations over clusters are of what estimates more than e does, such as which points
// belong together.
func (t *Times) SpreadWith(e Estimate, parameters int, overClusters []float64, fixed bool, seed uint64) Spread {
	sum := variance{filled(parameters, 0), filled(parameters, 0)}
	points := !fixed && len(t.Of) > parameters
	if points {
		free := float64(len(t.Of) - parameters)
		sd := replicate(e, parameters, rand.New(rand.NewPCG(seed, ofPoints)), t.drawPoints)
		sum.add(sd, float64(len(t.Of))/free, t.effectivePoints(e, parameters, free))
	}
	clusters := overClusters != nil
	if clusters {
		free := float64(t.clusters() - 1)
		sum.add(overClusters, 2*(free+1)/free, filled(parameters, free))
	}
	s := Spread{What: t.what(points, clusters, seed)}
	for j, v := range sum.of {
		if !points && !clusters {
			v = math.NaN()
		}
		s.SD, s.df = append(s.SD, math.Sqrt(v)), append(s.df, v*v/sum.perFreedom[j])
	}
	return s
}

// variance is a sum of variances of parameters, and of their squares over their degrees of freedom.
type variance struct{ of, perFreedom []float64 }

func (v *variance) add(sd []float64, factor float64, freedom []float64) {
	for j := range sd {
		one := sd[j] * sd[j] * factor
		v.of[j] += one
		v.perFreedom[j] += one * one / freedom[j]
	}
}

// maxLeftOut is up to how many points are left out one by one; with more, no few of them decide.
const maxLeftOut = 400

// effectivePoints is how many points decide about each parameter, at most free.
func (t *Times) effectivePoints(e Estimate, parameters int, free float64) []float64 {
	freedom := filled(parameters, free)
	means, drawn := t.Means(), make([]int, len(t.Of))
	for p := range drawn {
		drawn[p] = 1
	}
	all, err := e(means, drawn)
	if err != nil || len(drawn) > maxLeftOut {
		return freedom
	}
	squares, fourths := make([]float64, parameters), make([]float64, parameters)
	for p := range drawn {
		drawn[p] = 0
		if without, err := e(means, drawn); err == nil {
			for j := range all {
				u := (without[j] - all[j]) * (without[j] - all[j])
				squares[j] += u
				fourths[j] += u * u
			}
		}
		drawn[p] = 1
	}
	for j := range freedom {
		if fourths[j] > 0 {
			freedom[j] = max(1, min(free, squares[j]*squares[j]/fourths[j]))
		}
	}
	return freedom
}

// Streams of random numbers.
const (
	ofPoints   = 1
	ofClusters = 2
)

func (t *Times) what(points, clusters bool, seed uint64) string {
	switch {
	case points && clusters:
		return fmt.Sprintf("bootstrap over %d points and %d %s, seed %d", len(t.Of), t.clusters(), t.Cluster, seed)
	case points:
		return fmt.Sprintf("bootstrap over %d points, seed %d; says nothing of other runs", len(t.Of), seed)
	case clusters:
		return fmt.Sprintf("bootstrap over %d %s, seed %d", t.clusters(), t.Cluster, seed)
	}
	return "no interval, as nothing was repeated"
}

func (t *Times) drawPoints(r *rand.Rand) (means []float64, drawn []int) {
	drawn = make([]int, len(t.Of))
	for range drawn {
		drawn[r.IntN(len(drawn))]++
	}
	return t.Means(), drawn
}

func (t *Times) drawClusters(r *rand.Rand) ([]float64, []int) {
	times := make([]int, t.clusters())
	for range times {
		times[r.IntN(len(times))]++
	}
	return t.drawn(times)
}

// replicate is the standard deviations of parameters over draws; NaN if too many have no solution.
func replicate(e Estimate, parameters int, r *rand.Rand, draw func(*rand.Rand) ([]float64, []int)) []float64 {
	found := make([][]float64, parameters)
	for range replicates {
		values, err := e(draw(r))
		if err != nil {
			continue
		}
		for j, v := range values {
			found[j] = append(found[j], v)
		}
	}
	sd := filled(parameters, math.NaN())
	for j, values := range found {
		if float64(len(values)) >= (1-mostFailed)*replicates {
			sd[j] = stat.StdDev(values, nil)
		}
	}
	return sd
}

// Interval is where another run finds parameter j in 95 of 100 cases, if this one found value; the truth is inside more
// often. It is Student's t times the standard deviation to either side, and NaN if that is not known.
func (s *Spread) Interval(j int, value float64) (lo, hi float64) {
	switch sd := s.SD[j]; {
	case math.IsNaN(sd):
		return math.NaN(), math.NaN()
	case sd == 0:
		return value, value
	default:
		half := sd * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: s.df[j]}.Quantile(0.975)
		return value - half, value + half
	}
}

func filled(n int, v float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v
	}
	return out
}
