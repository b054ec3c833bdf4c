package host

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"spoor/traces/unit"
)

// Visit is how points are gone through.
type Visit struct {
	Host     Host
	Rules    Rules
	Points   int
	Launches int
	Seed     uint64
	Budget   unit.Seconds // after which nothing is begun again, if there were MinLaunches
	// Wait waits, if it is not nil, until launches that take less than their share of the budget have been waited for: what
	// changes slowly then differs between them, too, and intervals are as wide as that asks for. It is called before each launch
	// but the first. What it waits for longer than asked, as others measure meanwhile, is not of the budget.
	Wait func(ctx context.Context, d unit.Seconds) error
	// Launch begins a launch anew.
	Launch func(launch int) error
	// Trial prepares a point. It is good until the next one is prepared.
	Trial func(point int, r *rand.Rand) (Trial, error)
	// Step is told of every point of every launch.
	Step func()
}

const (
	// MinLaunches is how many launches there are whatever they take, if so many are asked for.
	MinLaunches = 3
	// mostPasses is how often a launch goes through the points that lack samples of the state that is wanted.
	mostPasses = 8
	// overdue is how many times its budget a visit may take, whatever it has.
	overdue = 1.5
	// mostLost is how many points in a row may have nothing but disturbed samples.
	mostLost = 8
)

// visitor is a visit under way.
type visitor struct {
	Visit
	sampler *Sampler
	r       *rand.Rand
	begin   unit.Seconds
	lost    int // points in a row
}

// Run visits all points in shuffled order, in each launch, and again those of which too few samples are in the
// state that most of the first launch's are in. It says how many launches there were.
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

// wait waits until it is a launch's turn.
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

// Sleep waits while others may have the processor.
func Sleep(ctx context.Context, d unit.Seconds) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(float64(d) * 1e9)):
		return nil
	}
}

func (w *visitor) late() bool { return w.Host.Now()-w.begin > w.Budget }

// overdue is an error where samples come so slowly that there is no end to it.
func (w *visitor) overdue(launch int) error {
	if took := w.Host.Now() - w.begin; took > overdue*w.Budget {
		return &TooNoisyError{fmt.Sprintf("%d of %d launches are done after %v, as the processor is taken away or nobody answers; wait until the host is idle", launch, w.Launches, took)}
	}
	return nil
}

// uneven is how many times its even share of what is left of a launch a point may take.
const uneven = 2

// left is what is left of a launch's share of the budget.
func (w *visitor) left(launch int) unit.Seconds {
	return w.begin + w.Budget*unit.Seconds(launch+1)/unit.Seconds(w.Launches) - w.Host.Now()
}

// launch takes all points, then those that are short of samples while its share of the budget lasts. Where samples take long, points
// have fewer, and all launches as many: a mean over launches is not worth more than its fewest.
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
		return &TooNoisyError{fmt.Sprintf("the processor was taken away during each sample of %d points in a row; wait until the host is idle", mostLost)}
	}
	return nil
}
