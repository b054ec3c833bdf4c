package loggp

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"spoor/calibrate/internal/fit"
	"spoor/calibrate/internal/fit/timing"
	"spoor/traces/unit"
)

// rendezvous finds S, the largest message that does not wait for its receiver: by sends that the receiver was late for, if there
// are some, and else where half a round trip jumps most, if it jumps up for sure.
func (s *Study) rendezvous(train *samples, c *curve, half classes, seed uint64) {
	if !s.held(train) {
		s.jumps(c, half, seed)
	}
}

// held finds S by held sends, and reports whether there are any. The interval is of sizes on which launches do not agree, or that
// were not tried.
func (s *Study) held(train *samples) (are bool) {
	share := map[int64]float64{} // of the launches, by size: those in which the send waited
	for i, p := range train.points {
		if p.Experiment != timing.Held {
			continue
		}
		are = true
		waited, known := 0.0, 0.0
		for _, t := range train.of[i] {
			if math.IsNaN(t) {
				continue
			}
			if known++; timing.Waited(unit.Seconds(t), p.Delay) {
				waited++
			}
		}
		if known > 0 {
			share[int64(p.Bytes)] = waited / known
		}
	}
	sizes := slices.Sorted(maps.Keys(share))
	// upto is the largest size before the first that is so, and that one, if there is one.
	upto := func(so func(share float64) bool) (before, next int64, is bool) {
		for _, size := range sizes {
			if so(share[size]) {
				return before, size, true
			}
			before = size
		}
		return before, 0, false
	}
	value, next, is := upto(func(share float64) bool { return share > 0.5 })
	if !is {
		return are
	}
	lo, _, _ := upto(func(share float64) bool { return share > 0 })
	if _, all, is := upto(func(share float64) bool { return share == 1 }); is {
		next = all
	}
	s.Values = append(s.Values, Value{Name: "S", Unit: "B", Value: float64(value), Lo: float64(lo), Hi: float64(max(next-1, value)),
		Method: fmt.Sprintf("the largest message whose send does not wait for a receiver that is late; sends of %d sizes", len(sizes))})
	return are
}

// jumps finds S where half a round trip jumps.
func (s *Study) jumps(c *curve, half classes, seed uint64) {
	x, from := c.bytesBehind()
	var best *Value
	most := 0.0
	end := 0 // index of the size behind the class
	for k := 0; k+1 < len(half); k++ {
		begin := end
		for end < len(x) && x[end] < float64(half[k].last) {
			end++
		}
		above := end
		for above < len(x) && x[above] < float64(half[k+1].last) {
			above++
		}
		jump := s.jump(x[begin:above], &fit.Times{Cluster: c.times.Cluster, Of: c.times.Of[from+begin : from+above]}, end-begin, seed)
		if jump.Lo > 0 && jump.Value > most {
			most = jump.Value
			best = &Value{Name: "S", Unit: "B", Value: float64(half[k].last), Lo: float64(half[k].last), Hi: float64(half[k+1].first - 1),
				Method: fmt.Sprintf("half a round trip jumps by %.3g s (95 %%: %.3g to %.3g) after this size", jump.Value, jump.Lo, jump.Hi)}
		}
	}
	if best != nil {
		s.Values = append(s.Values, *best)
	}
}

// jump is from the line of the first below points to that of the others, at the size of the two next to
// it where it is less.
func (s *Study) jump(x []float64, times *fit.Times, below int, seed uint64) Estimated {
	law := func(means []float64, drawn []int) ([]float64, error) {
		part := func(from, to int) (fit.Line, error) {
			if drawn == nil {
				return fit.LineOf(x[from:to], means[from:to], nil)
			}
			return fit.LineOf(x[from:to], means[from:to], drawn[from:to])
		}
		l, err := part(0, below)
		if err != nil {
			return nil, err
		}
		u, err := part(below, len(x))
		at := func(x float64) float64 { return u.At(x) - l.At(x) }
		return []float64{min(at(x[below-1]), at(x[below]))}, err
	}
	found, err := law(times.Means(), nil)
	if err != nil {
		return Estimated{Lo: math.NaN(), Hi: math.NaN()}
	}
	spread := times.Spread(law, 1, false, seed)
	lo, hi := spread.Interval(0, found[0])
	return Estimated{found[0], lo, hi}
}
