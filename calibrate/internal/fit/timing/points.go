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

	"spoor/calibrate/internal/fit"
	"spoor/calibrate/packing"
	"spoor/traces/unit"
)

// States returns the states in which experiments were timed, sorted.
func (d *Data) States() (states []string) {
	for i := range d.Timings {
		if s := d.Timings[i].State; !slices.Contains(states, s) {
			states = append(states, s)
		}
	}
	slices.Sort(states)
	return states
}

// maxWithin is the largest ratio of the ninth to the first decile of the sentinels of one state.
const maxWithin = 1.5

// Divide gives timings the states s1, s2, ... by their sentinels, at ascending cuts. Without cuts, it checks that
// the sentinels of timings without state can be of one state: times of several states are never pooled.
func (d *Data) Divide(cuts []unit.Seconds) error {
	var sentinels []float64
	for i := range d.Timings {
		t := &d.Timings[i]
		if len(cuts) > 0 && t.State != "" {
			return fmt.Errorf("%s: the timing has a state; --cuts is for timings without", d.place(t))
		}
		if len(cuts) > 0 && t.Sentinel == 0 {
			return fmt.Errorf("%s: the timing has no sentinel; --cuts needs one for each", d.place(t))
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

// SeveralStatesError is the error of timings whose sentinels, except a tenth at each end, are too far apart for
// one state.
type SeveralStatesError struct{ Low, High unit.Seconds }

func (e *SeveralStatesError) Error() string {
	return fmt.Sprintf("sentinels from %v to %v are of several states, which are never pooled; divide them with --cuts, or add a column state", e.Low, e.High)
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

// Names of clusters: times of a point that can have a common error.
const (
	Launches = "launches"
	Groups   = "groups of repetitions"
)

// Least size of a group of repetitions, if there is only one launch, and largest number of groups. The median of
// three times is not the one that was disturbed.
const (
	groupSize = 3
	maxGroups = 10
)

// Selection has the different points of experiments in one state, sorted, and their times.
type Selection struct {
	Points  []packing.Point
	Times   *fit.Times
	Timings int
	// Numbers of omitted cells (a point in a launch) and omitted points. They have too few repetitions to detect a
	// disturbance, while others have more.
	ThinCells, ThinPoints int
	// Strays is the number of omitted timings that were taken while the host was faster than in the state.
	Strays int
	all    int // number of points in all states
}

// leastOf is the least share of all points that a state needs. The host only passed through states with less.
const leastOf = 0.25

// Sparse returns an error if too few points were measured in this state to represent all.
func (s *Selection) Sparse() error {
	if float64(len(s.Points)) >= leastOf*float64(s.all) {
		return nil
	}
	return fmt.Errorf("%d of %d points were measured in this state, too few to represent all; no parameters", len(s.Points), s.all)
}

// Thin returns a warning about omitted cells and points, or nil.
func (s *Selection) Thin() error {
	var thin, strays error
	if s.ThinCells > 0 {
		thin = fmt.Errorf("%d of %d cells (a point in a launch) and %d points have fewer than %d repetitions, while others have more; they are omitted",
			s.ThinCells, s.ThinCells+s.full(), s.ThinPoints, groupSize)
	}
	if s.Strays > s.Timings/10 {
		strays = fmt.Errorf("%d of %d timings are omitted: their sentinels are more than %.0f %% below the median of the state", s.Strays, s.Strays+s.Timings, 100*offState)
	}
	return errors.Join(thin, strays)
}

// full counts the cells that have a time.
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
	point   packing.Point
	cluster int
}

// Limits of a sentinel below the median of its state. Without them, the least of several times could be one that
// was taken while the host was briefly faster. The coarsest clocks tick every 10 ns, and a sentinel can be between
// two ticks.
const (
	offState = 0.04
	offTicks = unit.Seconds(30e-9)
)

// strays returns a function that detects timings of a state that were taken while the host was faster. A timing
// without sentinel is no stray.
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

// Select returns, for each point and launch, the median or the least of the repetitions. If there is one launch,
// its repetitions are divided into groups by number, which replace launches. Groups contain no variation between
// launches.
func (d *Data) Select(state string, experiments ...packing.Experiment) *Selection {
	s := &Selection{Times: &fit.Times{Cluster: Launches, Take: d.Take}}
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
	slices.SortFunc(s.Points, compare)
	s.fill(cells, clusters, 2*full > len(cells), d.Minimum)
	return s
}

// repetitions returns the timings by point, the launches in order, and the least number of timings of a point. It
// counts strays, and points of all states.
func (d *Data) repetitions(state string, experiments []packing.Experiment, s *Selection) (of map[packing.Point][]*Timing, launches map[int]int, least int) {
	of, launches, least = map[packing.Point][]*Timing{}, map[int]int{}, math.MaxInt
	stray, all := d.strays(state), map[packing.Point]bool{}
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

// fill computes the time of each cell. It omits cells with few repetitions if most have more, and points without
// cells.
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

// typical returns the median of times, or the least; NaN if there is none.
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

func compare(p, q packing.Point) int {
	return cmp.Or(strings.Compare(string(p.Experiment), string(q.Experiment)), strings.Compare(string(p.Set), string(q.Set)),
		cmp.Compare(p.Bytes, q.Bytes), cmp.Compare(p.Rows, q.Rows), cmp.Compare(p.Cols, q.Cols), cmp.Compare(p.Item, q.Item),
		cmp.Compare(p.Stride, q.Stride), cmp.Compare(p.Base, q.Base), cmp.Compare(p.Blocks, q.Blocks), cmp.Compare(p.Accesses, q.Accesses),
		cmp.Compare(p.Ops, q.Ops), cmp.Compare(p.Count, q.Count), cmp.Compare(p.Delay, q.Delay))
}

// Comparison is the prediction of a model for a point, next to the measured time.
type Comparison struct {
	packing.Point
	State, Model, Method string
	Measured, Predicted  float64 // in seconds
}
