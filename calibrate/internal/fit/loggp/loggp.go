// Package loggp fits LogGP and PLogP to times of ping-pongs, bursts, sends, receives and exchanges.
//
// o_s and o_r are the times that sender and receiver are busy with a message. L is the latency, g the gap between
// messages of one byte, and G the gap of each further byte [alexandrov1995]. With PRTT(n,d,s) as in package
// timing,
//
//	PRTT(1,0,s) = 2 (o_s + L + o_r + (s-1) G)
//	PRTT(n,0,s) = PRTT(1,0,s) + (n-1) max(g + (s-1) G, o_s)
//	PRTT(n,d,s) = PRTT(1,0,s) + (n-1) (o_s + d)   if d is longer than a gap.
//
// Delayed bursts give o_s. The slope of bursts over sizes gives g and G [hoefler2007]. The time of a late receive
// is o_r, and the rest of half a round trip is L [culler1996]. L can be negative, because the program's part of
// sending and receiving can overlap the network's. Half a round trip is the better number then.
//
// Differs: the time that a message adds to a burst is max(g + (s-1) G, o_s) as measured, so that g and G alone
// predict bursts. o_s from delayed bursts is longer if receivers poll memory: each message then finds a waiting
// receiver.
//
// Protocols change with message size. Both curves, of gaps and of half round trips, are divided into the lines
// that explain them best (fit.Segments). Each line is a class of sizes. S is the largest size whose send returns
// before a late receiver starts. Larger messages wait for their receiver. Without such sends, S is where half a
// round trip jumps most.
//
// In an exchange both sides send and receive at once. The parameters above do not determine its time if both sides
// copy at the same time, or if a send ends with an answer. It has a parameter of its own, duplex, by classes of
// sizes or as a table, if exchanges were measured for it. Models that use it have other names ("LogGP duplex") and
// are judged by exchanges of other sizes.
//
// PLogP [kielmann2000] has tables over sizes instead: o_s(s), o_r(s), g(s), with L = PRTT(1,0,s)/2 - g(s) at the
// least s.
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

// experiments are those that determine parameters of these models.
var experiments = []packing.Experiment{timing.PingPong, timing.Burst, timing.Delayed, timing.Send, timing.Receive, timing.Held, timing.Gap, timing.Exchange}

// Value is a parameter.
type Value struct {
	Name, Unit    string
	Value, Lo, Hi float64 // 95 % interval; NaN: not known
	Method        string
}

// Study has the parameters and errors of one state.
type Study struct {
	State    string
	Timings  int
	Floor    float64
	Values   []Value
	Table    []Row // of PLogP, by size
	Judged   string
	Errors   []ModelErrors
	Compared []timing.Comparison
	Warnings []error
	models   []predictor
}

// ModelErrors has the errors of a model for an experiment.
type ModelErrors struct {
	Model      string
	Equation   string
	Experiment packing.Experiment
	Errors     fit.Errors
}

// Row has PLogP's parameters for a size; NaN: not known.
type Row struct {
	Bytes         int64
	Send, Receive Estimated
	Gap, Half     Estimated // Half: half a round trip
	Duplex        Estimated // time of an exchange
}

// Estimated is a value and its 95 % interval.
type Estimated struct{ Value, Lo, Hi float64 }

// Run makes a study of each state. Its errors are of the states that cannot be studied.
func Run(d *timing.Data, seed uint64) (studies []*Study, failed []error) {
	for _, state := range d.States() {
		s, err := study(d, state, seed)
		if err != nil {
			failed = append(failed, err)
		} else if s != nil {
			studies = append(studies, s)
		}
	}
	return studies, failed
}

// study returns nil if the state has no experiment of these models.
func study(d *timing.Data, state string, seed uint64) (*Study, error) {
	selected := d.Select(state, experiments...)
	points, times := selected.Points, selected.Times
	if len(points) == 0 {
		return nil, nil
	}
	s := &Study{State: state, Timings: selected.Timings}
	if err := selected.Sparse(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.title(), err)
	}
	if thin := selected.Thin(); thin != nil {
		s.warn("%w", thin)
	}
	if err := s.noise(points, times); err != nil {
		return nil, err
	}
	s.alone(points, times)
	var train, test samples
	for i, p := range points {
		into := &train
		if p.Set == timing.Test {
			into = &test
		}
		into.points, into.of = append(into.points, p), append(into.of, times.Of[i])
	}
	c, err := s.curves(&train, times.Cluster)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.title(), err)
	}
	s.overheads(c, seed)
	half := s.lines(c.half, "half", seed)
	gap := s.lines(c.gap, "gap", seed)
	s.gaps(gap)
	duplex := s.lines(c.duplex, "duplex", seed)
	s.rendezvous(&train, c.half, half, seed)
	s.table(c, seed)
	s.models = []predictor{newLogGP(s, c, half, gap), newPLogP(s, c)}
	s.bothWays(c, duplex)
	s.judge(&train, &test)
	if len(s.Values) == 0 {
		return nil, fmt.Errorf("%s: %d points determine no parameter", s.title(), len(points))
	}
	return s, nil
}

func (s *Study) title() string {
	if s.State == "" {
		return "messages"
	}
	return "messages in state " + s.State
}

func (s *Study) warn(format string, args ...any) {
	s.Warnings = append(s.Warnings, fmt.Errorf("%s: %w", s.title(), fmt.Errorf(format, args...)))
}

// noise refuses times whose repetitions disagree. It checks round trips of all kinds together, except delayed
// bursts, whose variance is that of their delays.
func (s *Study) noise(points []packing.Point, times *fit.Times) error {
	trips := &fit.Times{}
	for i, p := range points {
		if p.Experiment == timing.PingPong || p.Experiment == timing.Burst {
			trips.Of = append(trips.Of, times.Of[i])
		}
	}
	if len(trips.Of) < 2 {
		trips = times
	}
	var known bool
	s.Floor, known = trips.Floor()
	if !known {
		s.warn("nothing was repeated: the noise is not known")
		return nil
	}
	if s.Floor > fit.MaxFloor {
		return &fit.TooNoisyError{What: s.title(), Floor: s.Floor, Points: len(trips.Of)}
	}
	return nil
}

// alone handles points that were measured in only one of several launches: it uses their time for all launches, so
// that draws of launches do not lose them.
func (s *Study) alone(points []packing.Point, times *fit.Times) {
	var lonely []packing.Experiment
	for i, row := range times.Of {
		at, n := 0, 0
		for c, y := range row {
			if !math.IsNaN(y) {
				at, n = c, n+1
			}
		}
		if n != 1 || len(row) == 1 {
			continue
		}
		for c := range row {
			row[c] = row[at]
		}
		if e := points[i].Experiment; !slices.Contains(lonely, e) {
			lonely = append(lonely, e)
		}
	}
	if len(lonely) > 0 {
		s.warn("some of %v was measured in one launch only; intervals do not include the variation between launches", lonely)
	}
}

// overheads computes o_s, o_r and L at the least size at which all of them were measured.
func (s *Study) overheads(c *curves, seed uint64) {
	const culler = "half a round trip less o_s and o_r [culler1996]"
	of := []*curve{c.half, c.send, c.receive}
	common := slices.DeleteFunc(slices.Clone(c.half.sizes), func(size int64) bool { return c.send.at(size) < 0 || c.receive.at(size) < 0 })
	if len(common) == 0 {
		s.partly(c, seed)
		return
	}
	size := common[0]
	times := &fit.Times{Cluster: c.half.times.Cluster}
	for _, one := range of {
		times.Of = append(times.Of, one.times.Of[one.at(size)])
	}
	found := s.values(times, seed, []Value{
		{Name: "o_s", Unit: "s", Method: c.send.method}, {Name: "o_r", Unit: "s", Method: c.receive.method},
		{Name: "o", Unit: "s", Method: "mean of o_s and o_r"},
		{Name: "L", Unit: "s", Method: culler}, {Name: "half_rtt", Unit: "s", Method: "half a round trip"},
	}, fmt.Sprintf("messages of %d bytes", size), func(m []float64) []float64 {
		return []float64{m[1], m[2], (m[1] + m[2]) / 2, m[0] - m[1] - m[2], m[0]}
	})
	for _, o := range found[:2] {
		if o.Value < 0 {
			s.warn("%s is negative, %.3g s: delays were too short, or noise is larger", o.Name, o.Value)
		}
	}
	if latency, half := found[3], found[4]; latency.Value < 0 {
		s.warn("L is negative, %.3g s: o_s and o_r overlap, or are shorter in a ping-pong; use half a round trip, %.3g s, instead", latency.Value, half.Value)
	}
}

// partly computes the parameters that are known if one of the three is not.
func (s *Study) partly(c *curves, seed uint64) {
	for _, one := range []struct {
		name string
		*curve
	}{{"o_s", c.send}, {"o_r", c.receive}, {"half_rtt", c.half}} {
		if len(one.sizes) == 0 {
			s.warn("%s is not known: no experiment determines it", one.name)
			continue
		}
		times := &fit.Times{Cluster: one.times.Cluster, Of: one.times.Of[:1]}
		s.values(times, seed, []Value{{Name: one.name, Unit: "s", Method: one.method}}, fmt.Sprintf("messages of %d bytes", one.sizes[0]),
			func(m []float64) []float64 { return m[:1] })
	}
	s.warn("L is not known: o_s, o_r and a round trip of one size are needed for it")
}

// values estimates parameters from the means of a few fixed points: only clusters vary.
func (s *Study) values(times *fit.Times, seed uint64, list []Value, what string, of func(means []float64) []float64) []Value {
	spread := times.Spread(func(means []float64, drawn []int) ([]float64, error) {
		if slices.Contains(drawn, 0) {
			return nil, errors.New("not measured in any of these launches")
		}
		return of(means), nil
	}, len(list), true, seed)
	for j, v := range of(times.Means()) {
		list[j].Value = v
		list[j].Lo, list[j].Hi = spread.Interval(j, v)
		list[j].Method += "; " + what + "; " + spread.What
	}
	s.Values = append(s.Values, list...)
	return list
}
