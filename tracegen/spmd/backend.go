package spmd

import (
	"context"
	"time"

	"spoor/traces/trace"
)

// Backend runs ranks and carries out what they do to each other. Everything that
// can depend on time goes through it: a program cannot tell one from another but
// by what it is answered.
type Backend interface {
	// Run calls Main of every rank once, each on a goroutine or Coroutine of its own,
	// and returns when all of them have returned. Its error is that of the run.
	Run(ctx context.Context, ranks []*Rank) error

	// Do carries out op for r, on the goroutine of r, and returns when the rank may go
	// on. The op and its Message belong to the rank again as soon as Do returns; the
	// requests are the rank's until they have been waited for. To end a run, Do does
	// not return: it panics with Stopped.
	Do(r *Rank, op *Op)
}

// Op is one call of a rank that concerns others: what it asks, and below what the
// backend answers.
type Op struct {
	Kind     trace.Kind
	Object   int32      // Barrier, Lock, Unlock, Signal, WaitFlag: which
	Count    int        // WaitFlag: signals that must have come
	Message  *Message   // Send, Isend; the answer to Probe and Iprobe: nil is none
	Request  *Request   // Isend, Recv, Irecv, Test; Probe and Iprobe: what they look for
	Requests []*Request // Wait: the rank goes on when one of them has completed

	Index int           // Wait: which of Requests, each of them pending so far
	Done  bool          // Test: whether Request has completed
	Clock time.Duration // Clock
}

// Stopped is what Do panics with to leave a rank's program, wherever it is, when
// the run has ended elsewhere.
type Stopped struct{}

// Run runs program on procs ranks of a backend.
func Run(ctx context.Context, procs int, program Program, b Backend) error {
	if err := CheckProcs(procs); err != nil {
		return err
	}
	return b.Run(ctx, newRanks(procs, program, newSpace(), b))
}

func newRanks(procs int, program Program, space *space, b Backend) []*Rank {
	ranks := make([]*Rank, procs)
	for id := range ranks {
		ranks[id] = &Rank{id: id, procs: procs, program: program, space: space, backend: b}
	}
	return ranks
}
