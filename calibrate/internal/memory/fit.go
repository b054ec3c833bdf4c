package memory

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"spoor/calibrate/internal/fit"
	"spoor/calibrate/internal/host"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// Value is a measured quantity.
type Value struct {
	Name, Unit    string
	Value, Lo, Hi float64 // 95 % interval of another run; NaN: not known
	N             int     // number of samples
	Method        string
}

// Level is a cache, or the memory, which has no size.
type Level struct{ Size, Latency, Bandwidth Value }

// Buffer is a level of TLBs. Reach is the number of bytes whose pages it holds, Penalty the time that the next
// level adds.
type Buffer struct{ Reach, Penalty Value }

// Result has all quantities of a table of samples.
type Result struct {
	Clock, CPI, Line, Touch Value
	Levels                  []Level // memory is the last
	Buffers                 []Buffer
	Gathers                 []Value
	Outstanding, Window     Value   // most misses in progress, and instructions behind one; Name is "" if not measured
	Floor                   float64 // noise of the chase's logarithms; NaN: nothing was repeated
	State                   string
	Facts                   *Facts
	Warnings                []error
}

// study is a table during the analysis.
type study struct {
	*measured
	Result
	hasty bool
}

// Fit computes all quantities of a table of samples. A hasty fit uses whatever samples there are.
func Fit(t *store.Table, hasty bool) (*Result, error) {
	m, err := read(t)
	if err != nil {
		return nil, err
	}
	s := &study{measured: m, hasty: hasty}
	s.State = m.state
	if s.Facts, err = readFacts(t); err != nil {
		return nil, err
	}
	if len(m.others) > 0 {
		s.warn("samples in states other than %q are omitted: %v", m.state, m.others)
	}
	chase := m.over(Chase, func(p Point) float64 { return float64(p.Region) })
	if err := s.quiet(chase); err != nil {
		return nil, err
	}
	s.Clock = s.alone(Point{Kind: Clock}, "clock", "Hz", agreed, func(y float64) float64 { return 1 / y }, "one of a chain of dependent additions takes a period; the clock of a busy processor, whatever its name plate says")
	s.cpi()
	if err := s.levels(chase); err != nil {
		return nil, err
	}
	s.line()
	s.buffers(chase)
	s.Touch = s.alone(Point{Kind: Touch, Region: 256 * page}, "page_touch", "s", agreed, same, fmt.Sprintf("first store into each of 256 pages of %v that were mapped just before", page))
	for _, step := range gatherStrides {
		name := fmt.Sprintf("gather_%d", step)
		s.Gathers = append(s.Gathers, s.alone(Point{Gather, gathered * step, step}, name, "s", agreed, same,
			fmt.Sprintf("an item of 4 bytes of %d that lie %v apart, copied to where they lie together; again and again", gathered, step)))
	}
	s.ahead()
	return &s.Result, nil
}

func (s *study) warn(format string, args ...any) {
	s.Warnings = append(s.Warnings, fmt.Errorf(format, args...))
}

// leastCovered is the least share of points that must have a time in a launch.
const leastCovered = 0.8

// quiet refuses samples whose launches disagree, or with too few points. Noise is that of logarithms: levels
// differ by factors, and all of them matter, not only the memory.
func (s *study) quiet(c *curve) error {
	have, all := 0, len(c.times)*len(s.launches)
	for _, row := range c.times {
		for _, y := range row {
			if !math.IsNaN(y) {
				have++
			}
		}
	}
	if len(c.sizes) < 8 {
		return fmt.Errorf("the table has %d sizes of chases, too few to find levels of cache", len(c.sizes))
	}
	var known bool
	s.Floor, known = (&fit.Times{Of: c.logs(), Cluster: "launches"}).Floor()
	if !known {
		s.Floor = math.NaN()
		s.warn("there is only one launch: the noise is not known, and there are no intervals")
	}
	var noise error
	switch {
	case float64(have) < leastCovered*float64(all):
		noise = &host.TooNoisyError{What: fmt.Sprintf("of %d sizes of chases in %d launches, %d have undisturbed samples in state %q (%d of %d samples were disturbed)",
			len(c.sizes), len(s.launches), have, s.state, s.rejected, s.samples)}
	case s.Floor > fit.MaxFloor:
		noise = &host.TooNoisyError{What: fmt.Sprintf("the noise floor of split halves is %.3g of the variance between logarithms of times of %d sizes, and must not be above %g (%d of %d samples were disturbed)",
			s.Floor, len(c.sizes), fit.MaxFloor, s.rejected, s.samples)}
	}
	if noise != nil && s.hasty {
		s.warn("results are not reliable: %w", noise)
		return nil
	}
	return noise
}

func same(y float64) float64 { return y }

// agreed widens intervals: samples agree within 1 %, and the least of them can be anywhere in it.
const agreed = 0.01

// alone returns the value of a single point. It has no value if the point was not measured.
func (s *study) alone(p Point, name, unit string, tolerance float64, of func(float64) float64, method string) Value {
	row := make([]float64, len(s.least[p]))
	for i, y := range s.least[p] {
		row[i] = of(y)
	}
	v := estimate(row, tolerance)
	v.Name, v.Unit, v.N, v.Method = name, unit, s.kept[p], method+"; "+v.Method
	return v
}

// estimate returns the median of launches, and the interval of the median of as many launches of another run in 95
// of 100 runs. Its logarithm is within t s sqrt(2/n). s is the standard deviation of the logarithms of n launches,
// t Student's with n-1 degrees of freedom.
func estimate(row []float64, tolerance float64) Value {
	v := Value{Value: median(row), Lo: math.NaN(), Hi: math.NaN()}
	var logs []float64
	for _, y := range row {
		if y > 0 {
			logs = append(logs, math.Log(y))
		}
	}
	n := float64(len(logs))
	v.Method = fmt.Sprintf("median of %d launches of the least of their samples", len(logs))
	if n < 2 {
		return v
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	factor := math.Exp(t*stat.StdDev(logs, nil)*math.Sqrt(2/n)) * (1 + tolerance)
	v.Lo, v.Hi = v.Value/factor, v.Value*factor
	return v
}

// cpi computes the CPI of instructions whose references all hit in the first level.
func (s *study) cpi() {
	clock := s.Clock.Value
	if math.IsNaN(clock) {
		s.warn("the clock could not be measured")
	}
	s.CPI = s.alone(Point{Kind: Loop, Region: leastRead}, "cpi", "cycles", agreed, func(y float64) float64 { return y * clock },
		fmt.Sprintf("dot product of two vectors in the first level, %d instructions an element: two loads, multiply, add, count, and branch; other programs have others", loopInstructions))
}

// loopInstructions counts the instructions for an element of the dot product: load, load and multiply, add,
// increment, compare, branch.
const loopInstructions = 6

// levels finds plateaus of the chase over all launches, and computes sizes and latencies in each launch.
func (s *study) levels(c *curve) error {
	medians := c.medians()
	found := plateaus(c.sizes, medians, c.noise())
	if s.hasty && len(found) < 2 {
		s.warn("no separate levels of cache were found; latencies are at the sizes that the kernel reports")
		found = kernelPlateaus(c.sizes, s.Facts.Kernel)
	}
	if len(found) == 0 {
		return &host.TooNoisyError{What: fmt.Sprintf("no plateau of half an octave in the times of chases over %d sizes", len(c.sizes))}
	}
	if len(found) == 1 {
		s.warn("no separate levels of cache were found in the times of chases")
	}
	if last := found[len(found)-1]; last.last < len(c.sizes)-1-len(c.sizes)/20 {
		s.warn("times still rise at the largest region, %v: the memory's latency may be higher", unit.Bytes(c.sizes[len(c.sizes)-1]))
	}
	reads := s.over(Read, func(p Point) float64 { return float64(p.Region) })
	for i, p := range found {
		name := fmt.Sprintf("cache%d", i+1)
		if i == len(found)-1 {
			name = "memory"
		}
		low := s.perLaunch(c, medians, func(y []float64) float64 { return median(y[p.first : p.last+1]) })
		l := Level{Latency: estimate(low, agreed)}
		l.Latency.Name, l.Latency.Unit, l.Latency.N = name+"_latency", "s", c.n
		l.Latency.Method = fmt.Sprintf("chase along random cycles of %v to %v: %s", unit.Bytes(c.sizes[p.first]), unit.Bytes(c.sizes[p.last]), l.Latency.Method)
		if i < len(found)-1 {
			l.Size = s.sizeOf(c, medians, p, found[i+1], name+"_size", "chase")
		}
		l.Bandwidth = s.bandwidth(reads, c.sizes[p.first], c.sizes[p.last], name+"_bandwidth")
		s.Levels = append(s.Levels, l)
	}
	return nil
}

// perLaunch returns a value of every launch's curve.
func (s *study) perLaunch(c *curve, medians []float64, of func(times []float64) float64) (row []float64) {
	for l := range s.launches {
		row = append(row, of(c.launch(l, medians)))
	}
	return row
}

// sizeOf returns the size of a level, where times begin to rise to the next. Its interval is half a step wider,
// because sizes have no finer resolution.
func (s *study) sizeOf(c *curve, medians []float64, p, next plateau, name, of string) Value {
	row := s.perLaunch(c, medians, func(y []float64) float64 {
		return rise(c.sizes, y, p, next, median(y[p.first:p.last+1]), median(y[next.first:next.last+1]))
	})
	at := p.last
	half := math.Sqrt(c.sizes[at+1]/c.sizes[at]) - 1
	v := estimate(row, half)
	v.Name, v.Unit, v.N = name, "B", c.n
	v.Method = fmt.Sprintf("where a %s is a quarter of the way from %v to %v: %s", of, unit.Seconds(p.time), unit.Seconds(next.time), v.Method)
	return v
}

// bandwidth returns the best bandwidth of the regions that are in a level.
func (s *study) bandwidth(c *curve, from, to float64, name string) Value {
	row := make([]float64, len(s.launches))
	at := 0.0
	for l := range row {
		row[l] = math.NaN()
		for i, size := range c.sizes {
			if y := c.times[i][l]; size >= from && size <= to && !(row[l] >= 1/y) && !math.IsNaN(y) {
				row[l], at = 1/y, size
			}
		}
	}
	v := estimate(row, agreed)
	v.Name, v.Unit, v.N = name, "B/s", c.n
	v.Method = fmt.Sprintf("loads of eight bytes one after the other, four sums, compiled by Go without vectors; %v and other regions of that level, the best: %s", unit.Bytes(at), v.Method)
	return v
}
