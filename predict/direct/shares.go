package direct

import (
	"context"
	"slices"
	"time"

	"spoor/tracegen/spmd"
	"spoor/traces/trace"
)

// SharesMemory reports whether a program is one for Memory, and not for Run: it uses locks or flags, or barriers and no
// messages. It runs the program until that is known.
func SharesMemory(ctx context.Context, program spmd.Program, procs int) (bool, error) {
	if err := spmd.CheckProcs(procs); err != nil {
		return false, err
	}
	j := &judge{}
	_, err := spmd.Run(ctx, spmd.Options{Procs: procs, NoRefs: true}, program, j, nil)
	if ctx.Err() != nil {
		return false, err
	}
	return j.shares || j.met && !j.passes, nil // what else is wrong its simulation finds
}

// judge lets ranks run to barriers, until one of them does what decides.
type judge struct {
	ranks          []*spmd.Coroutine
	met            bool // at a barrier
	shares, passes bool
	read           time.Duration
}

// Run implements spmd.Backend.
func (j *judge) Run(ctx context.Context, ranks []*spmd.Rank) error {
	for _, r := range ranks {
		c := spmd.NewCoroutine(r)
		defer c.Stop()
		j.ranks = append(j.ranks, c)
	}
	ended := func(c *spmd.Coroutine) bool { return c.Ended }
	for !j.shares && !j.passes && !slices.ContainsFunc(j.ranks, ended) {
		for _, c := range j.ranks {
			if c.Resume(); j.shares || j.passes || c.Err != nil || ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}

// Do implements spmd.Backend.
func (j *judge) Do(r *spmd.Rank, op *spmd.Op) {
	switch op.Kind {
	case trace.Barrier:
		j.met = true
	case trace.Clock:
		j.read += time.Millisecond // who waits for a time will see it
		op.Clock = j.read
		return
	case trace.Lock, trace.Unlock, trace.Signal, trace.WaitFlag:
		j.shares = true
	default:
		j.passes = true
	}
	j.ranks[r.ID()].Pause()
}
