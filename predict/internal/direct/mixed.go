package direct

import (
	"context"

	"spoor/calibrate/machine"
	"spoor/predict/internal/engine/program"
	"spoor/predict/internal/replay"
	"spoor/tracegen/spmd"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// runBoth executes a program that shares memory and passes messages, in the form that records references, on the
// processors, memories and network of m. See runReferences for its shared memory, and replay.Simulate for the machine.
// Ranks run ahead of simulated time only between messages: each message operation has been simulated when the program
// goes on. Barriers are messages.
func runBoth(ctx context.Context, program spmd.Program, m *machine.Machine, opt Options) (*Result, error) {
	head := trace.Header{Procs: opt.Procs, WorkUnit: trace.WorkInstr}
	b := &mixed{memory: &memory{opt: opt, head: head, places: trace.NewHomeMap(head)}, backend: &backend{machine: m}}
	record := spmd.Options{Procs: opt.Procs, Allocated: opt.Allocated, Early: true}
	recording, err := spmd.Run(ctx, record, program, b, b)
	if err != nil {
		return nil, err
	}
	return &Result{Result: b.result, Recording: recording}, nil
}

// mixed performs the operations of ranks: those on shared memory like memory, and messages like backend.
type mixed struct {
	*memory
	*backend
	result *replay.Result
}

// Run implements spmd.Backend.
func (b *mixed) Run(ctx context.Context, ranks []*spmd.Rank) (err error) {
	for id, r := range ranks {
		s := newMemoryRank(r)
		defer s.Stop()
		b.ranks = append(b.ranks, s)
		l := &rankTimeline{Coroutine: s.Coroutine, backend: b.backend, memory: s}
		l.matcher.queues = map[channel]*channelQueue{}
		if l.costs, err = replay.NewCostTracker(b.machine, id); err != nil {
			return err
		}
		b.timelines = append(b.timelines, l)
	}
	b.result, err = replay.DirectMixed(ctx, b.head, b, b.machine, b.places, b.memory.opt.Options)
	return b.firstError(err)
}

// Do implements spmd.Backend.
func (b *mixed) Do(r *spmd.Rank, op *spmd.Op) {
	switch op.Kind {
	case trace.Barrier, trace.Lock, trace.Unlock, trace.Signal, trace.WaitFlag, trace.Clock:
		b.memory.Do(r, op)
		return
	}
	l := b.timelines[r.ID()]
	l.ops.Reset()
	if b.backend.Do(r, op); l.unsimulated {
		l.pause()
	}
}

// Resume implements replay.Program. It returns work on shared memory, followed by at most one message operation.
func (b *mixed) Resume(p trace.Proc, now unit.Picos) (*trace.Refs, *trace.Events, error) {
	refs, events, err := b.memory.Resume(p, now)
	if s := b.ranks[p]; err == nil && s.atMessage {
		s.atMessage = false
		e := trace.NewEvent(trace.Isend) // a placeholder: Operations returns the operation
		e.Refs = events.Rows[len(events.Rows)-1].Refs
		events.Rows = append(events.Rows, e)
	}
	return refs, events, err
}

// Events implements spmd.Sink. The row of a message operation comes when it has been performed.
func (b *mixed) Events(e *trace.Events) error {
	s := b.ranks[e.Proc]
	from := len(s.events.Rows)
	if err := b.memory.Events(e); err != nil {
		return err
	}
	for i := from; i < len(s.events.Rows); i++ {
		switch row := &s.events.Rows[i]; row.Kind {
		case trace.Send, trace.Isend, trace.Recv, trace.Irecv, trace.Wait, trace.Test, trace.Probe, trace.Iprobe:
			row.Kind, row.Work = trace.Compute, 0
		}
	}
	return nil
}

// Operations implements replay.MixedProgram.
func (b *mixed) Operations(p trace.Proc, e *trace.Event) (program.Ops, error) {
	if e.Kind == trace.Barrier {
		return program.Pack(program.Op{Kind: program.Collective, Group: barrierGroup, Request: program.None}), nil
	}
	return b.timelines[p].ops, nil
}
