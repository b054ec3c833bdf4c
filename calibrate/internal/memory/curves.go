package memory

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"spoor/calibrate/internal/fit"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// measured has the least times of points by launch, in one state.
type measured struct {
	state    string
	others   []string // omitted states
	launches []int32
	least    map[Point][]float64 // NaN: not measured in the launch
	samples  int
	rejected int
	kept     map[Point]int
	stride   unit.Bytes // of chases
}

// maxTime bounds the time of a single operation, in seconds.
const maxTime = 10

// read takes the least undisturbed times of a table, in the wanted state.
func read(t *store.Table) (*measured, error) {
	if t.Name != tableName {
		return nil, fmt.Errorf("this is a table of %s, not of %s", t.Name, tableName)
	}
	kind, errKind := store.Data[string](t, "kind")
	state, errState := store.Data[string](t, "state")
	region, errRegion := store.Data[int64](t, "region")
	stride, errStride := store.Data[int64](t, "stride")
	launch, errLaunch := store.Data[int32](t, "launch")
	disturbed, errDisturbed := store.Data[int32](t, "disturbed")
	time, errTime := store.Data[float64](t, "time")
	if err := errors.Join(errKind, errState, errRegion, errStride, errLaunch, errDisturbed, errTime); err != nil {
		return nil, err
	}
	m := &measured{least: map[Point][]float64{}, kept: map[Point]int{}, samples: len(time), state: t.Fact(factState)}
	if len(time) == 0 {
		return nil, errors.New("there are no samples")
	}
	m.choose(state)
	m.launches = slices.Compact(slices.Sorted(slices.Values(launch)))
	for i, y := range time {
		p := Point{Kind(kind[i]), unit.Bytes(region[i]), unit.Bytes(stride[i])}
		switch {
		case disturbed[i] != 0:
			m.rejected++
			continue
		case !(y >= fit.ShortestTime && y < maxTime) || region[i] < 0 || stride[i] < 0:
			return nil, fmt.Errorf("row %d: %v takes %v s, which is not from %v to %v s", i+1, p, y, float64(fit.ShortestTime), float64(maxTime))
		case state[i] != m.state:
			continue
		}
		if p.Kind == Chase {
			m.stride = p.Stride
		}
		m.add(p, launch[i], y)
	}
	return m, nil
}

// choose lists the omitted states.
func (m *measured) choose(state []string) {
	count := map[string]int{}
	for _, s := range state {
		count[s]++
	}
	for _, s := range slices.Sorted(maps.Keys(count)) {
		if s != m.state {
			m.others = append(m.others, fmt.Sprintf("%s (%d samples)", s, count[s]))
		}
	}
}

func (m *measured) add(p Point, launch int32, y float64) {
	row := m.least[p]
	if row == nil {
		row = slices.Repeat([]float64{math.NaN()}, len(m.launches))
		m.least[p] = row
	}
	l, _ := slices.BinarySearch(m.launches, launch)
	if !(row[l] <= y) {
		row[l] = y
	}
	m.kept[p]++
}

// curve has times over sizes, by launch.
type curve struct {
	sizes []float64
	times [][]float64 // by size and launch; NaN: not measured
	n     int         // number of samples
}

// over returns the curve of a kind, over the given size of a point.
func (m *measured) over(kind Kind, size func(Point) float64) *curve {
	var points []Point
	for p := range m.least {
		if p.Kind == kind && size(p) > 0 {
			points = append(points, p)
		}
	}
	slices.SortFunc(points, func(a, b Point) int { return int(math.Copysign(1, size(a)-size(b))) })
	c := &curve{}
	for _, p := range points {
		c.sizes = append(c.sizes, size(p))
		c.times = append(c.times, m.least[p])
		c.n += m.kept[p]
	}
	return c
}

// logs returns the logarithms of times.
func (c *curve) logs() [][]float64 {
	out := make([][]float64, len(c.times))
	for i, row := range c.times {
		for _, y := range row {
			out[i] = append(out[i], math.Log(y))
		}
	}
	return out
}

// medians returns the medians over launches.
func (c *curve) medians() []float64 {
	out := make([]float64, len(c.times))
	for i, row := range c.times {
		out[i] = median(row)
	}
	return out
}

// launch returns the times of one launch. Missing times are the medians.
func (c *curve) launch(l int, medians []float64) []float64 {
	out := slices.Clone(medians)
	for i, row := range c.times {
		if !math.IsNaN(row[l]) {
			out[i] = row[l]
		}
	}
	return out
}

// noise returns the relative standard deviation of the medians: the median over sizes of the deviation of
// launches, over the root of their number; at least leastNoise.
func (c *curve) noise() float64 {
	var spread []float64
	for _, row := range c.times {
		if s := relativeSpread(row); !math.IsNaN(s) {
			spread = append(spread, s)
		}
	}
	if len(spread) == 0 {
		return leastNoise
	}
	return max(leastNoise, median(spread))
}

// leastNoise is the agreement that the rules ask of samples.
const leastNoise = 0.01

// relativeSpread returns the standard deviation of logarithms; NaN of less than two.
func relativeSpread(row []float64) float64 {
	var sum, squares, n float64
	for _, y := range row {
		if !math.IsNaN(y) {
			l := math.Log(y)
			sum, squares, n = sum+l, squares+l*l, n+1
		}
	}
	if n < 2 {
		return math.NaN()
	}
	return math.Sqrt(max(squares-sum*sum/n, 0)/(n-1)) / math.Sqrt(n)
}

// median returns the median of the values that are numbers.
func median(values []float64) float64 {
	sorted := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(sorted) == 0 {
		return math.NaN()
	}
	slices.Sort(sorted)
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
