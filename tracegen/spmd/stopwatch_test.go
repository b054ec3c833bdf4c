package spmd

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"spoor/tracegen/spmd/internal/space"
	"spoor/traces/trace"
)

// answering finds a message with every second test.
type answering struct{ tests int }

func (*answering) Run(context.Context, []*Rank) error { return nil }

func (a *answering) Do(_ *Rank, op *Op) {
	if op.Kind == trace.Test {
		a.tests++
		op.Done = a.tests%2 == 0
	}
}

// A rank computes when it is not in operations, and while it asks for what is not there.
func TestStopwatch(t *testing.T) {
	s := newStopwatch(&answering{}, 2)
	times := []time.Duration{100, 110, 130, 135, 140, 150, 170, 176} // the watch starts, three operations, it stops
	s.now = func() time.Duration {
		now := times[0]
		times = times[1:]
		return now
	}
	rotten := errors.New("rotten")
	err := s.timed(func(r *Rank) error {
		Send(r, 0, 0, []int{1})    // from 110 to 130
		r.do(Op{Kind: trace.Test}) // from 135 to 140, for nothing
		r.do(Op{Kind: trace.Test}) // from 150 to 170
		return rotten              // at 176
	})(newRanks(2, nil, space.New(), s)[1])
	if err != rotten {
		t.Errorf("error %v", err)
	}
	if got := s.computed(0, 0); got != 10+20+6 {
		t.Errorf("computed for %d ns, want 36", got)
	}
	if got := s.computed(3, 2); got != 36-2*3-2*2 {
		t.Errorf("computed for %d ns without what measuring takes, want 26", got)
	}
	if got := s.computed(30, 2); got != 0 {
		t.Errorf("computed for %d ns, which is negative", got)
	}
}

// What ranks wait is not computed, and programs that fail have their own error.
func TestComputed(t *testing.T) {
	const pause = 20 * time.Millisecond
	for _, procs := range []int{1, 2, 3} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			took, err := Computed(context.Background(), procs, func(r *Rank) error {
				if r.ID() == 0 {
					time.Sleep(pause)
				}
				r.Barrier()
				return nil
			})
			if err != nil || took < pause {
				t.Errorf("%d ranks computed for %v, error %v", procs, took, err)
			}
		})
	}
	rotten := errors.New("rotten")
	if _, err := Computed(context.Background(), 2, func(*Rank) error { return rotten }); !errors.Is(err, rotten) {
		t.Errorf("error %v", err)
	}
	if _, err := Computed(context.Background(), 0, nil); err == nil {
		t.Error("no error for no ranks")
	}
}
