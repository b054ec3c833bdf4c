package timing

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"spoor/calibrate/fit"
	"spoor/traces/unit"
)

// States are the states in which experiments were timed, sorted.
func (d *Data) States() (states []string) {
	for i := range d.Timings {
		if s := d.Timings[i].State; !slices.Contains(states, s) {
			states = append(states, s)
		}
	}
	slices.Sort(states)
	return states
}

// maxWithin is how far apart sentinels of one state may be, from the first decile to the ninth.
const maxWithin = 1.5

// Divide names the states s1, s2, ... of timings by their sentinels, at rising cuts. Without cuts it holds
// sentinels of timings without states to what one state could be: times of several are never pooled.
func (d *Data) Divide(cuts []unit.Seconds) error {
	var sentinels []float64
	for i := range d.Timings {
		t := &d.Timings[i]
		if len(cuts) > 0 && t.State != "" {
			return fmt.Errorf("%s: the state is given, so it cannot be found by sentinels", d.place(t))
		}
		if len(cuts) > 0 && t.Sentinel == 0 {
			return fmt.Errorf("%s: there is no sentinel to find the state by", d.place(t))
		}
		if t.State == "" && t.Sentinel > 0 {
			sentinels = append(sentinels, float64(t.Sentinel))
		}
	}
	if len(cuts) == 0 {
		return together(sentinels)
	}
	for i := range d.Timings {
		t := &d.Timings[i]
		above, _ := slices.BinarySearch(cuts, t.Sentinel)
		t.State = fmt.Sprintf("s%d", above+1)
	}
	return d.checkTwice()
}

// SeveralStatesError is the error of timings whose sentinels, all but a tenth at each end, are too far apart for one state.
type SeveralStatesError struct{ Low, High unit.Seconds }

func (e *SeveralStatesError) Error() string {
	return fmt.Sprintf("sentinels from %v to %v are of several states, which must not be pooled: divide them with --cuts, or give a column state", e.Low, e.High)
}

func together(sentinels []float64) error {
	if len(sentinels) == 0 {
		return nil
	}
	slices.Sort(sentinels)
	low, high := sentinels[len(sentinels)/10], sentinels[len(sentinels)-1-len(sentinels)/10]
	if high > maxWithin*low {
		return &SeveralStatesError{unit.Seconds(low), unit.Seconds(high)}
	}
	return nil
}

// Clusters are what times of a point that may be off together are called.
const (
	Launches = "launches"
	Groups   = "groups of repetitions"
)

// A group of repetitions has so many at least, if there is but one launch: the median of three is not that of
// the one that was disturbed. There are no more than so many groups.
const (
	groupSize = 3
	maxGroups = 10
)

// Selection is the different points of experiments in one state, sorted, and their times.
type Selection struct {
	Points  []Point
	Times   *fit.Times
	Timings int
	// Left out are cells, points in a launch, and points, that were measured so few times, where others were
	// measured more often, that nobody can tell whether they were disturbed.
	ThinCells, ThinPoints int
	// Strays are timings that were taken while all was faster than the state is, which are left out as well.
	Strays int
	all    int // points in whatever state
}

// leastOf is the share of all points that a state has at least, or it is one that the host only passed through.
const leastOf = 0.25

// Sparse is an error if so few of the points were measured in this state that they do not stand for all.
func (s *Selection) Sparse() error {
	if float64(len(s.Points)) >= leastOf*float64(s.all) {
		return nil
	}
	return fmt.Errorf("%d of %d points were measured in this state, too few to stand for all; no parameters", len(s.Points), s.all)
}

// Thin says what was left out; nil if nothing was.
func (s *Selection) Thin() error {
	var thin, strays error
	if s.ThinCells > 0 {
		thin = fmt.Errorf("in %d of %d launches of points, and of %d points in all, there are fewer than %d repetitions, and more in others: they are left out, as nobody can tell whether they were disturbed",
			s.ThinCells, s.ThinCells+s.full(), s.ThinPoints, groupSize)
	}
	if s.Strays > s.Timings/10 {
		strays = fmt.Errorf("%d of %d timings are left out, as their sentinels are more than %.0f %% below the median of the state", s.Strays, s.Strays+s.Timings, 100*offState)
	}
	return errors.Join(thin, strays)
}

// full counts the cells that are there.
func (s *Selection) full() (n int) {
	for _, row := range s.Times.Of {
		for _, y := range row {
			if !math.IsNaN(y) {
				n++
			}
		}
	}
	return n
}

// cell is a point in a cluster.
type cell struct {
	point   Point
	cluster int
}

// How far a sentinel may be below the median of its state: the least of several times is else the one that was taken while
// all was faster for a moment. Clocks tick every 10 ns at the most coarse, and a sentinel is between two ticks.
const (
	offState = 0.04
	offTicks = unit.Seconds(30e-9)
)

// strays tells timings of a state that were taken while all was faster. Sentinels that are not known tell nothing.
func (d *Data) strays(state string) func(*Timing) bool {
	var all []unit.Seconds
	for i := range d.Timings {
		if t := &d.Timings[i]; t.State == state && t.Sentinel > 0 {
			all = append(all, t.Sentinel)
		}
	}
	if len(all) == 0 || !d.Minimum {
		return func(*Timing) bool { return false }
	}
	slices.Sort(all)
	middle := all[len(all)/2]
	most := max(offState*middle, offTicks)
	return func(t *Timing) bool { return t.Sentinel > 0 && middle-t.Sentinel > most }
}

// Select takes, for each point and launch, the median of the repetitions, or the least. Repetitions of a single
// launch are divided into groups, by number, that stand for launches; they say nothing of what another launch
// would be.
func (d *Data) Select(state string, experiments ...Experiment) *Selection {
	s := &Selection{Times: &fit.Times{Cluster: Launches}}
	of, launches, least := d.repetitions(state, experiments, s)
	clusters, groups := len(launches), 1
	if clusters == 1 {
		groups = min(least/groupSize, maxGroups)
	}
	if groups > 1 {
		s.Times.Cluster, clusters = Groups, groups
	}
	cells, full := map[cell][]float64{}, 0
	for p, timings := range of {
		s.Timings += len(timings)
		for _, t := range timings {
			c := cell{p, launches[t.Launch]}
			if groups > 1 {
				c.cluster = t.Rep % groups
			}
			cells[c] = append(cells[c], float64(t.Time))
		}
	}
	for _, times := range cells {
		if len(times) >= groupSize {
			full++
		}
	}
	for p := range of {
		s.Points = append(s.Points, p)
	}
	slices.SortFunc(s.Points, Point.compare)
	s.fill(cells, clusters, 2*full > len(cells), d.Minimum)
	return s
}

// repetitions are the timings by point, the launches in order, and the least number of timings of a point; it counts
// strays, and points of all states.
func (d *Data) repetitions(state string, experiments []Experiment, s *Selection) (of map[Point][]*Timing, launches map[int]int, least int) {
	of, launches, least = map[Point][]*Timing{}, map[int]int{}, math.MaxInt
	stray, all := d.strays(state), map[Point]bool{}
	for i := range d.Timings {
		t := &d.Timings[i]
		if !slices.Contains(experiments, t.Experiment) {
			continue
		}
		all[t.Point] = true
		switch {
		case t.State != state:
		case stray(t):
			s.Strays++
		default:
			of[t.Point] = append(of[t.Point], t)
			launches[t.Launch] = 0
		}
	}
	s.all = len(all)
	for i, launch := range slices.Sorted(maps.Keys(launches)) {
		launches[launch] = i
	}
	for _, timings := range of {
		least = min(least, len(timings))
	}
	return of, launches, least
}

// fill makes one time of each cell. Cells of few repetitions, where most have more, are left out, and points
// of which nothing is left.
func (s *Selection) fill(cells map[cell][]float64, clusters int, repeated, minimum bool) {
	kept := s.Points[:0]
	for _, p := range s.Points {
		row, any := make([]float64, clusters), false
		for c := range row {
			times := cells[cell{p, c}]
			if repeated && 0 < len(times) && len(times) < groupSize {
				s.ThinCells++
				times = nil
			}
			row[c] = typical(times, minimum)
			any = any || !math.IsNaN(row[c])
		}
		if !any {
			s.ThinPoints++
			continue
		}
		kept, s.Times.Of = append(kept, p), append(s.Times.Of, row)
	}
	s.Points = kept
}

// typical is the median of times, or the least; NaN if there is none.
func typical(times []float64, minimum bool) float64 {
	slices.Sort(times)
	switch n := len(times); {
	case n == 0:
		return math.NaN()
	case minimum:
		return times[0]
	default:
		return stat.Mean(times[(n-1)/2:n/2+1], nil)
	}
}

func (p Point) compare(q Point) int {
	return cmp.Or(strings.Compare(string(p.Experiment), string(q.Experiment)), strings.Compare(string(p.Set), string(q.Set)),
		cmp.Compare(p.Bytes, q.Bytes), cmp.Compare(p.Rows, q.Rows), cmp.Compare(p.Cols, q.Cols), cmp.Compare(p.Item, q.Item),
		cmp.Compare(p.Stride, q.Stride), cmp.Compare(p.Base, q.Base), cmp.Compare(p.Blocks, q.Blocks), cmp.Compare(p.Accesses, q.Accesses),
		cmp.Compare(p.Ops, q.Ops), cmp.Compare(p.Count, q.Count), cmp.Compare(p.Delay, q.Delay))
}

// Comparison is what a model says of a point, beside what was measured.
type Comparison struct {
	Point
	State, Model, Method string
	Measured, Predicted  float64 // in seconds
}
