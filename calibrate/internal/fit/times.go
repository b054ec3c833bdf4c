package fit

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"spoor/analyze/bootstrap"
)

// ShortestTime is the least accepted time of a measurement in seconds: a femtosecond, far below the resolution of
// any clock. Squares of much shorter times, and of their inverses, are out of the range of numbers.
const ShortestTime = 1e-15

// Times are repeated measurements of points, in clusters. Times of a cluster were measured together and can have a
// common error, for example those of a launch of the program.
type Times struct {
	Of      [][]float64 // by point and cluster; NaN: not measured
	Cluster string      // noun for the clusters, such as "launches"
	Take    Take        // time of a point; empty: the mean of its clusters
}

// clusters returns the number of clusters.
func (t *Times) clusters() int {
	if len(t.Of) == 0 {
		return 0
	}
	return len(t.Of[0])
}

// Means returns the time of each point: the mean of its clusters, or what Take says.
func (t *Times) Means() []float64 {
	all := make([]int, t.clusters())
	for c := range all {
		all[c] = 1
	}
	means, _ := t.drawn(all)
	return means
}

// drawn returns the times of the points if cluster c counts times[c] times. count is 1 for points that were
// measured in these clusters, else 0.
func (t *Times) drawn(times []int) (means []float64, count []int) {
	means, count = make([]float64, len(t.Of)), make([]int, len(t.Of))
	for p, row := range t.Of {
		if y, measured := t.Take.of(row, times); measured {
			means[p], count[p] = y, 1
		}
	}
	return means, count
}

// MaxFloor is the largest noise floor for which parameters are computed.
const MaxFloor = 0.002

// TooNoisyError is the error of times whose repetitions disagree.
type TooNoisyError struct {
	What   string
	Floor  float64
	Points int
}

// Error gives the noise floor and its limit.
func (e *TooNoisyError) Error() string {
	return fmt.Sprintf("%s: too noisy: the noise floor of split halves is %.3g of the variance between %d points, and must not be above %g; no parameters",
		e.What, e.Floor, e.Points, MaxFloor)
}

// Estimate computes parameters from the mean times of points. Point i counts drawn[i] times; if that is 0, its
// mean has no meaning.
type Estimate func(means []float64, drawn []int) ([]float64, error)

// Spread is the variation of parameters.
type Spread struct {
	SD   []float64 // standard deviations; NaN if not known
	df   []float64 // degrees of freedom
	What string    // description of the bootstrap, for people
}

const (
	replicates = 200
	// mostFailed is the largest share of replicates without solution. With more, the others are no representative
	// sample.
	mostFailed = 0.2
)

// Spread estimates the variation of parameters by two bootstraps: over points, with all their clusters, and over
// clusters, with all their points. The variances add. Both contain the noise of single measurements, so that
// intervals are up to 1.4 times too wide if there is no other variation. Variances of few draws are too low by
// (k-1)/k, which is corrected.
//
// Variances over clusters are doubled. The interval is for the result of another run of the same points, which has
// an error of its own, not for the true value.
//
// Few points can determine a coefficient, as large messages do if errors grow with time. Therefore the degrees of
// freedom over points are the effective number of points, (sum u^2)^2 / sum u^4, where u are the changes from
// leaving out one point.
//
// If fixed is set, the points are not resampled: the estimate is for these very points.
func (t *Times) Spread(e Estimate, parameters int, fixed bool, seed uint64) Spread {
	return t.SpreadWith(e, parameters, t.ClusterSD(e, parameters, seed), fixed, seed)
}

// ClusterSD returns the standard deviations of parameters over draws of clusters; NaN if too many draws have no
// solution. It returns nil if there is only one cluster.
func (t *Times) ClusterSD(e Estimate, parameters int, seed uint64) []float64 {
	if t.clusters() < 2 {
		return nil
	}
	return replicate(e, parameters, rand.New(rand.NewPCG(seed, ofClusters)), t.drawClusters)
}

// SpreadWith is Spread with given standard deviations over clusters. Use it if these are of a larger estimate than
// e, for example one that also divides points into groups.
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

// variance has sums of variances of parameters, and of their squares over the degrees of freedom.
type variance struct{ of, perFreedom []float64 }

func (v *variance) add(sd []float64, factor float64, freedom []float64) {
	for j := range sd {
		one := sd[j] * sd[j] * factor
		v.of[j] += one
		v.perFreedom[j] += one * one / freedom[j]
	}
}

// maxLeftOut is the largest number of points that are left out one by one. With more points, no few of them
// dominate.
const maxLeftOut = 400

// effectivePoints returns the effective number of points that determine each parameter, at most free.
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
	return t.Means(), bootstrap.Draw[int](r, len(t.Of))
}

func (t *Times) drawClusters(r *rand.Rand) ([]float64, []int) {
	return t.drawn(bootstrap.Draw[int](r, t.clusters()))
}

// replicate returns the standard deviations of parameters over draws; NaN if too many have no solution.
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

// Interval returns the interval in which another run finds parameter j in 95 of 100 cases, given that this run
// found value. The true value is inside more often. The interval is value plus or minus Student's t times the
// standard deviation. It is NaN if that is not known.
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
