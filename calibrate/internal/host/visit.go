package host

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"spoor/traces/unit"
)

// Visit is a plan: which points are measured, how often, and for how long.
type Visit struct {
	Host     Host
	Rules    Rules
	Points   int
	Launches int
	Seed     uint64
	Budget   unit.Seconds // after MinLaunches, no launch starts later than this
	// Wait, if not nil, is called before each launch except the first. It waits for d, until the launch's share of
	// the budget starts. Launches are then spread over the budget and differ by slow changes, so that intervals
	// include these. Extra time, in which others measure, does not count against the budget.
	Wait func(ctx context.Context, d unit.Seconds) error
	// Launch starts a launch.
	Launch func(launch int) error
	// Trial prepares a point. The trial is valid until the next one is prepared.
	Trial func(point int, r *rand.Rand) (Trial, error)
	// Step is called for every point of every launch.
	Step func()
}

const (
	// MinLaunches is the least number of launches, whatever they take, if so many are requested.
	MinLaunches = 3
	// mostPasses bounds how often a launch repeats the points that lack samples of the wanted state.
	mostPasses = 8
	// overdue times the budget is the longest time of a visit.
	overdue = 1.5
	// mostLost bounds the number of consecutive points with only disturbed samples.
	mostLost = 8
)

// visitor is the state of a visit.
type visitor struct {
	Visit
	sampler *Sampler
	r       *rand.Rand
	begin   unit.Seconds
	lost    int // consecutive points with only disturbed samples
}

// Run visits all points in shuffled order in each launch. It visits points again that have too few samples in the
// wanted state, which is that of most samples of the first launch. It returns the number of launches.
func (v Visit) Run(ctx context.Context) (s *Sampler, launches int, err error) {
	w := &visitor{v, &Sampler{Host: v.Host, Rules: v.Rules}, rand.New(rand.NewPCG(v.Seed, 0)), v.Host.Now(), 0}
	for ; launches < v.Launches && (launches < MinLaunches || !w.late()); launches++ {
		if err := w.wait(ctx, launches); err != nil {
			return nil, 0, err
		}
		if err := v.Launch(launches); err != nil {
			return nil, 0, err
		}
		if err := w.launch(ctx, launches); err != nil {
			return nil, 0, err
		}
	}
	return w.sampler, launches, nil
}

// wait waits until the launch's share of the budget starts.
func (w *visitor) wait(ctx context.Context, launch int) error {
	if w.Wait == nil || launch == 0 {
		return nil
	}
	now := w.Host.Now()
	early := max(0, w.begin+w.Budget*unit.Seconds(launch)/unit.Seconds(w.Launches)-now)
	err := w.Wait(ctx, early)
	w.begin += max(0, w.Host.Now()-now-early)
	return err
}

// Sleep waits without using the processor.
func Sleep(ctx context.Context, d unit.Seconds) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(float64(d) * 1e9)):
		return nil
	}
}

func (w *visitor) late() bool { return w.Host.Now()-w.begin > w.Budget }

// overdue returns an error if samples take far longer than the budget.
func (w *visitor) overdue(launch int) error {
	if took := w.Host.Now() - w.begin; took > overdue*w.Budget {
		return &TooNoisyError{fmt.Sprintf("%d of %d launches are done after %v: other work takes the processor, or sentinels are not answered; wait until the host is idle", launch, w.Launches, took)}
	}
	return nil
}

// uneven times its equal share of the rest of a launch is the longest time of a point.
const uneven = 2

// left returns the rest of a launch's share of the budget.
func (w *visitor) left(launch int) unit.Seconds {
	return w.begin + w.Budget*unit.Seconds(launch+1)/unit.Seconds(w.Launches) - w.Host.Now()
}

// launch takes all points. While its share of the budget lasts, it repeats those that lack samples. If samples
// take long, points have fewer samples, and all launches have about as many: a mean over launches is only as good
// as its smallest launch.
func (w *visitor) launch(ctx context.Context, launch int) error {
	for pass := range mostPasses {
		short := 0
		for n, i := range w.r.Perm(w.Points) {
			if pass > 0 && !w.sampler.Short(i, launch) {
				continue
			}
			short++
			w.sampler.Rules.Patience = max(0, min(w.Rules.Patience, uneven*w.left(launch)/unit.Seconds(w.Points-n)))
			if err := errors.Join(ctx.Err(), w.overdue(launch)); err != nil {
				return err
			}
			trial, err := w.Trial(i, w.r)
			if err != nil {
				return err
			}
			if err := w.take(i, launch, trial); err != nil {
				return err
			}
			if pass == 0 {
				w.Step()
			}
		}
		w.sampler.Settle()
		if short == 0 || w.left(launch) <= 0 {
			break
		}
	}
	return nil
}

func (w *visitor) take(point, launch int, trial Trial) error {
	if w.sampler.Take(point, launch, trial) {
		w.lost = 0
	} else if w.lost++; w.lost == mostLost {
		return &TooNoisyError{fmt.Sprintf("other work interrupted every sample of %d consecutive points; wait until the host is idle", mostLost)}
	}
	return nil
}
