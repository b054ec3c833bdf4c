package main

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"spoor/calibrate/internal/host"
)

// One measures at a time, those that wait give way to the next, and noise of one does not end the others.
func TestMeasurementsTakeTurns(t *testing.T) {
	noise := &host.TooNoisyError{What: "b"}
	var order []string
	var measuring atomic.Int32
	one := func(name string, launches int, err error) func(context.Context, waiter) error {
		return func(ctx context.Context, wait waiter) error {
			for i := range launches {
				if i > 0 {
					if err := wait(ctx, 0); err != nil {
						return err
					}
				}
				if measuring.Add(1) != 1 {
					t.Errorf("%s measures while another does", name)
				}
				order = append(order, name)
				measuring.Add(-1)
			}
			return err
		}
	}
	errs := takeTurns(t.Context(), []func(context.Context, waiter) error{one("a", 3, nil), one("b", 2, noise), one("c", 3, nil)})
	if !slices.Equal(errs, []error{nil, noise, nil}) || len(order) != 8 || !slices.Equal(order[:3], []string{"a", "b", "c"}) {
		t.Errorf("%v, %v", order, errs)
	}
	fault := errors.New("disk full")
	order = nil
	errs = takeTurns(t.Context(), []func(context.Context, waiter) error{one("a", 3, nil), one("b", 1, fault), one("c", 3, nil)})
	if slices.ContainsFunc(errs, func(err error) bool { return err != fault && err != nil }) || errs[1] != fault || !slices.Equal(order[:2], []string{"a", "b"}) {
		t.Errorf("%v, %v", order, errs)
	}
}
