package loggp

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"spoor/calibrate/internal/fit"
	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/packing"
)

// predictor is a model with its parameters.
type predictor struct {
	name string
	says string // its equation of bursts
	// table is set if half, gap, send and receive interpolate the points that they were fitted to.
	table   bool
	half    func(size float64) float64 // half a round trip; NaN: not known
	gap     func(size float64) float64
	send    func(size float64) float64
	receive func(size float64) float64
	eager   float64                    // largest size of messages that do not wait for their receiver
	duplex  func(size float64) float64 // time of an exchange, if it was measured; nil: computed from the others
	// lengths are gaps in bursts of the measured lengths.
	lengths []length
}

// newLogGP returns the model with lines for gaps and half round trips, one o_s, and one o_r.
func newLogGP(s *Study, c *curves, half, gap classes) predictor {
	line := func(c classes) func(float64) float64 {
		if c == nil {
			return unknown
		}
		return c.at
	}
	p := predictor{name: "LogGP", says: "PRTT(n,0,s) = 2 half(s) + (n-1) (g + (s-1) G)", half: line(half), gap: line(gap)}
	constant := func(name string) func(float64) float64 {
		i := slices.IndexFunc(s.Values, func(v Value) bool { return v.Name == name })
		if i < 0 {
			return unknown
		}
		return func(float64) float64 { return s.Values[i].Value }
	}
	p.send, p.receive = constant("o_s"), constant("o_r")
	p.eager = s.eager()
	return p
}

// bothWays adds a variant of each model that uses the measured times of exchanges.
func (s *Study) bothWays(c *curves, duplex classes) {
	if len(duplex) == 0 {
		return
	}
	lines, table := s.models[0], s.models[1]
	lines.name, lines.says, lines.duplex = "LogGP duplex", "exchange(s) = duplex + (s-1) duplexperbyte", duplex.at
	table.name, table.says, table.duplex = "PLogP duplex", "exchange(s) = duplex(s)", c.duplex.interpolated()
	s.models = append(s.models, lines, table)
}

// eager returns S, or infinity if it is not known.
func (s *Study) eager() float64 {
	if i := slices.IndexFunc(s.Values, func(v Value) bool { return v.Name == "S" }); i >= 0 {
		return s.Values[i].Value
	}
	return math.Inf(1)
}

// length is the gap in bursts of one length.
type length struct {
	count float64
	gap   func(size float64) float64
}

// newPLogP returns the model with tables.
//
// Differs: g of [kielmann2000] is that of endless streams. Here the time of a burst is interpolated between the
// measured lengths of bursts. The first messages can cost less than those for which the receiver is late, or more.
func newPLogP(s *Study, c *curves) predictor {
	p := predictor{name: "PLogP", says: "PRTT(n,0,s) = 2 half(s) + (n-1) g(s), g of bursts of like n", table: true,
		half: c.half.interpolated(), gap: c.gap.interpolated(), send: c.send.interpolated(), receive: c.receive.interpolated(), eager: s.eager()}
	for _, b := range c.bursts {
		p.lengths = append(p.lengths, length{b.count, b.gap.interpolated()})
	}
	return p
}

// further returns the time that all messages except the first add to a burst of count messages. It interpolates
// between the measured lengths, and extrapolates from the last two.
func (m *predictor) further(size, count float64) float64 {
	before, at := 0.0, 1.0
	slope := m.gap(size)
	for _, l := range m.lengths {
		extra := (l.count - 1) * l.gap(size)
		if math.IsNaN(extra) {
			continue
		}
		if slope = (extra - before) / (l.count - at); count <= l.count {
			break
		}
		before, at = extra, l.count
	}
	return before + (count-at)*slope
}

func unknown(float64) float64 { return math.NaN() }

// interpolated returns a function that interpolates between sizes, and extrapolates from the last two.
func (c *curve) interpolated() func(float64) float64 {
	means := c.times.Means()
	if len(means) < 2 {
		return func(size float64) float64 {
			if len(means) == 1 && size == float64(c.sizes[0]) {
				return means[0]
			}
			return math.NaN()
		}
	}
	return func(size float64) float64 {
		k := 1
		for k+1 < len(means) && size > float64(c.sizes[k]) {
			k++
		}
		a, b := float64(c.sizes[k-1]), float64(c.sizes[k])
		return means[k-1] + (means[k]-means[k-1])*max(size-a, 0)/(b-a)
	}
}

// time returns the model's time of a point; NaN if a parameter is not known.
func (m *predictor) time(p *packing.Point) float64 {
	size := float64(p.Bytes)
	each := func(delay float64) float64 {
		gap := m.gap(size)
		if delay == 0 && !math.IsNaN(gap) {
			return gap
		}
		return max(gap, m.send(size)+delay)
	}
	switch p.Experiment {
	case timing.PingPong:
		return 2 * m.half(size)
	case timing.Burst:
		if gap := m.gap(size); !math.IsNaN(gap) {
			return 2*m.half(size) + m.further(size, float64(p.Count))
		}
		fallthrough
	case timing.Delayed:
		return 2*m.half(size) + float64(p.Count-1)*each(float64(p.Delay))
	case timing.Exchange:
		if m.duplex != nil {
			return m.duplex(size)
		}
		return m.exchange(size)
	}
	return math.NaN()
}

// exchange returns the largest of: the time of a message, the gap, and the work of one processor on both messages.
// The work is the largest only if L is negative, because the work of two processors on one message overlaps, and
// that of one processor on two messages does not.
//
// The work of a send is at most the gap: o_s includes waiting for polling receivers, g does not. A send that waits
// for its receiver is no work, because the processor receives meanwhile. But the exchange does not end before the
// send.
//
// Limitation: if both sides copy at the same time, they share the bandwidth of copies. No parameter of one
// direction has that; duplex does.
func (m *predictor) exchange(size float64) float64 {
	t := max(m.half(size), m.gap(size))
	work := min(m.send(size), m.gap(size)) + m.receive(size)
	if size > m.eager {
		work = m.send(size)
	}
	if math.IsNaN(work) {
		return t
	}
	return max(t, work)
}

// own reports whether a table has the times of an experiment as they are.
func (m *predictor) own(e packing.Experiment) bool {
	return m.table && (e != timing.Exchange || m.duplex != nil)
}

// judge compares models with times that they were not fitted to. Where no point is of a test set, it is said
// how well they describe their own, but for those that a table has as they are.
func (s *Study) judge(train, test *samples) {
	held := test
	s.Judged = fmt.Sprintf("%d test points", len(test.points))
	if len(test.points) == 0 {
		held, s.Judged = train, "its own points"
	}
	times := fit.Times{Of: held.of}
	means := times.Means()
	for _, m := range s.models {
		for _, e := range experiments {
			var measured, predicted []float64
			for i := range held.points {
				p := &held.points[i]
				t := m.time(p)
				if p.Experiment != e || math.IsNaN(t) || held == train && m.own(e) || m.duplex != nil && e != timing.Exchange {
					continue
				}
				measured, predicted = append(measured, means[i]), append(predicted, t)
				s.Compared = append(s.Compared, timing.Comparison{Point: *p, State: s.State, Model: m.name, Method: m.name, Measured: means[i], Predicted: t})
			}
			if len(measured) > 0 {
				s.Errors = append(s.Errors, ModelErrors{m.name, m.says, e, fit.ErrorsOf(measured, predicted, 0)})
			}
		}
	}
}

// table fills PLogP's table and adds its L.
func (s *Study) table(c *curves, seed uint64) {
	var sizes []int64
	for _, one := range []*curve{c.half, c.gap, c.send, c.receive, c.duplex} {
		sizes = append(sizes, one.sizes...)
	}
	slices.Sort(sizes)
	half, gap, send, receive, duplex := c.half.estimates(seed), c.gap.estimates(seed), c.send.estimates(seed), c.receive.estimates(seed), c.duplex.estimates(seed)
	for _, size := range slices.Compact(sizes) {
		s.Table = append(s.Table, Row{Bytes: size, Send: send(size), Receive: receive(size), Gap: gap(size), Half: half(size), Duplex: duplex(size)})
	}
	for i, size := range c.half.sizes {
		k := c.gap.at(size)
		if k < 0 {
			continue
		}
		times := &fit.Times{Cluster: c.half.times.Cluster, Of: [][]float64{c.half.times.Of[i], c.gap.times.Of[k]}}
		s.values(times, seed, []Value{{Name: "plogp_L", Unit: "s", Method: "half a round trip less g(s) [kielmann2000]"}},
			"the least size with both", func(m []float64) []float64 { return []float64{m[0] - m[1]} })
		return
	}
}

// estimates returns the values of a curve with intervals over clusters.
func (c *curve) estimates(seed uint64) func(size int64) Estimated {
	spread := c.times.Spread(func(means []float64, drawn []int) ([]float64, error) {
		if slices.Contains(drawn, 0) {
			return nil, errors.New("not measured in any of these launches")
		}
		return means, nil
	}, len(c.sizes), true, seed)
	means := c.times.Means()
	return func(size int64) Estimated {
		i := c.at(size)
		if i < 0 {
			return Estimated{math.NaN(), math.NaN(), math.NaN()}
		}
		lo, hi := spread.Interval(i, means[i])
		return Estimated{means[i], lo, hi}
	}
}
