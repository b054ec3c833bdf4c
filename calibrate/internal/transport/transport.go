// Package transport measures how long messages take between two threads or processes of this host: over a goroutine
// channel, a ring in shared memory, a Unix socket, TCP over the loopback device, or MPI.
//
// The measuring side commands the other side through a block of shared memory, for every transport, and takes sentinels
// there. The transport itself is idle until an experiment begins.
//
// Experiments are those of calibrate/internal/fit/timing from which LogGP and PLogP are fitted: ping-pongs, bursts, bursts with
// delays longer than a round trip, and receives of messages that have arrived [hoefler2007, culler1996]. Exchanges, and
// bursts and ping-pongs of other sizes, judge the models. Package marshalling has packed blocks, scans and array
// statements.
package transport

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/internal/host"
	"spoor/calibrate/packing"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Bench is a pair of threads or processes that can run the experiments.
type Bench interface {
	host.Host
	// Launch ends the other side, if there is one, and starts another.
	Launch(n int) error
	// Rest ends the other side until the next launch.
	Rest() error
	// Trial prepares a point.
	Trial(p packing.Point) (host.Trial, error)
	// Pause returns the real length of a pause of d.
	Pause(d unit.Seconds) unit.Seconds
}

// Options say how much is measured.
type Options struct {
	Launches int
	Seed     uint64
	Rules    host.Rules
	Budget   unit.Seconds
	Wait     func(context.Context, unit.Seconds) error // see host.Visit
	Quick    bool
}

const (
	burst       = 16 // messages of a delayed burst, as in netgauge
	largestSize = 64 << 10
	// longer is the ratio of a delay to a round trip.
	longer = 1.2
	pilots = 15 // number of round trips that determine a delay
)

// bursts are the lengths of bursts. The first messages can cost less than those for which the receiver is late.
var bursts = []int64{4, burst, 64}

var sizes = []unit.Bytes{1, 8, 16, 32, 64, 128, 256, 512, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, largestSize}

// pilot answers the questions of a plan about the transport.
type pilot struct {
	delay func(unit.Bytes) (unit.Seconds, error) // returns a delay longer than a round trip
	waits func(packing.Point) (bool, error)      // reports whether a held send waits
}

// plan returns the points. Delays are longer than the round trip of the size. If sends wait for their receivers
// from some size on, that size and the one before are included.
func plan(o Options, ask pilot) (list []packing.Point, err error) {
	add := func(e packing.Experiment, size unit.Bytes, count int64, delay unit.Seconds, set packing.Set) {
		if p := (packing.Point{Experiment: e, Bytes: size, Count: count, Delay: delay, Set: set}); !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	step, tests := 1, 12
	if o.Quick {
		step, tests = 2, 2
	}
	var some []unit.Bytes
	for i := 0; i < len(sizes); i += step {
		some = append(some, sizes[i])
	}
	if some, err = ask.beside(some); err != nil {
		return nil, err
	}
	for _, size := range some {
		delay, err := ask.delay(size)
		if err != nil {
			return nil, err
		}
		list = append(list, held(size, delay))
		add(timing.PingPong, size, 1, 0, timing.Train)
		for _, count := range bursts {
			add(timing.Burst, size, count, 0, timing.Train)
		}
		add(timing.Delayed, size, burst, delay, timing.Train)
		add(timing.Receive, size, 1, 0, timing.Train)
		add(timing.Exchange, size, 1, 0, timing.Train)
	}
	r := rand.New(rand.NewPCG(o.Seed, 2))
	for range tests {
		any := func() (size unit.Bytes) { // nothing is fitted to it
			for size == 0 || slices.Contains(some, size) {
				size = unit.Bytes(math.Exp(r.Float64() * math.Log(largestSize)))
			}
			return size
		}
		add(timing.Burst, any(), 2+r.Int64N(63), 0, timing.Test)
		add(timing.PingPong, any(), 1, 0, timing.Test)
		add(timing.Exchange, any(), 1, 0, timing.Test)
	}
	return list, nil
}

// Measure visits all points in each launch, and returns the table of undisturbed times. A launch before the first
// determines the delays.
func Measure(ctx context.Context, b Bench, o Options, step func()) (*store.Table, error) {
	if err := b.Launch(-1); err != nil {
		return nil, err
	}
	points, err := plan(o, pilotOf(b))
	if err != nil {
		return nil, err
	}
	return At(ctx, b, o, points, step)
}

// At measures the given points. The table has the given facts.
func At(ctx context.Context, b Bench, o Options, points []packing.Point, step func(), facts ...trace.Arg) (*store.Table, error) {
	wait := o.Wait
	if wait != nil {
		wait = func(ctx context.Context, d unit.Seconds) error { return errors.Join(b.Rest(), o.Wait(ctx, d)) }
	}
	s, launches, err := host.Visit{
		Host: b, Rules: o.Rules, Points: len(points), Launches: o.Launches, Seed: o.Seed, Budget: o.Budget, Wait: wait,
		Launch: b.Launch, Step: step,
		Trial: func(point int, _ *rand.Rand) (host.Trial, error) { return b.Trial(points[point]) },
	}.Run(ctx)
	if err != nil {
		return nil, err
	}
	return table(s, points, append(facts, trace.Arg{Key: "launches", Value: strconv.Itoa(launches)}, trace.Arg{Key: "seed", Value: strconv.FormatUint(o.Seed, 10)},
		trace.Arg{Key: "bounds of states", Value: fmt.Sprint(s.Bounds())})), nil
}

// Points returns the number of points of a measurement.
func Points(o Options) int {
	list, _ := plan(o, pilot{func(unit.Bytes) (unit.Seconds, error) { return 1, nil }, func(packing.Point) (bool, error) { return false, nil }}) // which cannot fail
	return len(list)
}

// delayOf returns a delay longer than most round trips of a size, provided that the bench then pauses as long.
func delayOf(b Bench, size unit.Bytes) (unit.Seconds, error) {
	trial, err := b.Trial(packing.Point{Experiment: timing.PingPong, Bytes: size, Count: 1})
	if err != nil {
		return 0, err
	}
	least := unit.Seconds(math.Inf(1))
	for range pilots {
		if t := trial(); t > 0 {
			least = min(least, t)
		}
	}
	if math.IsInf(float64(least), 1) {
		return 0, &host.TooNoisyError{What: fmt.Sprintf("the other side does not answer messages of %v; wait until the host is idle", size)}
	}
	return b.Pause(longer * least), nil
}

// table returns a dataset for calibrate fit. It omits samples that were disturbed, or whose sentinel was not
// answered.
func table(s *host.Sampler, points []packing.Point, facts []trace.Arg) *store.Table {
	d := &timing.Data{Minimum: true}
	for _, one := range s.Samples {
		state := s.State(one.Sentinel)
		if one.Disturbed || state == host.Unknown {
			continue
		}
		d.Timings = append(d.Timings, timing.Timing{Point: points[one.Point], Launch: one.Launch, Rep: one.Rep, State: state, Sentinel: one.Sentinel, Time: one.Time})
	}
	return d.Table(facts...)
}
