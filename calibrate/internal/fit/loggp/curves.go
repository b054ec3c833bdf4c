package loggp

import (
	"errors"
	"math"
	"slices"

	"spoor/calibrate/internal/fit"
	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/packing"
)

// samples are points with their times by cluster.
type samples struct {
	points []packing.Point
	of     [][]float64
}

// curve is times over sizes.
type curve struct {
	sizes  []int64
	times  *fit.Times
	method string
}

// at returns the index of a size, or -1.
func (c *curve) at(size int64) int {
	if i, is := slices.BinarySearch(c.sizes, size); is {
		return i
	}
	return -1
}

// curves are the costs of messages over their size.
type curves struct {
	half, gap, send, receive *curve
	duplex                   *curve // exchanges: both sides send at once
	bursts                   []burst
}

// burst has the time that each further message adds, for bursts of one length.
type burst struct {
	count float64
	gap   *curve
}

// bursts returns the curves of bursts by ascending length.
func (t *samples) bursts(cluster string, overTrip func(packing.Point, float64, int) float64) (list []burst) {
	var counts []int64
	for _, p := range t.points {
		if p.Experiment == timing.Burst && !slices.Contains(counts, p.Count) {
			counts = append(counts, p.Count)
		}
	}
	slices.Sort(counts)
	for _, count := range counts {
		list = append(list, burst{float64(count), t.mean(timing.Burst, cluster, func(p packing.Point, y float64, k int) float64 {
			if p.Count != count {
				return math.NaN()
			}
			return overTrip(p, y, k)
		})})
	}
	return list
}

// curves computes all curves in each cluster separately, so that the disturbance of a whole launch is seen as
// such.
func (s *Study) curves(train *samples, cluster string) (*curves, error) {
	trips := train.mean(timing.PingPong, cluster, func(_ packing.Point, t float64, _ int) float64 { return t })
	c := &curves{half: trips.scaled(0.5)}
	c.half.method = "ping-pong"
	overTrip := func(p packing.Point, t float64, k int) float64 {
		i := trips.at(int64(p.Bytes))
		if i < 0 {
			return math.NaN()
		}
		return (t - trips.times.Of[i][k]) / float64(p.Count-1)
	}
	c.gap = train.mean(timing.Gap, cluster, func(_ packing.Point, t float64, _ int) float64 { return t })
	c.gap.method = "time per message of a stream"
	if len(c.gap.sizes) == 0 {
		c.gap = train.mean(timing.Burst, cluster, overTrip)
		c.gap.method = "what each further message adds to a burst [hoefler2007]"
		c.bursts = train.bursts(cluster, overTrip)
	}
	s.positive(c.gap)
	c.send = s.delayed(train, cluster, c.gap, overTrip)
	if len(c.send.sizes) == 0 {
		c.send = train.mean(timing.Send, cluster, func(_ packing.Point, t float64, _ int) float64 { return t })
		c.send.method = "time of a send"
	}
	c.receive = train.mean(timing.Receive, cluster, func(_ packing.Point, t float64, _ int) float64 { return t })
	c.receive.method = "time of a receive of a message that is there"
	c.duplex = train.mean(timing.Exchange, cluster, func(_ packing.Point, t float64, _ int) float64 { return t })
	c.duplex.method = "time of an exchange, in which both sides send and receive at once"
	if len(c.half.sizes)+len(c.gap.sizes)+len(c.send.sizes)+len(c.receive.sizes) == 0 {
		return nil, errors.New("no ping-pong without disturbance is left, and no other time determines a parameter; measure again when the host is idle")
	}
	return c, nil
}

// delayed returns o_s from delayed bursts whose delays are longer than gaps.
func (s *Study) delayed(train *samples, cluster string, gap *curve, overTrip func(packing.Point, float64, int) float64) *curve {
	short := false
	c := train.mean(timing.Delayed, cluster, func(p packing.Point, t float64, k int) float64 {
		if i := gap.at(int64(p.Bytes)); i >= 0 && float64(p.Delay) <= gap.times.Of[i][k] {
			short = true
			return math.NaN()
		}
		return overTrip(p, t, k) - float64(p.Delay)
	})
	c.method = "delayed bursts [hoefler2007]"
	if short {
		s.warn("delayed bursts whose delay is not longer than a gap are omitted: they do not determine o_s")
	}
	return c
}

// positive removes sizes whose mean gap is not above zero.
func (s *Study) positive(c *curve) {
	means, kept := c.times.Means(), 0
	for i, m := range means {
		if m > 0 {
			c.sizes[kept], c.times.Of[kept] = c.sizes[i], c.times.Of[i]
			kept++
		}
	}
	if kept < len(means) {
		s.warn("at %d of %d sizes a burst took no longer than one message, so there is no gap", len(means)-kept, len(means))
	}
	c.sizes, c.times.Of = c.sizes[:kept], c.times.Of[:kept]
}

// mean returns a curve: the function of applied to the times of an experiment in each cluster, averaged over the
// points of a size. It omits sizes without value.
func (t *samples) mean(e packing.Experiment, cluster string, of func(p packing.Point, t float64, k int) float64) *curve {
	sum := map[int64][]float64{}
	count := map[int64][]float64{}
	for i, p := range t.points {
		if p.Experiment != e {
			continue
		}
		size := int64(p.Bytes)
		if sum[size] == nil {
			sum[size], count[size] = make([]float64, len(t.of[i])), make([]float64, len(t.of[i]))
		}
		for k, y := range t.of[i] {
			if v := of(p, y, k); !math.IsNaN(v) {
				sum[size][k] += v
				count[size][k]++
			}
		}
	}
	c := &curve{times: &fit.Times{Cluster: cluster}}
	for size, row := range sum {
		for k := range row {
			row[k] /= count[size][k] // NaN if there is none
		}
		if slices.ContainsFunc(row, func(y float64) bool { return !math.IsNaN(y) }) {
			c.sizes = append(c.sizes, size)
		}
	}
	slices.Sort(c.sizes)
	for _, size := range c.sizes {
		c.times.Of = append(c.times.Of, sum[size])
	}
	return c
}

// scaled returns c with times multiplied by a factor.
func (c *curve) scaled(factor float64) *curve {
	out := &curve{sizes: c.sizes, method: c.method, times: &fit.Times{Cluster: c.times.Cluster}}
	for _, row := range c.times.Of {
		scaled := slices.Clone(row)
		for k := range scaled {
			scaled[k] *= factor
		}
		out.times.Of = append(out.times.Of, scaled)
	}
	return out
}
