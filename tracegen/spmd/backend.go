package spmd

import (
	"context"
	"sync"
	"time"

	"spoor/tracegen/spmd/internal/space"
	"spoor/traces/trace"
)

// nobody stands for no rank.
const nobody = -1

// barrierID is the number of the only barrier, that of all ranks.
const barrierID = 0

// Backend runs ranks and carries out their operations. All that can depend on time goes through it. A program sees
// differences between backends only in the results of operations.
type Backend interface {
	// Run calls Main of every rank once, each on its own goroutine or Coroutine. It returns when all have returned.
	// Its error is the error of the run.
	Run(ctx context.Context, ranks []*Rank) error

	// Do carries out op for r, on r's goroutine, and returns when the rank may continue. After Do returns, op and
	// its Message belong to the rank again. Requests belong to the rank only after a wait for them. To end a run,
	// Do does not return; it panics with Stopped.
	Do(r *Rank, op *Op)
}

// Op is one operation of a rank that concerns other ranks: first its arguments, then the results that the backend
// sets.
type Op struct {
	Kind     trace.Kind
	Object   int32      // Barrier, Lock, Unlock, Signal, WaitFlag: number of the object
	Count    int        // WaitFlag: number of signals to wait for
	Message  *Message   // Send, Isend; the result of Probe and Iprobe: nil if there is none
	Request  *Request   // Isend, Recv, Irecv, Test; Probe and Iprobe: the messages to look for
	Requests []*Request // Wait: the rank continues when one of them has completed
	Stamp    *Stamp     // Clock: receives the result, which the backend may Defer; or nil

	Index int           // Wait: index of the completed one in Requests
	Done  bool          // Test: whether Request has completed
	Clock time.Duration // Clock
}

// Stopped is the panic value of Do when the run has ended elsewhere. It unwinds the rank's program.
type Stopped struct{}

// Run runs program on opt.Procs ranks of a backend. Like Record, it counts the instructions of each rank and writes
// its operations to sink. A nil sink records nothing.
func Run(ctx context.Context, opt Options, program Program, b Backend, sink Sink) (*Recording, error) {
	if err := CheckProcs(opt.Procs); err != nil {
		return nil, err
	}
	if sink == nil {
		sink, opt.NoRefs = discard{}, true
	}
	space := space.NewRecorded(opt.Procs, opt.Unplaced)
	ranks := newRanks(opt.Procs, program, space, recordingBackend{b})
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
	out := &Recording{Regions: space.Regions}
	for _, r := range ranks {
		out.Totals = append(out.Totals, r.rec.totals())
		out.Dropped += r.rec.dropped
		out.Outside += r.rec.tape.Outside
	}
	return out, nil
}

func newRanks(procs int, program Program, space *space.Space, b Backend) []*Rank {
	ranks := make([]*Rank, procs)
	for id := range ranks {
		ranks[id] = &Rank{id: id, procs: procs, program: program, space: space, backend: b}
	}
	return ranks
}

// Main runs the program on this rank. Backends call it. They end a run when the Main of one rank returns an error.
func (r *Rank) Main() error {
	defer func() { r.ended = true }()
	if err := call(r, r.program); err != nil {
		return err
	}
	if err := r.checkFinished(); err != nil || r.rec == nil {
		return err
	}
	return call(r, func(r *Rank) error {
		r.rec.finish()
		return nil
	})
}

// Executed returns the number of instructions that this rank has executed so far. It is for backends. Natively it
// is 0.
func (r *Rank) Executed() uint64 {
	if r.rec == nil {
		return 0
	}
	return r.rec.executed()
}

// Flush writes everything that this rank has done to the sink. It is for backends of early recordings.
func (r *Rank) Flush() { r.rec.flush() }

// Regions returns the arrays that ranks have placed so far, in the order of their first use. It is for backends.
func (r *Rank) Regions() []Region { return r.space.Regions }

// failure holds the first error of a recording.
type failure struct {
	once  sync.Once
	cause error
}

// fail stores the error and ends the calling rank. The error then ends the run.
func (f *failure) fail(err error) {
	f.once.Do(func() { f.cause = err })
	panic(Stopped{})
}

// discard is a sink that drops everything.
type discard struct{}

func (discard) Refs(*trace.Refs) error     { return nil }
func (discard) Events(*trace.Events) error { return nil }
