package meshes

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"spoor/tracegen/kernel/internal/workload"
)

// Verify compares the result with a serial simulation of the same points, exactly, and with the equilibrium of the
// network.
func (f *apucs) Verify() error {
	if err := f.compareWithSerial(); err != nil {
		return err
	}
	return f.compareWithEquilibrium()
}

// points returns the next points of streams before end, in order.
func (f *apucs) points(streams []stream, end float64) []point {
	var all []point
	for i := range streams {
		for streams[i].next < end {
			all = append(all, f.network.draw(&streams[i]))
		}
	}
	slices.SortFunc(all, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	return all
}

// serialQueues are the stations of all ranks in a serial simulation.
type serialQueues struct {
	jobs, left    []int32
	busy, changed []float64
	moved         int64 // jobs that moved from one rank to another
}

// change adds jobs to a station, or removes them.
func (s *serialQueues) change(at int, time float64, by int32) {
	s.busy[at] += float64(float64(s.jobs[at]) * (time - s.changed[at]))
	s.changed[at] = time
	s.jobs[at] += by
}

// handle executes a point; each rank has n stations.
func (s *serialQueues) handle(p point, n int) {
	source, target := int(p.from)*n+int(p.source), int(p.to)*n+int(p.target)
	if p.source != elsewhere {
		if s.jobs[source] == 0 {
			return
		}
		s.change(source, p.time, -1)
	}
	if p.target == elsewhere {
		s.left[source]++
		return
	}
	s.change(target, p.time, 1)
	if p.from != p.to {
		s.moved++
	}
}

// compareWithSerial moves jobs at the points of all streams in the order of time, without windows and messages.
func (f *apucs) compareWithSerial() error {
	n, procs := f.network.stations, f.network.procs
	s := serialQueues{jobs: make([]int32, procs*n), left: make([]int32, procs*n), busy: make([]float64, procs*n), changed: make([]float64, procs*n)}
	for i := range s.jobs {
		s.jobs[i] = f.station[i].jobs
	}
	var streams []stream
	for from := range procs {
		for to := range procs {
			streams = append(streams, f.network.stream(from, to, f.seed))
		}
	}
	for end := 1; end <= f.time; end++ {
		for _, p := range f.points(streams, float64(end)) {
			s.handle(p, n)
		}
	}
	for i := range s.jobs {
		s.change(i, float64(f.time), 0)
	}
	return f.compareResults(&s)
}

func (f *apucs) compareResults(want *serialQueues) error {
	for at := range want.jobs {
		rank, s := at/f.network.stations, at%f.network.stations
		got := f.result[rank]
		if got.jobs[s] != want.jobs[at] || got.left[s] != want.left[at] || math.Float64bits(got.busy[s]) != math.Float64bits(want.busy[at]) {
			return fmt.Errorf("station %d of rank %d: %d jobs, %d left the network, integral %v; by serial simulation %d, %d, %v",
				s, rank, got.jobs[s], got.left[s], got.busy[s], want.jobs[at], want.left[at], want.busy[at])
		}
		if got.totals[0] != want.moved || got.totals[1] < want.moved {
			return fmt.Errorf("rank %d counts %d jobs between ranks in %d messages; by serial simulation there were %d jobs",
				rank, got.totals[0], got.totals[1], want.moved)
		}
	}
	return nil
}

// improbable is the probability below which a result counts as wrong. For any seed, the tests below reject a right
// result at most this often.
const improbable = 1e-12

// compareWithEquilibrium compares two numbers with their distributions, because the network starts in equilibrium.
//
// The jobs that leave are a Poisson process [Burke's theorem]. For a mean of m and a deviation of u m, its tails
// are below exp(-m h(u)), h(u) = (1+u) log(1+u) - u.
//
// The number N of jobs at any time is a sum of geometric numbers [Jackson's theorem]. So for each t the mean of
// exp(t N) is the product of (1-load)/(1-load exp(t)). Let A be the average of N over time. The exponential is
// convex, so the mean of exp(t A) is at most that product. Then the tails of A are below exp(-t A) times it
// [Chernoff's bound].
func (f *apucs) compareWithEquilibrium() error {
	left, average := 0.0, 0.0
	for rank := range f.result {
		for s := range f.network.stations {
			left += float64(f.result[rank].left[s])
			average += f.result[rank].busy[s] / float64(f.time)
		}
	}
	mean := f.network.arrivalRate() * float64(len(f.station)) * float64(f.time)
	if tail := poissonTail(left, mean); tail < math.Log(improbable) {
		return fmt.Errorf("%v jobs left the network, expected %v: the logarithm of the probability is below %.3g", left, mean, tail)
	}
	if tail := f.jobsTail(average); tail < math.Log(improbable) {
		return fmt.Errorf("on average there were %v jobs: the logarithm of the probability is below %.3g", average, tail)
	}
	return nil
}

// poissonTail bounds the logarithm of the probability of a value at least as far from the mean as x.
func poissonTail(x, mean float64) float64 {
	if x == 0 {
		return -mean
	}
	return x - mean - x*math.Log(x/mean)
}

// jobsTail bounds the logarithm of the probability that the average number of jobs is as far from its mean. Every t
// gives a bound; the best of some values of t is used.
func (f *apucs) jobsTail(average float64) float64 {
	greatest := 0.0
	for _, s := range f.station {
		greatest = max(greatest, s.load)
	}
	limit := -math.Log(greatest) // below it the mean of exp(t N) is finite
	best := 0.0
	for step := 1; step <= 200; step++ {
		t := limit * (1 - float64(step)/20) // from just below the limit to below 0
		bound := -t * average
		for _, s := range f.station {
			bound += math.Log1p(-s.load) - math.Log1p(-s.load*math.Exp(t))
		}
		best = min(best, bound)
	}
	return best
}

func (f *apucs) Digest() string {
	var all []any
	for i := range f.result {
		r := &f.result[i]
		all = append(all, r.jobs, r.left, r.busy, r.totals)
	}
	return workload.Digest(all...)
}

// Counts predicts nothing: the number of messages depends on data.
func (f *apucs) Counts() workload.Counts { return workload.Counts{} }
