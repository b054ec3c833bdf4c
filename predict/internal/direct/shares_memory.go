package direct

import (
	"context"
	"slices"
	"time"

	"spoor/tracegen/spmd"
	"spoor/traces/trace"
)

// SharesMemory reports whether a program is for Memory and not for Run: it uses locks or flags, or it uses barriers
// and no messages. It runs the program until that is known.
func SharesMemory(ctx context.Context, program spmd.Program, procs int) (bool, error) {
	if err := spmd.CheckProcs(procs); err != nil {
		return false, err
	}
	j := &scheduler{}
	_, err := spmd.Run(ctx, spmd.Options{Procs: procs, NoRefs: true}, program, j, nil)
	if ctx.Err() != nil {
		return false, err
	}
	return j.usesLocks || j.usesBarriers && !j.usesMessages, nil // the simulation reports other errors
}

// scheduler runs ranks from barrier to barrier until one of them uses a lock, a flag or a message.
type scheduler struct {
	ranks                   []*spmd.Coroutine
	usesBarriers            bool // an operation of the program so far
	usesLocks, usesMessages bool
	read                    time.Duration
}

// Run implements spmd.Backend.
func (j *scheduler) Run(ctx context.Context, ranks []*spmd.Rank) error {
	for _, r := range ranks {
		c := spmd.NewCoroutine(r)
		defer c.Stop()
		j.ranks = append(j.ranks, c)
	}
	ended := func(c *spmd.Coroutine) bool { return c.Ended }
	for !j.usesLocks && !j.usesMessages && !slices.ContainsFunc(j.ranks, ended) {
		for _, c := range j.ranks {
			if c.Resume(); j.usesLocks || j.usesMessages || c.Err != nil || ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}

// Do implements spmd.Backend.
func (j *scheduler) Do(r *spmd.Rank, op *spmd.Op) {
	switch op.Kind {
	case trace.Barrier:
		j.usesBarriers = true
	case trace.Clock:
		j.read += time.Millisecond // time passes, for programs that wait for a time
		op.Clock = j.read
		return
	case trace.Lock, trace.Unlock, trace.Signal, trace.WaitFlag:
		j.usesLocks = true
	default:
		j.usesMessages = true
	}
	j.ranks[r.ID()].Pause()
}
