package engine

import (
	"context"
	"spoor/predict/internal/engine/appointment"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/engine/program"
	"spoor/predict/internal/engine/table"
	"spoor/traces/unit"
)

// never is later than all events.
const never = appointment.Never

// Options are the inputs of a run besides the programs.
type Options struct {
	Model cost.Model
	// Steps returns the steps of a rank in a collective, ordered by round. The caller may share them; the engine does
	// not change them.
	Steps       func(rank int32, op *program.Op) ([]program.Step, error)
	Observer    observe.Observer      // or nil
	Direct      program.DirectProgram // or nil
	CoSimulator CoSimulator           // or nil; a run with it has one worker
	Progress    func(ops int)
	Protocol    outcome.Protocol // of several workers
	Workers     int              // 0 means one; at most the number of ranks
	Application int              // more workers, at most one for each rank, which only run their programs; if Direct is Concurrent
	Quantum     unit.Picos       // at most the lookahead; 0 means the lookahead
	Ahead       int              // F, the number of operations that Whoa looks ahead; 0 means DefaultAhead where that pays

	adaptive bool // F is not given, so workers may switch looking ahead off
}

// Run simulates the programs of ranks 0, 1, ... It returns the error of a program, a *Deadlock, or a *Leftover.
func Run(ctx context.Context, programs []program.Program, opt Options) (*outcome.Result, error) {
	drivers, err := driversFor(&opt, len(programs))
	if err != nil {
		return nil, err
	}
	return drive(ctx, programs, opt, drivers...)
}

// drive simulates the programs with one worker for each driver.
func drive(ctx context.Context, programs []program.Program, opt Options, drivers ...driver) (*outcome.Result, error) {
	if err := opt.Model.Check(); err != nil {
		return nil, err
	}
	if err := errCoSimulator(&opt, programs); err != nil {
		return nil, err
	}
	if opt.Observer != nil && opt.Model.Interrupts {
		interrupted := observe.NewInterrupted(opt.Observer, len(programs))
		defer interrupted.Flush()
		opt.Observer = interrupted
	}
	if len(drivers) > 1 {
		opt = withLocks(opt)
	}
	engines := newEngines(ctx, len(programs), opt, drivers)
	if opt.CoSimulator != nil {
		opt.CoSimulator.Open(engines[0].resume)
	}
	if err := startAll(engines, programs); err != nil {
		return nil, err
	}
	all := workers{Stats: outcome.Stats{Protocol: opt.Protocol, Workers: engines[0].simulators, Application: opt.Application}, engines: engines}
	for _, finish := range []func() error{all.run, all.drainBlocked, all.checkHorizon, all.drainArrivals, all.checkFinished} {
		if err := finish(); err != nil {
			return nil, err
		}
	}
	return all.result(), nil
}

// engine is the state of a worker. The worker owns the ranks from first to before end.
type engine struct {
	cost.Model
	ctx               context.Context
	opt               Options
	obs               observe.Observer
	direct            program.DirectProgram
	fast              bool   // the fast path applies: see canRunFast
	ranks             []rank // of all workers
	first             int32
	end               int32
	number            int
	simulators        int // workers that have ranks
	driver            driver
	packets           table.Pool[packet]
	pendingOps        table.Pool[pendingOp]
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
	truncations       outcome.Truncations
	received          observe.ReceivedMessage // scratch value for the observer
	outbox            outbox
	lookaheads        *lookaheads // if Whoa
	polls             bool        // a rank has reached pollLimit
	segments          *segments   // of a program that runs on several workers, or nil
	rendezvousPending int         // rendezvous messages without an answer
	appointments      uint64
}

// newEngines divides the ranks among the drivers.
func newEngines(ctx context.Context, n int, opt Options, drivers []driver) (all []*engine) {
	ranks, simulators := make([]rank, n), len(drivers)-opt.Application
	for i, d := range drivers {
		e := &engine{Model: opt.Model, ctx: ctx, opt: opt, obs: opt.Observer, direct: opt.Direct, ranks: ranks, lookahead: opt.Model.Lookahead(), driver: d,
			number: i, simulators: simulators, first: int32(min(i, simulators) * n / simulators), end: int32(min(i+1, simulators) * n / simulators)}
		e.fast = e.canRunFast()
		e.packets.Items, e.pendingOps.Items = make([]packet, 1), make([]pendingOp, 1) // index 0 stands for none
		if e.UsesLinks() {
			e.pairs, e.transfers.order = map[uint64]unit.Picos{}, map[uint64]int32{}
			e.transfers.all.Items, e.transfers.orders = make([]transfer, 1), make([]order, 1)
		}
		if e.obs != nil && e.Net != nil {
			e.Net.TrackBlocking()
		}
		if e.obs != nil {
			e.causes.out, e.causes.in = make([]observe.Cause, n), make([]observe.Cause, n)
			e.causes.pairs = map[uint64]observe.Cause{}
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
