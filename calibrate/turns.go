package main

import (
	"context"
	"errors"
	"sync"

	"spoor/calibrate/host"
	"spoor/traces/unit"
)

// waiter waits as host.Visit asks.
type waiter func(context.Context, unit.Seconds) error

// takeTurns makes measurements, one at a time, each of which gives way to the next while it waits. So the launches of each
// are spread over the time of all, and differ by what changes slowly: intervals are as wide as that asks for. It gives the
// errors of all; one that is not for noise ends the others, and is theirs, too.
func takeTurns(ctx context.Context, list []func(context.Context, waiter) error) []error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := &turns{taken: true} // until all have asked
	wait := func(ctx context.Context, d unit.Seconds) error {
		t.leave()
		err := host.Sleep(ctx, d)
		<-t.ask()
		return err
	}
	errs := make([]error, len(list))
	var all sync.WaitGroup
	for i, measure := range list {
		mine := t.ask()
		all.Go(func() {
			<-mine
			defer t.leave()
			if errs[i] = measure(ctx, wait); errs[i] != nil && !tooNoisy(errs[i]) {
				cancel(errs[i])
			}
		})
	}
	t.leave()
	all.Wait()
	for i, err := range errs {
		if errors.Is(err, context.Canceled) {
			errs[i] = context.Cause(ctx)
		}
	}
	return errs
}

// turns lets one measure at a time, in the order in which they ask.
type turns struct {
	sync.Mutex
	taken bool
	queue []chan struct{}
}

// ask gives a channel that is closed when it is one's turn.
func (t *turns) ask() <-chan struct{} {
	t.Lock()
	defer t.Unlock()
	mine := make(chan struct{})
	t.queue = append(t.queue, mine)
	t.next()
	return mine
}

// leave ends a turn.
func (t *turns) leave() {
	t.Lock()
	defer t.Unlock()
	t.taken = false
	t.next()
}

func (t *turns) next() {
	if !t.taken && len(t.queue) > 0 {
		t.taken = true
		close(t.queue[0])
		t.queue = t.queue[1:]
	}
}
