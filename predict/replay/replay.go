// Package replay runs recorded traces of shared-memory programs on a simulated
// memory system (predict/memsys), of programs that pass messages over a simulated network
// (Messages), and of programs that do both (Mixed).
//
// The package knows time and order and nothing of lines: each processor runs its
// own references and events in program order, and of all processors the one with
// the smallest (time, processor) acts next, so that everything that processors do
// to each other happens in the order of simulated time. Time is integer
// picoseconds. An instruction costs its clock periods, and each line that a load
// or store touches costs the cache latency; the touch reaches the memory system
// after both, which adds latency and contention. A reference that crosses a line
// boundary touches each of its lines in turn. Instruction fetches cost their
// instructions alone; prefetches and flushes likewise, which is noted as a
// warning.
//
// Processors wait at a barrier until all processors of the trace are there, and
// for a lock in the order of their simulated arrival, ties by processor: the order
// of recording plays no part. A wait for a flag ends when the flag has got as many signals as it
// says. A processor that another one forks begins then, and who joins it waits for its end. All these
// cost nothing but the instructions the trace has for them and Options.Barrier.
//
// What a processor does is as recorded, even if it depends on timing: the tasks that it took
// from a queue ([trace.TaskQueues]) stay its own. Direct runs the program itself instead of a trace: then they are
// given out in simulated time.
//
// The overheads are separated as in [sivasubramaniam1995] (reference in
// predict/memsys) and add up exactly to simulated time.
package replay

import (
	"context"
	"fmt"

	"spoor/predict/memsys"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// end is the simulated time that no run may reach: 53 days. Half of what unit.Picos
// holds, so that one more step never overflows.
const horizon = unit.Picos(1) << 62

// Options changes what Run does besides simulating.
type Options struct {
	Clocks   []Clock     // of each processor, where they are not all of the same clock; nil: they are
	Barrier  unit.Picos  // cost of a barrier after the last processor arrived
	Memory   unit.Bytes  // size of the memory, to warn if the trace needs more; 0 is not checked
	Phases   bool        // collect Result.Phases
	Warm     bool        // of Machine: caches and memories hold what a run before has left there; else nothing
	Progress func(n int) // is told the number of references done since its last call
	// Waits is told of each time in which a processor executes nothing, in order of time for each.
	Waits func(p trace.Proc, from, to unit.Picos)
}

// Run replays src on sys, which must be new and made for at least the processors
// of src, and consumes it. The result is a function of the trace, the system, the
// clock and the options, whatever batches the trace comes in.
func Run(ctx context.Context, src trace.Source, sys memsys.System, clock Clock, opt Options) (*Result, error) {
	head := src.Header()
	if head.Procs < 1 {
		return nil, fmt.Errorf("the trace has no processors")
	}
	r := newRun(ctx, head, sys, opt)
	for id := range trace.Proc(head.Procs) {
		p := newProcessor(id, opt.clock(id, clock))
		p.read(src)
		defer p.stop()
		r.procs = append(r.procs, p)
	}
	if err := r.markChildren(src); err != nil {
		return nil, err
	}
	return r.simulate()
}

// clock is that of a processor; all is that of all which have none of their own.
func (o *Options) clock(p trace.Proc, all Clock) Clock {
	if o.Clocks != nil {
		return o.Clocks[p]
	}
	return all
}

func newRun(ctx context.Context, head trace.Header, sys memsys.System, opt Options) *run {
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
	return r.result(), nil
}

// run is the state of one simulation.
type run struct {
	ctx            context.Context
	head           trace.Header
	sys            memsys.System
	opt            Options
	program        Program // that is being run; nil: of a trace
	messages       *mixed  // that are simulated beside this; nil: there are none
	shift          uint    // log2 of the line size
	procs          []*processor
	queue          queue
	barriers       map[barrierID][]*processor // who has arrived
	locks          map[int32]*lock
	flags          map[int32]*flag
	uncountedWaits uint64       // waits for flags that do not say for how many signals
	limit          unit.Picos   // until which the present processor acts before all others
	rescheduled    []*processor // whose turns the present processor has changed
}

// turn lets the first processor of the queue act until another one comes before it, but not after a time.
func (r *run) runFirst(until unit.Picos) error {
	first, limit := r.queue.first()
	p := r.procs[first.proc]
	if first.at >= horizon {
		return fmt.Errorf("processor %d: simulated time passes %v, more than can be simulated", p.id, horizon)
	}
	r.limit = min(limit, until)
	if err := r.commitLookahead(p); err != nil {
		return fmt.Errorf("processor %d: %w", p.id, err)
	}
	if err := r.advance(p); err != nil {
		return fmt.Errorf("processor %d: %w", p.id, err)
	}
	if p.state == running {
		r.queue.put(action{r.lookahead(p), p.id})
	} else {
		r.queue.drop(p.id)
	}
	for _, q := range r.rescheduled {
		r.queue.put(action{r.lookahead(q), q.id})
	}
	r.rescheduled = r.rescheduled[:0]
	return nil
}

// advance lets p act as long as its time does not pass r.limit and nobody else's
// turn changes, and sets p.next to a time that it will not act before.
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
