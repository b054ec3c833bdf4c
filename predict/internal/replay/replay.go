// Package replay simulates recorded traces on a machine. It replays shared-memory programs on a simulated memory
// system (predict/internal/memsys), message-passing programs on a simulated network (Messages), and programs that do both
// (Mixed).
//
// The package knows time and order but not cache lines. Each processor does its own references and events in program
// order. The processor with the smallest (time, processor) acts next. So all effects between processors happen in the
// order of simulated time. Time is in integer picoseconds. An instruction costs its clock periods, and each line that
// a load or store touches costs the cache latency. After both, the touch reaches the memory system, which adds
// latency and contention. A reference that crosses a line boundary touches its lines one after the other. Instruction
// fetches, prefetches and flushes cost only their instructions. The result has a warning about prefetches and
// flushes.
//
// Processors wait at a barrier until all processors of the trace have arrived. They get a lock in the order of their
// simulated arrival, ties by processor; the recorded order does not matter. A wait for a flag ends when the flag has
// as many signals as the event says. A forked processor begins at the fork, and a join waits for its end. All these
// cost only their recorded instructions and Options.Barrier. With Options.Looks, processors without caches look over the
// network at the word of a flag, lock or barrier until the wait ends, see look.go.
//
// The actions of a processor are as recorded, even if they depend on timing. For example, the tasks that it took from
// a queue ([trace.TaskQueues]) stay the same. Direct runs the program itself instead of a trace; then simulated time
// decides the assignment of tasks.
//
// The overheads are separated as in [sivasubramaniam1995] (reference in predict/internal/memsys). They add up exactly to
// simulated time.
package replay

import (
	"context"
	"fmt"

	"spoor/analyze/comm"
	"spoor/predict/internal/engine"
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/memsys/layer"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// horizon is the simulated time that no run may reach: 53 days. It is half of what unit.Picos holds, so that one more
// step never overflows.
const horizon = unit.Picos(1) << 62

// Scope is what a simulation covers of a program.
type Scope uint8

// The scopes.
const (
	References Scope = 1 + iota // references, and waiting for other processors in shared memory
	Messages                    // messages, and computation without references
	Both
)

// Options are the options of simulations. Those of messages do not matter for Scope References, and those of references
// do not for Messages.
type Options struct {
	Scope    Scope            // of Simulate
	Observer observe.Observer // receives what processors do, and why they wait; or nil
	Progress func(n int)      // receives the number of references, or of events for Messages, done since its last call

	Starts []unit.Picos // when processors begin; nil: all at 0

	// Of references.
	Clocks    []Clock    // of each processor; nil: all have the same clock
	HostTimes bool       // measure Result.Host, on target wwt
	Barrier   unit.Picos // cost of a barrier after the last processor arrived
	Looks     bool       // processors without caches look at what they wait for
	Memory    unit.Bytes // size of the memory, to warn if the trace needs more; 0: not checked
	Phases    bool       // collect Result.Phases
	Warm      bool       // of Simulate: run twice and report the second run, with the caches and memories of the first

	// Of messages.
	Semantics   Semantics      // zero: LogGPS
	Collectives comm.Algorithm // algorithm of collectives that are recorded as one event; empty: comm.Doubling, or comm.SMPI with its semantics
	Without     error          // why the references of the program are not simulated, for a warning; nil: not known
	Recorded    bool           // computation takes its recorded time; only without references
	Engine      engine.Options // of several workers: Protocol, Workers, Quantum, Ahead; only without references
}

// Run replays src on sys. sys must be new and made for at least the processors of src; Run consumes it. The result
// depends on the trace, the system, the clock and the options, but not on the batches of the trace.
func Run(ctx context.Context, src trace.Source, sys touch.System, clock Clock, opt Options) (*Result, error) {
	s, err := Scan(src)
	if err != nil {
		return nil, err
	}
	return runOn(ctx, src, s, sys, clock, opt)
}

// runOn is Run with the Scan of src.
func runOn(ctx context.Context, src trace.Source, s *EventStats, sys touch.System, clock Clock, opt Options) (*Result, error) {
	head := src.Header()
	if head.Procs < 1 {
		return nil, fmt.Errorf("the trace has no processors")
	}
	r := newRun(ctx, head, sys, opt)
	for id := range trace.Proc(head.Procs) {
		p := newProcessor(id, opt.clock(id, clock))
		p.startAt(opt.start(id))
		p.read(src)
		defer p.stop()
		r.procs = append(r.procs, p)
	}
	if err := r.markChildren(s); err != nil {
		return nil, err
	}
	return r.simulate()
}

// clock returns the clock of a processor. all is the clock of processors without their own.
func (o *Options) clock(p trace.Proc, all Clock) Clock {
	if o.Clocks != nil {
		return o.Clocks[p]
	}
	return all
}

func newRun(ctx context.Context, head trace.Header, sys touch.System, opt Options) *run {
	return &run{queue: newQueue(head.Procs), ctx: ctx, head: head, sys: sys, opt: opt, shift: sys.Line().Shift(),
		barriers: map[barrierID][]*processor{}, locks: map[int32]*lock{}, flags: map[int32]*flag{}}
}

// simulate runs all processors to their end.
func (r *run) simulate() (*Result, error) {
	for _, p := range r.procs {
		if p.state == running {
			r.queue.put(action{0, p.id})
		}
	}
	r.sys.OnInvalidate(r.syncBefore)
	for !r.queue.empty() {
		if err := r.runFirst(horizon - 1); err != nil {
			return nil, err
		}
	}
	if err := r.deadlock(); err != nil {
		return nil, err
	}
	res := r.result()
	res.begunAt(r.opt.Starts)
	return res, nil
}

// run is the state of one simulation.
type run struct {
	ctx            context.Context
	head           trace.Header
	sys            touch.System
	prefetching    layer.Prefetching // sys, from the first prefetch on
	opt            Options
	program        Program     // directly executed; nil: a trace
	messages       *mixed      // simulator of messages; nil: there are none
	node           *windowNode // whose processor this run is of; nil: it is of all
	shift          uint        // log2 of the line size
	procs          []*processor
	queue          queue
	barriers       map[barrierID][]*processor // processors that have arrived
	members        map[int32]int              // processors at barriers of groups
	locks          map[int32]*lock
	flags          map[int32]*flag
	uncountedWaits uint64       // waits for flags without a number of signals
	unplacedWaits  uint64       // waits without the address of a word to look at
	looks          uint64       // at words of other nodes
	limit          unit.Picos   // until which the present processor acts before all others
	rescheduled    []*processor // processors whose next actions the present processor has changed
}

// runFirst lets the first processor of the queue act until another one comes before it, but not after a time.
func (r *run) runFirst(until unit.Picos) error {
	first, limit := r.queue.first()
	p := r.procs[first.proc]
	if first.at >= horizon {
		return fmt.Errorf("processor %d: simulated time passes %v, more than can be simulated", p.id, horizon)
	}
	r.limit = min(limit, until)
	if p.looking.active {
		return r.runLooking(p)
	}
	if err := r.commitLookahead(p); err != nil {
		return fmt.Errorf("processor %d: %w", p.id, err)
	}
	if err := r.advance(p); err != nil {
		return fmt.Errorf("processor %d: %w", p.id, err)
	}
	r.requeue(p)
	for _, q := range r.rescheduled {
		r.queue.put(action{r.lookahead(q), q.id})
	}
	r.rescheduled = r.rescheduled[:0]
	return nil
}

// requeue sets the next action of p, which has acted.
func (r *run) requeue(p *processor) {
	switch {
	case p.looking.active:
		r.queue.put(action{p.next, p.id})
	case p.state == running:
		r.queue.put(action{r.lookahead(p), p.id})
	default:
		r.queue.drop(p.id)
	}
}

// advance lets p act as long as its time does not pass r.limit and no other processor is rescheduled. It sets p.next
// to a time before which p will not act.
func (r *run) advance(p *processor) error {
	for {
		switch {
		case p.line < p.lastLine || p.rowsBeforeEvent() > 0:
			if done, err := r.step(p, &r.limit); !done || err != nil {
				return err
			}
		case p.eventDue():
			p.next = p.clock.At(p.eventInstr, p.touches) + p.stall
			if p.next > r.limit {
				return nil
			}
			if r.synchronizes(&p.rows[p.event]) && r.drain(p) {
				continue
			}
			if err := r.performNext(p); err != nil || p.state != running || len(r.rescheduled) > 0 {
				return err
			}
		default:
			more, err := r.fetchBatch(p)
			if err != nil {
				return err
			}
			if !more {
				r.finish(p)
				return nil
			}
		}
	}
}
