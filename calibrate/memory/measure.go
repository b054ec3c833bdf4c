package memory

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"spoor/calibrate/host"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Bench is a host that makes trials of points.
type Bench interface {
	host.Host
	// Launch gives all memory back and takes new.
	Launch(n int) error
	// Trial prepares a point: the caches have seen its region. It is good until the next one is made.
	Trial(p Point, r *rand.Rand) (host.Trial, error)
	// Facts are what the host says of itself, for the table.
	Facts() []trace.Arg
}

// Options are how much is measured.
type Options struct {
	Launches int
	Seed     uint64
	Rules    host.Rules
	Budget   unit.Seconds // after which nothing is begun again, if there were MinLaunches
	Plan     []Point
}

// MinLaunches is how many launches there are whatever they take.
const MinLaunches = 3

// mostPasses is how often a launch goes through the points that lack samples of the state that is wanted.
const mostPasses = 8

// session is a measurement under way.
type session struct {
	Options
	bench   Bench
	sampler *host.Sampler
	r       *rand.Rand
	begin   unit.Seconds
	step    func()
	lost    int // points in a row
}

// Measure visits all points of the plan in shuffled order, in each launch, and again those of which
// too few samples are in the state that most of the first launch's are in. step is told of every point.
func Measure(ctx context.Context, b Bench, o Options, step func()) (*store.Table, error) {
	s := &session{o, b, &host.Sampler{Host: b, Rules: o.Rules}, rand.New(rand.NewPCG(o.Seed, 0)), b.Now(), step, 0}
	launches := 0
	for ; launches < o.Launches && (launches < MinLaunches || !s.late()); launches++ {
		if err := b.Launch(launches); err != nil {
			return nil, err
		}
		if err := s.launch(ctx, launches); err != nil {
			return nil, err
		}
	}
	facts := append(b.Facts(), trace.Arg{Key: "launches", Value: strconv.Itoa(launches)}, trace.Arg{Key: "seed", Value: strconv.FormatUint(o.Seed, 10)},
		trace.Arg{Key: "rules", Value: fmt.Sprintf("least of %d to %d until three agree within %g", o.Rules.Least, o.Rules.Most, o.Rules.Agree)})
	return table(s.sampler, o.Plan, facts), nil
}

func (s *session) late() bool { return s.bench.Now()-s.begin > s.Budget }

// launch takes all points, then those that are short of samples.
func (s *session) launch(ctx context.Context, launch int) error {
	for pass := range mostPasses {
		short := 0
		for _, i := range s.r.Perm(len(s.Plan)) {
			if pass > 0 && !s.sampler.Short(i, launch) {
				continue
			}
			short++
			if ctx.Err() != nil {
				return ctx.Err()
			}
			trial, err := s.bench.Trial(s.Plan[i], s.r)
			if err != nil {
				return fmt.Errorf("%v: %w", s.Plan[i], err)
			}
			if err := s.take(i, launch, trial); err != nil {
				return err
			}
			if pass == 0 {
				s.step()
			}
		}
		s.sampler.Settle()
		if short == 0 || s.late() {
			break
		}
	}
	return nil
}

// mostLost is how many points in a row may have nothing but disturbed samples.
const mostLost = 8

func (s *session) take(point, launch int, trial host.Trial) error {
	if s.sampler.Take(point, launch, trial) {
		s.lost = 0
	} else if s.lost++; s.lost == mostLost {
		return &host.TooNoisy{What: fmt.Sprintf("the processor was taken away during each sample of %d points in a row; wait until the host is idle", mostLost)}
	}
	return nil
}

// Stride is how far loads of chases must be apart on a host so that no two are on one line: the line, by a hasty look;
// 64 B if that shows none.
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
	lineRegion = unit.Bytes(256 << 10) // more than first levels are
)

// table has a row for each sample, in the order in which they were taken.
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
