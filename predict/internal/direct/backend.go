package direct

import (
	"context"
	"errors"
	"fmt"

	"spoor/calibrate/machine"
	"spoor/predict/internal/engine"
	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/engine/program"
	"spoor/predict/internal/replay"
	"spoor/tracegen/spmd"
	"spoor/tracegen/tape"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// backend performs the message operations of ranks. The engine determines their times.
type backend struct {
	opt       Options
	machine   *machine.Machine
	model     cost.Model
	timelines []*rankTimeline
	mail      *mail        // between workers; nil: there is one worker
	slots     []*tape.Slot // of workers
	result    *outcome.Result
}

// Run implements spmd.Backend.
func (b *backend) Run(ctx context.Context, ranks []*spmd.Rank) (err error) {
	var programs []program.Program
	for p, r := range ranks {
		l := &rankTimeline{Coroutine: spmd.NewCoroutine(r), backend: b}
		l.matcher.queues = map[channel]*channelQueue{}
		defer l.Stop()
		if l.costs, err = replay.NewCostTracker(b.machine, p); err != nil {
			return err
		}
		b.timelines = append(b.timelines, l)
		programs = append(programs, program.Program{Next: l.next, Ready: l.ready})
	}
	obs := b.opt.Observer
	if obs != nil {
		obs = &rowNumbering{obs, make([]int64, len(ranks)), make([][]int64, len(ranks))}
	}
	run := b.opt.Engine
	run.Model, run.Steps = b.model, replay.BarrierSteps(len(ranks), b.opt.Collectives)
	run.Observer, run.Direct, run.Progress = obs, b, b.opt.Progress
	defer b.endDivision()
	b.result, err = engine.Run(ctx, programs, run)
	for _, l := range b.timelines {
		if l.Err != nil && errors.Is(err, l.Err) {
			return l.Err // unchanged, because it names the rank
		}
	}
	return err
}

// barrierGroup is the group of the messages of barriers. Programs do not use it.
const barrierGroup = -2

// Do implements spmd.Backend.
func (b *backend) Do(r *spmd.Rank, op *spmd.Op) {
	l := b.timelines[r.ID()]
	switch op.Kind {
	case trace.Send, trace.Isend:
		l.usesMessages = true
		l.send(op)
	case trace.Recv:
		l.receive(op)
	case trace.Irecv:
		l.add(op, program.Op{Kind: program.Irecv, Peer: op.Request.Source, Tag: op.Request.Tag, Group: op.Request.Group,
			Request: op.Request.ID, Bytes: l.matcher.post(op.Request)})
	case trace.Wait:
		l.wait(op)
	case trace.Test:
		l.test(op)
	case trace.Probe:
		l.probe(op, program.Probe)
	case trace.Iprobe:
		l.probe(op, program.Iprobe)
	case trace.Clock:
		l.clock(op)
	case trace.Barrier:
		l.usesBarriers = true
		l.add(op, program.Op{Kind: program.Collective, Group: barrierGroup, Request: program.None})
		l.pause() // what others did before the barrier is in shared memory after it
	default:
		l.fail(errShared(op.Kind))
	}
}

// ErrSharesMemory is the error of Run for a program that uses locks or flags.
var ErrSharesMemory = errors.New("is an operation on shared memory, which a simulation of messages does not support")

func errShared(k trace.Kind) error { return fmt.Errorf("%v %w", k, ErrSharesMemory) }

// Matched implements engine.DirectProgram.
func (b *backend) Matched(rank int32, mark int64, from, tag int32) {
	l := b.timelines[rank]
	l.noteCompleted(l.matcher.engineMatched(mark, from, tag))
}

// Arrived implements engine.DirectProgram.
func (b *backend) Arrived(rank, group, from, tag int32, at unit.Picos) {
	if group >= trace.None {
		b.timelines[rank].matcher.arrive(channel{from, tag, group}, at)
	}
}

// Answered implements engine.DirectProgram.
func (b *backend) Answered(rank int32, a *program.Answer) {
	l := b.timelines[rank]
	switch a.Mark {
	case alreadyAnswered:
		return
	case lazyClock:
		l.stamps[0].Set(duration(a.At))
		l.stamps = l.stamps[1:]
		return
	}
	l.answer = *a
	switch op := l.blockedOn; {
	case op == nil: // the operation was already complete
	case op.Kind == trace.Test && a.Done:
		op.Done = true
		l.chargeBuffer(op)
	case op.Kind == trace.Wait:
		op.Index = a.Index
		l.chargeBuffer(op)
	}
}

// Resumed implements engine.DirectProgram.
func (b *backend) Resumed(rank int32, now unit.Picos) { b.timelines[rank].now = now }
