package replay

import (
	"context"
	"errors"
	"fmt"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/engine"
	"spoor/predict/memsys"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// MixedOptions changes what Mixed and DirectMixed do.
type MixedOptions struct {
	Options                    // Barrier and Phases are not for them: barriers are messages, and what is between them is not told apart
	Collectives comm.Algorithm // which messages those are that are recorded whole, and barriers; if empty, comm.Doubling
}

// MixedResult is a run of processors that share memory and pass messages. Both results have the same times.
type MixedResult struct {
	*Result                 // of what is done to memory
	Messages *engine.Result // where computation is everything that Result splits up, but for Times.Messages
}

// Mixed replays a trace whose processors share memory and pass messages: on the processors, caches and memories of m their references,
// locks, flags, forks and joins are those of Run, and over its network their messages are those of Messages, in one simulated
// time. Barriers are messages, as in Messages. On a network of links, messages and the traffic of the memories are on the same
// links; in the LogP family they have ports of their own. Copying messages makes no references: network.gamma charges for that.
//
// What the program found out about time is as recorded, as in Run and Messages.
func Mixed(ctx context.Context, src trace.Source, s *EventStats, m *machine.Machine, opt MixedOptions) (*MixedResult, error) {
	r := &messageRun{src: src, head: src.Header(), opt: MessageOptions{Collectives: opt.Collectives}, stats: s}
	if r.opt.Collectives == "" {
		r.opt.Collectives = comm.Doubling
	}
	if err := r.checkMixed(m); err != nil {
		return nil, err
	}
	x, err := newMixed(ctx, r.head, m, trace.NewHomeMap(r.head), opt.Options)
	if err != nil {
		return nil, err
	}
	r.maxBytes = x.model.MaxBytes()
	for id := range trace.Proc(r.head.Procs) {
		p := newProcessor(id, x.clockOf(id))
		p.read(src)
		defer p.stop()
		x.procs = append(x.procs, p)
		in := r.newEventReader(id)
		in.stop()
		x.readers = append(x.readers, in)
	}
	if err := x.markChildren(src); err != nil {
		return nil, err
	}
	res, err := x.simulate(newPlans(s, r.opt.Collectives).steps, nil)
	if err != nil {
		return nil, err
	}
	res.Warnings = append(res.Warnings, r.warnings(m, res.Messages)...)
	return res, nil
}

// checkMixed is check for programs that share memory, too.
func (r *messageRun) checkMixed(m *machine.Machine) error {
	if err := r.checkMessages(m); err != nil {
		return err
	}
	for p, graph := range r.stats.graphs {
		if graph {
			return fmt.Errorf("the events of processor %d are a graph, which is simulated for messages alone, and its references or locks are asked for too", p)
		}
	}
	if r.stats.nonblocking {
		return errors.New("the trace has collectives that are not waited for at once, which are simulated for messages alone, and its references or locks are asked for too")
	}
	return nil
}

// MixedProgram is a Program that passes messages, too. GoOn returns at the latest with each of its operations, as the last event, which is
// followed by what the program does when that has been simulated.
type MixedProgram interface {
	Program
	engine.DirectProgram
	// Operations are what an event of messages, to which processor p has come, is to the engine: one or more.
	Operations(p trace.Proc, e *trace.Event) (engine.Ops, error)
}

// DirectMixed is Mixed for a program that runs while it is simulated, as Direct is Run.
func DirectMixed(ctx context.Context, head trace.Header, program MixedProgram, m *machine.Machine, places *trace.HomeMap, opt MixedOptions) (*MixedResult, error) {
	x, err := newMixed(ctx, head, m, places, opt.Options)
	if err != nil {
		return nil, err
	}
	x.program, x.direct = program, program
	for id := range trace.Proc(head.Procs) {
		p := newProcessor(id, x.clockOf(id))
		p.eventsEnd = true
		x.procs = append(x.procs, p)
	}
	return x.simulate(BarrierSteps(head.Procs, opt.Collectives), program)
}

// mixed is a run beside an engine that simulates its messages. It implements engine.Beside.
type mixed struct {
	*run
	clock      Clock
	model      engine.Model
	readers    []*eventReader // of a trace: make operations of its events
	direct     MixedProgram   // or nil
	ops        []engine.Ops
	resumeRank func(rank int32, at unit.Picos)
	resumed    bool // a rank back to the engine
	suspended  int  // how many processors have left the engine once, as all do first
}

// newMixed is a run on the memory system of m whose messages go over its network.
func newMixed(ctx context.Context, head trace.Header, m *machine.Machine, places *trace.HomeMap, opt Options) (*mixed, error) {
	x := &mixed{ops: make([]engine.Ops, head.Procs)}
	var err error
	if memsys.NeedsTraffic(m) {
		return nil, errors.New("the gap of the machine's network is that of the traffic, which is not known of messages and references together; give it as network.g")
	}
	if x.model, err = MessageModel(m, head.Procs, LogGPS, nil); err != nil {
		return nil, err
	}
	if x.clock, err = ClockOf(m); err != nil {
		return nil, err
	}
	if opt.Clocks, err = ClocksOf(m); err != nil {
		return nil, err
	}
	var sys memsys.System
	if x.model.Net == nil {
		sys, err = memsys.NewWithHomes(m, places)
	} else {
		sys, x.model.Net, err = memsys.NewSharingNetwork(m, places, x.model.Net)
	}
	if err != nil {
		return nil, err
	}
	x.run = newRun(ctx, head, sys, opt)
	x.run.messages = x
	return x, nil
}

// clockOf is that of a processor.
func (x *mixed) clockOf(p trace.Proc) Clock { return x.opt.clock(p, x.clock) }

// simulate runs all processors to their end.
func (x *mixed) simulate(steps func(int32, *engine.Op) ([]engine.Step, error), live engine.DirectProgram) (*MixedResult, error) {
	x.sys.OnInvalidate(x.syncBefore)
	var programs []engine.Program
	for p := range x.procs {
		programs = append(programs, engine.Program{Next: func() (engine.Ops, error) { return x.next(p) }})
	}
	messages, err := engine.Run(x.ctx, programs, engine.Options{Model: x.model, Steps: steps, CoSimulator: x, Direct: live})
	if err != nil {
		return nil, err
	}
	return &MixedResult{x.result(), messages}, nil
}

// leaves is what a processor does when it has no message to see to.
var suspendOps = engine.Pack(engine.Op{Kind: engine.Suspended, Peer: engine.None, Tag: engine.None, Request: engine.None})

// next is what processor p does next: operations of messages, of which the engine may change what they cost until they have ended, or all
// else.
func (x *mixed) next(p int) (engine.Ops, error) {
	if ops := x.ops[p]; ops.Len() > 0 {
		x.ops[p] = engine.Ops{}
		return ops, nil
	}
	if x.procs[p].state == finished {
		return engine.Ops{}, nil
	}
	return suspendOps, nil
}

// passes is whether an event is one of messages.
func isMessage(e *trace.Event) bool {
	switch e.Kind {
	case trace.Send, trace.Isend, trace.Recv, trace.Irecv, trace.Wait, trace.Test, trace.Probe, trace.Iprobe, trace.Barrier:
		return true
	}
	return e.Collective()
}

// hand gives an event of p, which comes to it at p.next, to the engine.
func (x *mixed) handOver(p *processor, e *trace.Event) (err error) {
	if x.direct != nil {
		x.ops[p.id], err = x.direct.Operations(p.id, e)
	} else {
		var op engine.Op
		op, err = x.readers[p.id].operation(e)
		x.ops[p.id] = engine.Pack(op)
	}
	if err != nil {
		return p.eventError(e, "cannot be simulated: %v", err)
	}
	p.state = atMessage
	x.resumeInEngine(p, p.next)
	return nil
}

// bring brings a processor back to the engine.
func (x *mixed) resumeInEngine(p *processor, at unit.Picos) {
	x.resumed = true
	x.resumeRank(int32(p.id), at)
}

// Open implements engine.Beside.
func (x *mixed) Open(back func(rank int32, at unit.Picos)) { x.resumeRank = back }

// Leave implements engine.Beside.
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
	}
	x.queue.put(action{x.lookahead(p), p.id})
}

// Next implements engine.Beside. Nobody begins before all are there: who is forked at once could come back before it left.
func (x *mixed) Next() unit.Picos {
	if x.queue.empty() || x.suspended < len(x.procs) {
		return horizon + 1
	}
	return min(x.queue.at[1], horizon-1) // who passes the end is told so
}

// Act implements engine.Beside.
func (x *mixed) Act(until unit.Picos) error {
	x.resumed = false
	for !x.resumed && !x.queue.empty() && x.Next() <= until {
		if err := x.runFirst(until); err != nil {
			return err
		}
	}
	return nil
}

// Row implements engine.Beside.
func (x *mixed) Row(rank int32) int64 { return int64(x.procs[rank].eventsDone) - 1 }

// WaitsFor implements engine.Beside.
func (x *mixed) WaitsFor(rank int32) (what string, other int32) { return x.waitsFor(x.procs[rank]) }
