package memory

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"spoor/calibrate/internal/host"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Bench is a host that can run the experiments.
type Bench interface {
	host.Host
	// Launch releases all memory and allocates new memory.
	Launch(n int) error
	// Trial prepares a point and warms the caches with its region. The trial is valid until the next one is
	// prepared.
	Trial(p Point, r *rand.Rand) (host.Trial, error)
	// Facts returns what the host reports about itself, for the table.
	Facts() []trace.Arg
}

// Options say how much is measured.
type Options struct {
	Launches int
	Seed     uint64
	Rules    host.Rules
	Budget   unit.Seconds                              // see host.Visit
	Wait     func(context.Context, unit.Seconds) error // see host.Visit
	Plan     []Point
}

// Measure visits all points of the plan in each launch. It calls step for every point.
func Measure(ctx context.Context, b Bench, o Options, step func()) (*store.Table, error) {
	s, launches, err := host.Visit{
		Host: b, Rules: o.Rules, Points: len(o.Plan), Launches: o.Launches, Seed: o.Seed, Budget: o.Budget, Wait: o.Wait,
		Launch: b.Launch, Step: step,
		Trial: func(point int, r *rand.Rand) (host.Trial, error) {
			trial, err := b.Trial(o.Plan[point], r)
			if err != nil {
				return nil, fmt.Errorf("%v: %w", o.Plan[point], err)
			}
			return trial, nil
		},
	}.Run(ctx)
	if err != nil {
		return nil, err
	}
	facts := append(b.Facts(), trace.Arg{Key: "launches", Value: strconv.Itoa(launches)}, trace.Arg{Key: "seed", Value: strconv.FormatUint(o.Seed, 10)},
		trace.Arg{Key: "rules", Value: fmt.Sprintf("least of %d to %d until three agree within %g", o.Rules.Least, o.Rules.Most, o.Rules.Agree)})
	return table(s, o.Plan, facts), nil
}

// Stride returns the distance of loads in chases, so that no two are on one line: the line size by a hasty
// measurement, or 64 B if that finds none.
func Stride(b Bench, seed uint64) (unit.Bytes, error) {
	if err := b.Launch(0); err != nil {
		return 0, err
	}
	s := &host.Sampler{Host: b, Rules: host.Hasty}
	r := rand.New(rand.NewPCG(seed, 1))
	var strides, least []float64
	for i, p := range pairs(lineRegion, lineRegion) {
		trial, err := b.Trial(p, r)
		if err != nil {
			return 0, err
		}
		s.Take(i, 0, trial)
		time := math.NaN()
		for _, one := range s.Samples {
			if one.Point == i && !one.Disturbed && !(time <= float64(one.Time)) {
				time = float64(one.Time)
			}
		}
		strides, least = append(strides, float64(p.Stride)), append(least, time)
	}
	if line := lineOf(strides, least); line > 0 {
		return unit.Bytes(line), nil
	}
	return usualLine, nil
}

const (
	usualLine  = unit.Bytes(64)
	lineRegion = unit.Bytes(256 << 10) // larger than first levels
)

// table returns a row for each sample, in the order in which they were taken.
func table(s *host.Sampler, plan []Point, facts []trace.Arg) *store.Table {
	n := len(s.Samples)
	kind, state := make([]string, n), make([]string, n)
	region, step := make([]int64, n), make([]int64, n)
	launch, rep, disturbed := make([]int32, n), make([]int32, n), make([]int32, n)
	sentinel, at, time := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, one := range s.Samples {
		p := plan[one.Point]
		kind[i], region[i], step[i] = string(p.Kind), int64(p.Region), int64(p.Stride)
		launch[i], rep[i] = int32(one.Launch), int32(one.Rep)
		sentinel[i], at[i], time[i] = float64(one.Sentinel), float64(one.At), float64(one.Time)
		state[i] = s.State(one.Sentinel)
		if one.Disturbed {
			disturbed[i] = 1
		}
	}
	states := []trace.Arg{{Key: "bounds of states", Value: fmt.Sprint(s.Bounds())}, {Key: factState, Value: s.Wanted()}}
	return &store.Table{Name: tableName, Meta: slices.Concat(facts, states), Columns: []store.Column{
		{Name: "kind", Data: kind}, {Name: "region", Unit: "B", Data: region}, {Name: "stride", Unit: "B", Data: step},
		{Name: "launch", Data: launch}, {Name: "rep", Data: rep}, {Name: "state", Data: state}, {Name: "sentinel", Unit: "s", Data: sentinel},
		{Name: "at", Unit: "s", Data: at}, {Name: "disturbed", Data: disturbed}, {Name: "time", Unit: "s", Data: time},
	}}
}

const (
	tableName = "memory samples"
	factState = "wanted state" // in which there are to be samples of every point
)
