package instructions

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"spoor/calibrate/internal/fit"
	"spoor/calibrate/internal/host"
	"spoor/calibrate/param"
	"spoor/traces/store"
)

// Point is a kernel with a size: the mean over launches of the least time in each.
type Point struct {
	Kernel, Arguments string
	Time              float64 // s
	Instructions      float64
	MissTime          float64 // s
}

// perInstruction returns t/I and M/I.
func (p *Point) perInstruction() (y, x float64) {
	return p.Time / p.Instructions, p.MissTime / p.Instructions
}

// Value is a result.
type Value struct {
	Name, Unit, Method string
	Value, Lo, Hi      float64 // 95 % interval; NaN: not known
	N                  int
}

// Result has all values of a table.
type Result struct {
	Points   []Point
	Values   []Value
	Floor    float64
	Warnings []error
}

// Fit computes times of instructions and the exposed share of misses. If look is set, noise is no error.
func Fit(s *store.Table, look bool) (*Result, error) {
	t, err := read(s)
	if err != nil {
		return nil, err
	}
	points, times := t.points()
	if len(points) == 0 {
		return nil, fmt.Errorf("there is no run")
	}
	r := &Result{}
	floor, known := times.Floor()
	switch r.Floor = floor; {
	case !known:
		r.Warnings = append(r.Warnings, fmt.Errorf("there is only one launch: the noise is not known"))
	case floor > fit.MaxFloor && !look:
		return nil, &fit.TooNoisyError{What: "runs of kernels", Floor: floor, Points: len(points)}
	}
	for i, mean := range times.Means() {
		points[i].Time = mean
	}
	if r.Points, err = withoutStart(points); err != nil {
		return nil, err
	}
	points = r.Points
	var kernels [][]Point
	for first := 0; first < len(points); {
		last := first
		for last < len(points) && points[last].Kernel == points[first].Kernel {
			last++
		}
		kernels = append(kernels, points[first:last])
		first = last
	}
	for _, k := range kernels {
		r.Values = append(r.Values, timeOf(k))
	}
	for _, v := range exposed(kernels) {
		r.Values = append(r.Values, v)
		if v.Value > 1 {
			r.Warnings = append(r.Warnings, fmt.Errorf("%s is %.3g, above 1: times rise with something other than these misses, such as TLB misses or mispredicted branches", v.Name, v.Value))
		}
	}
	return r, nil
}

// withoutStart subtracts the time of starting a run from all other runs.
func withoutStart(points []Point) (rest []Point, err error) {
	start := 0.0
	for _, p := range points {
		if p.Kernel == startup.Kernel && p.Arguments == strings.Join(startup.Arguments, " ") {
			start = p.Time
		}
	}
	for _, p := range points {
		switch {
		case p.Kernel == startup.Kernel:
		case p.Time <= start:
			return nil, &host.TooNoisyError{What: fmt.Sprintf("%s %s takes %.3g s, no more than a run that does nothing", p.Kernel, p.Arguments, p.Time)}
		default:
			p.Time -= start
			rest = append(rest, p)
		}
	}
	return rest, nil
}

// points returns the runs of a table, by kernel in order of appearance, with the least time of each launch.
func (t *table) points() (points []Point, times *fit.Times) {
	launches := 0
	for _, l := range t.launch {
		launches = max(launches, int(l)+1)
	}
	times = &fit.Times{Cluster: "launches"}
	at := map[[2]string]int{}
	for i := range t.time {
		key := [2]string{t.kernel[i], t.arguments[i]}
		p, known := at[key]
		if !known {
			p = len(points)
			at[key] = p
			points = append(points, Point{Kernel: key[0], Arguments: key[1], Instructions: float64(t.instructions[i]), MissTime: t.missTime[i]})
			times.Of = append(times.Of, slices.Repeat([]float64{math.NaN()}, launches))
		}
		if least := &times.Of[p][t.launch[i]]; !(*least <= t.time[i]) {
			*least = t.time[i]
		}
	}
	return sorted(points, times)
}

// sorted sorts points by kernel and instructions.
func sorted(points []Point, times *fit.Times) ([]Point, *fit.Times) {
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		p, q := &points[a], &points[b]
		if p.Kernel != q.Kernel {
			return compare(p.Kernel < q.Kernel)
		}
		return compare(p.Instructions < q.Instructions)
	})
	out, of := make([]Point, 0, len(points)), make([][]float64, 0, len(points))
	for _, i := range order {
		out, of = append(out, points[i]), append(of, times.Of[i])
	}
	times.Of = of
	return out, times
}

func compare(less bool) int {
	if less {
		return -1
	}
	return 1
}

// timeOf returns the time of an instruction of a kernel: the mean over sizes, and the interval for another size.
func timeOf(sizes []Point) Value {
	ys := make([]float64, len(sizes))
	for i := range sizes {
		ys[i], _ = sizes[i].perInstruction()
	}
	v := Value{Name: "instruction_" + sizes[0].Kernel, Unit: "s", Value: stat.Mean(ys, nil), Lo: math.NaN(), Hi: math.NaN(), N: len(sizes),
		Method: fmt.Sprintf("native time over counted instructions, mean of %d sizes; the interval is where another size has it", len(sizes))}
	if n := float64(len(ys)); n > 1 {
		half := student(n-1) * stat.StdDev(ys, nil) * math.Sqrt(1+1/n)
		v.Lo, v.Hi = max(v.Value-half, 0), v.Value+half
	}
	return v
}

func student(freedom float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(0.975)
}

// exposed returns the exposed share of the time of misses of each kernel, and of all. The interval of a kernel
// shows how much the share depends on the sizes. The interval of all shows how much it depends on the kernels.
func exposed(kernels [][]Point) (values []Value) {
	var sums []moments
	for _, k := range kernels {
		m := momentsOf(k)
		if m.xx == 0 { // no size has misses, or all have as many
			continue
		}
		sums = append(sums, m)
		v := Value{Name: "exposed_" + k[0].Kernel, Unit: "1", Value: m.xy / m.xx, N: len(k),
			Method: fmt.Sprintf("t = c I + w M, relative least squares over %d sizes; interval: jackknife over sizes", len(k))}
		v.Lo, v.Hi = jackknife(len(k), v.Value, func(but int) moments { return momentsOf(slices.Delete(slices.Clone(k), but, but+1)) })
		values = append(values, v)
	}
	if len(sums) == 0 {
		return nil
	}
	all := total(sums, -1)
	v := Value{Name: "exposed", Unit: "1", Value: all.xy / all.xx, N: len(sums),
		Method: fmt.Sprintf("t = c I + w M, relative least squares over sizes, w common to %d kernels; interval: jackknife over kernels", len(sums))}
	v.Lo, v.Hi = jackknife(len(sums), v.Value, func(but int) moments { return total(sums, but) })
	return append(values, v)
}

// jackknife returns the interval of the share of n sizes or kernels, by leaving out one at a time. It is NaN if
// the others do not determine the share. The degrees of freedom are the effective number of points, as in package
// fit.
func jackknife(n int, all float64, without func(but int) moments) (lo, hi float64) {
	k := float64(n)
	squares, fourths := 0.0, 0.0
	for i := range n {
		m := without(i)
		if m.xx == 0 || n < 2 {
			return math.NaN(), math.NaN()
		}
		u := (m.xy/m.xx - all) * (m.xy/m.xx - all)
		squares, fourths = squares+u, fourths+u*u
	}
	freedom := k - 1
	if fourths > 0 {
		freedom = max(1, min(freedom, squares*squares/fourths))
	}
	half := student(freedom) * math.Sqrt((k-1)/k*squares)
	return all - half, all + half
}

// moments are sums of products of deviations from a kernel's means, with weights 1/y^2: of x = M/I and y = t/I.
type moments struct{ xx, xy float64 }

func momentsOf(sizes []Point) (m moments) {
	var w, xs, ys float64
	for i := range sizes {
		y, x := sizes[i].perInstruction()
		w, xs, ys = w+1/(y*y), xs+x/(y*y), ys+1/y
	}
	for i := range sizes {
		y, x := sizes[i].perInstruction()
		m.xx += (x - xs/w) * (x - xs/w) / (y * y)
		m.xy += (x - xs/w) * (y - ys/w) / (y * y)
	}
	return m
}

// total returns the sum of all moments except one.
func total(sums []moments, but int) (all moments) {
	for i, m := range sums {
		if i != but {
			all.xx, all.xy = all.xx+m.xx, all.xy+m.xy
		}
	}
	return all
}

// Params returns all values as parameters. source is the dataset and its digest.
func (r *Result) Params(source string) (*param.Set, error) {
	set := &param.Set{}
	for _, v := range r.Values {
		if err := set.Add(param.Param{Name: v.Name, Value: v.Value, Unit: v.Unit, Lo: v.Lo, Hi: v.Hi, N: uint64(v.N), Method: v.Method, Source: source}); err != nil {
			return nil, err
		}
	}
	return set, nil
}
