package spmd

import (
	"context"
	"sync"
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
	Stamp    *Stamp     // Clock: who gets the answer, which the backend may Defer; or nil

	Index int           // Wait: which of Requests
	Done  bool          // Test: whether Request has completed
	Clock time.Duration // Clock
}

// Stopped is what Do panics with to leave a rank's program, wherever it is, when
// the run has ended elsewhere.
type Stopped struct{}

// Run runs program on opt.Procs ranks of a backend, counts the instructions of
// each and writes what they do to sink, like Record; a nil sink takes nothing.
func Run(ctx context.Context, opt Options, program Program, b Backend, sink Sink) (*Recording, error) {
	if err := CheckProcs(opt.Procs); err != nil {
		return nil, err
	}
	if sink == nil {
		sink, opt.NoRefs = discard{}, true
	}
	space := newRecordedSpace(opt)
	ranks := newRanks(opt.Procs, program, space, recording{b})
	var broken failure
	for _, r := range ranks {
		r.rec = newRecorder(r.id, opt, space)
		r.rec.sink, r.rec.ctx, r.rec.fail = sink, ctx, broken.fail
	}
	err := b.Run(ctx, ranks)
	if broken.cause != nil {
		return nil, broken.cause
	}
	if err != nil {
		return nil, err
	}
	out := &Recording{Regions: space.regions}
	for _, r := range ranks {
		out.Totals = append(out.Totals, r.rec.totals())
		out.Dropped += r.rec.dropped
	}
	return out, nil
}

func newRanks(procs int, program Program, space *space, b Backend) []*Rank {
	ranks := make([]*Rank, procs)
	for id := range ranks {
		ranks[id] = &Rank{id: id, procs: procs, program: program, space: space, backend: b}
	}
	return ranks
}

// Main runs the program on this rank. It is for backends, which end a run when the
// Main of one rank returns an error.
func (r *Rank) Main() error {
	defer func() { r.ended = true }()
	if err := call(r, r.program); err != nil {
		return err
	}
	if err := r.loose(); err != nil || r.rec == nil {
		return err
	}
	return call(r, func(r *Rank) error {
		r.rec.finish()
		return nil
	})
}

// Executed is the instructions that this rank has executed so far. It is for
// backends, and counts nothing natively.
func (r *Rank) Executed() uint64 {
	if r.rec == nil {
		return 0
	}
	return r.rec.executed()
}

// Flush hands everything that this rank has done to the sink. It is for backends of early recordings.
func (r *Rank) Flush() { r.rec.flush() }

// Regions are the arrays that ranks have placed so far, in the order of their first use. It is for backends.
func (r *Rank) Regions() []Region { return r.space.regions }

// failure is why nothing more can be recorded.
type failure struct {
	once  sync.Once
	cause error
}

// fail ends the rank that cannot be recorded, and by its error the run.
func (f *failure) fail(err error) {
	f.once.Do(func() { f.cause = err })
	panic(Stopped{})
}

// discard is the sink that nobody looks into.
type discard struct{}

func (discard) Refs(*trace.Refs) error     { return nil }
func (discard) Events(*trace.Events) error { return nil }
