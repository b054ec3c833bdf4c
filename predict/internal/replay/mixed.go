package replay

import (
	"context"
	"errors"
	"fmt"

	"spoor/calibrate/machine"
	"spoor/predict/internal/engine"
	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/program"
	"spoor/predict/internal/memsys"
	"spoor/predict/internal/memsys/layer"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// runBoth replays a trace whose processors share memory and pass messages. References, locks, flags, forks and joins
// are simulated as in Run, on the processors, caches and memories of m. Messages are simulated as in runMessages, over
// its network. Both use one simulated time. Barriers are messages, as in runMessages. On a network of links, messages
// and the traffic of the memories share the links. In the LogP family, each has its own ports. Copying messages makes
// no references: network.gamma accounts for that.
//
// Results that depend on time are as recorded, as in Run and runMessages.
func runBoth(ctx context.Context, src trace.Source, s *EventStats, m *machine.Machine, opt Options) (*Result, error) {
	r := &messageRun{src: src, head: src.Header(), opt: opt, stats: s}
	if err := r.checkMixed(m); err != nil {
		return nil, err
	}
	first := opt
	if opt.Warm {
		first.Observer = nil
	}
	x, err := newMixed(ctx, r.head, m, trace.NewHomeMap(r.head), first)
	if err != nil {
		return nil, err
	}
	res, err := r.replayOn(x)
	if err != nil || !opt.Warm {
		return res, err
	}
	if err := res.errTooLong(); err != nil {
		return nil, err
	}
	if x, err = x.warmed(res.Time, opt); err != nil {
		return nil, err
	}
	return r.replayOn(x)
}

// replayOn replays the trace on x.
func (r *messageRun) replayOn(x *mixed) (*Result, error) {
	r.maxBytes = x.model.MaxBytes()
	for id := range trace.Proc(r.head.Procs) {
		p := newProcessor(id, x.clockOf(id))
		p.startAt(r.opt.start(id))
		p.read(r.src)
		defer p.stop()
		x.procs = append(x.procs, p)
		in := r.newEventReader(id)
		in.stop()
		x.readers = append(x.readers, in)
	}
	if err := x.markChildren(r.stats); err != nil {
		return nil, err
	}
	res, err := x.simulate(newPlans(r.stats, r.opt.Collectives).steps, nil)
	if err != nil {
		return nil, err
	}
	res.Warnings = append(res.Warnings, r.warnings(x.machine, &x.model, res.Messages)...)
	return res, nil
}

// checkMixed is check for programs that also share memory.
func (r *messageRun) checkMixed(m *machine.Machine) error {
	if err := r.checkMessages(m); err != nil {
		return err
	}
	return r.stats.CheckBoth(m)
}

// CheckBoth returns why messages of the trace cannot be simulated together with references on m, or nil.
func (s *EventStats) CheckBoth(m *machine.Machine) error {
	for p, graph := range s.graphs {
		if graph {
			return fmt.Errorf("the events of processor %d are a graph; a graph cannot be simulated together with references or locks", p)
		}
	}
	if s.nonblocking {
		return errors.New("the trace has nonblocking collectives; they cannot be simulated together with references or locks")
	}
	return CheckBoth(m)
}

// CheckBoth returns why messages cannot be simulated together with references on m, whatever the program, or nil.
func CheckBoth(m *machine.Machine) error {
	switch {
	case memsys.NeedsTraffic(m):
		return errors.New("network.gap = \"traffic\" cannot be used for messages and references together; give the gap as network.g")
	case m.Network != nil && m.Network.Interrupt.Known:
		return errors.New("network.interrupt works only for messages, because the time of references cannot be interrupted")
	case m.Network != nil && m.Network.Shared() && m.System.Nodes > 1:
		return fmt.Errorf("network.sharing = %q works only for messages, not for memories on several nodes; use %q", m.Network.Sharing, machine.ShareExclusive)
	}
	return nil
}

// MixedProgram is a Program that also passes messages. Resume returns with each message operation as the last event.
// The program's next work is returned when that operation has been simulated.
type MixedProgram interface {
	Program
	program.DirectProgram
	// Operations returns the engine's operations for a message event to which processor p has come: one or more.
	Operations(p trace.Proc, e *trace.Event) (program.Ops, error)
}

// DirectMixed is Simulate of Both for a directly executed program, as Direct is for Run.
func DirectMixed(ctx context.Context, head trace.Header, program MixedProgram, m *machine.Machine, places *trace.HomeMap, opt Options) (*Result, error) {
	opt = opt.On(m)
	x, err := newMixed(ctx, head, m, places, opt)
	if err != nil {
		return nil, err
	}
	x.program, x.direct = program, program
	for id := range trace.Proc(head.Procs) {
		p := newProcessor(id, x.clockOf(id))
		p.eventsEnd = true
		x.procs = append(x.procs, p)
	}
	res, err := x.simulate(BarrierSteps(head.Procs, opt.Collectives), program)
	if err != nil {
		return nil, err
	}
	res.Warnings = append(res.Warnings, NetworkWarnings(m, &x.model, res.Messages)...)
	return res, nil
}

// mixed is a run that simulates the shared memory, next to an engine that simulates the messages. It implements
// engine.CoSimulator.
type mixed struct {
	*run
	machine    *machine.Machine
	clock      Clock
	model      cost.Model
	readers    []*eventReader // of a trace: convert its events into operations
	direct     MixedProgram   // or nil
	ops        []program.Ops
	resumeRank func(rank int32, at unit.Picos)
	resumed    bool // a rank has been resumed in the engine
	suspended  int  // how many ranks have been suspended at least once, as all are at first
}

// newMixed returns a run on the memory system of m whose messages use its network.
func newMixed(ctx context.Context, head trace.Header, m *machine.Machine, places *trace.HomeMap, opt Options) (*mixed, error) {
	if err := CheckBoth(m); err != nil {
		return nil, err
	}
	model, err := MessageModel(m, head.Procs, LogGPS, nil)
	if err != nil {
		return nil, err
	}
	var sys touch.System
	if model.Net == nil || model.Sizes != nil {
		sys, err = memsys.NewWithHomes(m, places)
	} else {
		sys, model.Net, err = memsys.NewSharingNetwork(m, places, model.Net)
	}
	if err != nil {
		return nil, err
	}
	return mixedOn(ctx, head, m, sys, model, opt)
}

// mixedOn returns a run on a memory system, with a model of messages.
func mixedOn(ctx context.Context, head trace.Header, m *machine.Machine, sys touch.System, model cost.Model, opt Options) (x *mixed, err error) {
	x = &mixed{machine: m, model: model, ops: make([]program.Ops, head.Procs)}
	if x.clock, err = ClockOf(m); err != nil {
		return nil, err
	}
	if opt.Clocks, err = ClocksOf(m); err != nil {
		return nil, err
	}
	if model.Local != nil {
		model.Local.UseMemory(sys)
	}
	x.run = newRun(ctx, head, sys, opt)
	x.run.messages = x
	return x, nil
}

// warmed returns another run after x, which ended at end. It begins with the caches and memories of x, and an idle
// network.
func (x *mixed) warmed(end unit.Picos, opt Options) (*mixed, error) {
	sys, start := layer.Warm(x.sys, end, x.head.Procs)
	model, err := MessageModel(x.machine, x.head.Procs, LogGPS, nil)
	if err != nil {
		return nil, err
	}
	if model.Net != nil && model.Sizes == nil {
		model.Net = memsys.Later(x.model.Net, start)
	}
	return mixedOn(x.ctx, x.head, x.machine, sys, model, opt)
}

// clockOf returns the clock of a processor.
func (x *mixed) clockOf(p trace.Proc) Clock { return x.opt.clock(p, x.clock) }

// simulate runs all processors to their end.
func (x *mixed) simulate(steps func(int32, *program.Op) ([]program.Step, error), live program.DirectProgram) (*Result, error) {
	x.sys.OnInvalidate(x.syncBefore)
	var programs []program.Program
	for p := range x.procs {
		programs = append(programs, program.Program{Next: func() (program.Ops, error) { return x.next(p) }})
	}
	messages, err := engine.Run(x.ctx, programs, engine.Options{Model: x.model, Steps: steps, Observer: x.opt.Observer, CoSimulator: x, Direct: live})
	if err != nil {
		return nil, err
	}
	res := x.result()
	res.Messages = messages
	res.begunAt(x.opt.Starts)
	return res, nil
}

// suspendOps is the operation of a processor without a message operation.
var suspendOps = program.Pack(program.Op{Kind: program.Suspended, Peer: program.None, Tag: program.None, Request: program.None})

// next returns the next operations of processor p: message operations, whose costs may change until they have
// ended, or a suspension.
func (x *mixed) next(p int) (program.Ops, error) {
	if ops := x.ops[p]; ops.Len() > 0 {
		x.ops[p] = program.Ops{}
		return ops, nil
	}
	if x.procs[p].state == finished {
		return program.Ops{}, nil
	}
	return suspendOps, nil
}

// isMessage reports whether the engine simulates an event.
func isMessage(e *trace.Event) bool {
	switch e.Kind {
	case trace.Send, trace.Isend, trace.Recv, trace.Irecv, trace.Wait, trace.Test, trace.Probe, trace.Iprobe, trace.Barrier:
		return true
	}
	return e.Collective()
}

// handOver gives an event of p, which comes to it at p.next, to the engine.
func (x *mixed) handOver(p *processor, e *trace.Event) (err error) {
	if x.direct != nil {
		x.ops[p.id], err = x.direct.Operations(p.id, e)
	} else {
		var op program.Op
		op, err = x.readers[p.id].operation(e)
		x.ops[p.id] = program.Pack(op)
	}
	if err != nil {
		return p.eventError(e, "cannot be simulated: %v", err)
	}
	p.state = atMessage
	x.resumeInEngine(p, p.next)
	return nil
}

// resumeInEngine resumes a processor in the engine.
func (x *mixed) resumeInEngine(p *processor, at unit.Picos) {
	x.resumed = true
	x.resumeRank(int32(p.id), at)
}

// Open implements engine.CoSimulator.
func (x *mixed) Open(back func(rank int32, at unit.Picos)) { x.resumeRank = back }

// Suspend implements engine.CoSimulator.
func (x *mixed) Suspend(rank int32, at unit.Picos) {
	p := x.procs[rank]
	if x.suspended < len(x.procs) {
		x.suspended++
	}
	switch p.state {
	case notForked: // until it is forked
		return
	case atMessage:
		x.resumeAfter(p, at, &p.waited.Messages)
		p.observed = at
	}
	x.queue.put(action{x.lookahead(p), p.id})
}

// Next implements engine.CoSimulator. No processor begins before all are suspended, because a processor that is
// forked at once could be resumed before it was suspended.
func (x *mixed) Next() unit.Picos {
	if x.queue.empty() || x.suspended < len(x.procs) {
		return horizon + 1
	}
	return min(x.queue.at[1], horizon-1) // a processor that passes the horizon gets an error
}

// Act implements engine.CoSimulator.
func (x *mixed) Act(until unit.Picos) error {
	x.resumed = false
	for !x.resumed && !x.queue.empty() && x.Next() <= until {
		if err := x.runFirst(until); err != nil {
			return err
		}
	}
	return nil
}

// Row implements engine.CoSimulator.
func (x *mixed) Row(rank int32) int64 { return int64(x.procs[rank].eventsDone) - 1 }

// WaitsFor implements engine.CoSimulator.
func (x *mixed) WaitsFor(rank int32) (what string, other int32) { return x.waitsFor(x.procs[rank]) }
