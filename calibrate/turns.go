package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"spoor/calibrate/internal/fit"
	"spoor/calibrate/internal/host"
	"spoor/traces/unit"
)

// waiter is host.Visit.Wait.
type waiter func(context.Context, unit.Seconds) error

// takeTurns runs measurements one at a time. While one waits, the next one runs. So the launches of each are
// spread over the whole time, and intervals include slow changes. takeTurns returns the errors of all. An error
// for which unusable is false cancels the others, and is returned for them, too.
func takeTurns(ctx context.Context, list []func(context.Context, waiter) error) []error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := &turns{taken: true} // until all have queued
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
			if errs[i] = measure(ctx, wait); errs[i] != nil && !unusable(errs[i]) {
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

// turns lets one measurement run at a time, in the order of requests.
type turns struct {
	sync.Mutex
	taken bool
	queue []chan struct{}
}

// ask returns a channel that is closed when the caller's turn begins.
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

// unusable reports whether err says that the times of one measurement give no parameters. Others can still succeed.
func unusable(err error) bool {
	var samples *host.TooNoisyError
	var launches *fit.TooNoisyError
	var none *noParamsError
	return errors.As(err, &samples) || errors.As(err, &launches) || errors.As(err, &none)
}

// noParamsError is the error of a measurement whose times determine no parameters. All samples may have been disturbed.
type noParamsError struct {
	error
	dataset string
}

func (e *noParamsError) Error() string {
	return fmt.Sprintf("%v; no parameters, the times are in %s", e.error, e.dataset)
}

func (e *noParamsError) Unwrap() error { return e.error }
