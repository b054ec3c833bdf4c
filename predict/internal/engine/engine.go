package engine

import (
	"context"

	"spoor/traces/unit"
)

// Horizon is the simulated time that no run may reach: 53 days. It leaves room for the sum of any two durations.
const Horizon = unit.Picos(1) << 62

// maxDuration bounds each duration that a program or a message adds.
const maxDuration = Horizon / 4

// never is later than all events.
const never = unit.Picos(1)<<62 + 1

// None stands for any peer or tag, and for no request.
const None int32 = -1

// Kind is the kind of an operation.
type Kind uint8

// The kinds of operations. The zero Kind is not legal.
const (
	Compute    Kind = 1 + iota // Work only
	Send                       // ends when the message has been handed over; a rendezvous message, when it has left
	Isend                      // a Send that opens a request
	Recv                       // ends when the message is there
	Irecv                      // a Recv that opens a request
	Wait                       // waits until a request has ended
	Probe                      // waits until a message is there, and leaves it there
	Collective                 // exchanges the messages of Options.Steps

	// Operations of a directly executed program. Options.Direct receives their answers.
	Test         // asks whether a request has ended, and if so closes it
	Iprobe       // asks whether a message is there
	Clock        // asks for the time
	AddToWaitAny // adds a request to those of the next WaitAny
	WaitAny      // waits until the first of several requests has ended

	// until Options.CoSimulator resumes the rank; begins when the operation before it ends, so it must be first or
	// alone
	Suspended
)

// Op is an operation of a rank.
type Op struct {
	Work  unit.Picos // computation before it
	Extra unit.Picos // overhead beyond o_s or o_r, for copying a buffer
	// size of a sent message; for a receive, its capacity, or 0 for any; with Options.Direct, the mark of each
	// operation but sends
	Bytes        int64
	Peer         int32 // for a receive or probe, None means any
	Tag          int32 // for a receive or probe, None means any
	Group        int32 // messages and receives match within a group
	Request      int32 // that it opens or waits for; or None
	Kind         Kind
	IgnoreClosed bool // a Wait ends at once if its request is not open
	// Sensitive means that the following operations depend on when or how this one ends [dickens1996, "sensitive
	// calls"]. Next is not called before it ends.
	Sensitive bool
}

// Step is a message of a collective that a rank sends or receives. A rank does its steps round by round. It posts the
// receives of a round, sends, and goes on when all messages of the round have arrived and left.
type Step struct {
	Bytes int64
	Round int32
	Peer  int32
	Send  bool
}

// Program is the program of one rank.
type Program struct {
	// Next returns the next operations; none at the end. They are valid until the next call. Next may be called
	// before these operations have ended, except if the last of them is Sensitive or if there is an Options.Direct.
	// With several workers, the Nexts of several ranks are called concurrently.
	Next func() (Ops, error)
	// Graph gives the operations that each operation needs to have ended; nil means the operation before it.
	Graph *Graph
}

// Graph holds the needs of operation i in Rows, from Starts[i] to Starts[i+1].
type Graph struct {
	Starts []int64
	Rows   []int32
}

// Options are the inputs of a run besides the programs.
type Options struct {
	Model Model
	// Steps returns the steps of a rank in a collective, ordered by round. The caller may share them; the engine does
	// not change them.
	Steps       func(rank int32, op *Op) ([]Step, error)
	Observer    Observer      // or nil
	Direct      DirectProgram // or nil
	CoSimulator CoSimulator   // or nil; a run with it has one worker
	Progress    func(ops int)
	Protocol    Protocol   // of several workers
	Workers     int        // 0 means one; at most the number of ranks
	Quantum     unit.Picos // at most the lookahead; 0 means the lookahead
	Ahead       int        // F, the number of operations that Whoa looks ahead; 0 means DefaultAhead where that pays

	adaptive bool // F is not given, so workers may switch looking ahead off
}

// Run simulates the programs of ranks 0, 1, ... It returns the error of a program, a *Deadlock, or a *Leftover.
func Run(ctx context.Context, programs []Program, opt Options) (*Result, error) {
	drivers, err := driversFor(&opt, len(programs))
	if err != nil {
		return nil, err
	}
	return drive(ctx, programs, opt, drivers...)
}

// drive simulates the programs with one worker for each driver.
func drive(ctx context.Context, programs []Program, opt Options, drivers ...driver) (*Result, error) {
	if err := opt.Model.check(); err != nil {
		return nil, err
	}
	if err := errCoSimulator(&opt, programs); err != nil {
		return nil, err
	}
	if len(drivers) > 1 {
		opt = withLocks(opt)
	}
	engines := newEngines(ctx, len(programs), opt, drivers)
	if opt.CoSimulator != nil {
		opt.CoSimulator.Open(engines[0].resume)
	}
	for i := range programs {
		r := &engines[0].ranks[i]
		if r.start(programs[i]); r.e.failed != nil {
			return nil, r.e.failed.err
		}
		r.updateNext(never, r.programTime())
		r.e.driver.add(r)
	}
	all := workers{Stats: Stats{Protocol: opt.Protocol, Workers: len(engines)}, engines: engines}
	for _, finish := range []func() error{all.run, all.drainBlocked, all.checkHorizon, all.drainArrivals, all.checkFinished} {
		if err := finish(); err != nil {
			return nil, err
		}
	}
	return all.result(), nil
}

// engine is the state of a worker. The worker owns the ranks from first to before end.
type engine struct {
	Model
	ctx               context.Context
	opt               Options
	obs               Observer
	direct            DirectProgram
	fast              bool   // the fast path applies: see canRunFast
	ranks             []rank // of all workers
	first             int32
	end               int32
	number            int
	driver            driver
	packets           pool[packet]
	pendingOps        pool[pendingOp]
	stored            uint64 // packets that were ever unmatched
	lookahead         unit.Picos
	now               unit.Picos // time of the present event
	limit             unit.Picos // until which the active rank knows all messages
	settledUntil      unit.Picos // everything before this is simulated, if there are other workers
	active            int32
	aheadLeft         int // operations that the active rank may still run ahead of the limit
	failed            *failure
	flights           []unit.Picos          // of packets, if Model.usesLinks
	causes            causes                // if there is an Observer
	pairs             map[uint64]unit.Picos // when the last message between two ranks came, if Model.usesLinks
	transfers         transferTable         // if Model.Shared
	ops               uint64
	reported          uint64
	reused            uint64 // requests that were opened again while they were open
	truncations       Truncations
	received          ReceivedMessage // scratch value for the observer
	outbox            outbox
	lookaheads        *lookaheads // if Whoa
	rendezvousPending int         // rendezvous messages without an answer
	appointments      uint64
}

// newEngines divides the ranks among the drivers.
func newEngines(ctx context.Context, n int, opt Options, drivers []driver) (all []*engine) {
	ranks := make([]rank, n)
	for i, d := range drivers {
		e := &engine{Model: opt.Model, ctx: ctx, opt: opt, obs: opt.Observer, direct: opt.Direct, ranks: ranks, lookahead: opt.Model.Lookahead(), driver: d,
			number: i, first: int32(i * n / len(drivers)), end: int32((i + 1) * n / len(drivers))}
		e.fast = e.canRunFast()
		e.packets.items, e.pendingOps.items = make([]packet, 1), make([]pendingOp, 1) // index 0 stands for none
		if e.usesLinks() {
			e.pairs, e.transfers.order = map[uint64]unit.Picos{}, map[uint64]int32{}
			e.transfers.all.items, e.transfers.orders = make([]transfer, 1), make([]order, 1)
		}
		if e.obs != nil && e.Net != nil {
			e.Net.TrackBlocking()
		}
		if e.obs != nil {
			e.causes.out, e.causes.in = make([]Cause, n), make([]Cause, n)
			e.causes.pairs = map[uint64]Cause{}
		}
		for r := e.first; r < e.end; r++ {
			ranks[r].e, ranks[r].id = e, r
		}
		all = append(all, e)
	}
	return all
}

// checkpoint reports progress and returns the error of the context. Drivers call it from time to time.
func (e *engine) checkpoint() error {
	if e.opt.Progress != nil {
		e.opt.Progress(int(e.ops - e.reported))
		e.reported = e.ops
	}
	return e.ctx.Err()
}
