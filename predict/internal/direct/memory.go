package direct

import (
	"context"
	"errors"
	"fmt"
	"time"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys"
	"spoor/predict/internal/memsys/touch"
	"spoor/predict/internal/replay"
	"spoor/tracegen/spmd"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// ErrMessages is the error of a program that passes messages, with replay.References.
var ErrMessages = errors.New("the program passes messages, which a simulation of shared memory does not support")

// runReferences executes a program, in the form that records references, on the memory system of m. Simulated time determines the order of locks, and so the assignment of tasks from queues.
//
// A rank runs ahead of simulated time as long as its work cannot depend on time. It stops at a lock, a barrier, a
// wait for a flag or a reading of the clock, or after about ten thousand references. The values that a rank reads
// from memory depend only on simulated time if no other rank may write there at the same time. So programs should
// protect shared data. If no result depends on time, the simulated times equal those of a replay of the program's
// trace, to the picosecond.
//
// If the gap of the machine's network depends on the program's traffic, a first run uses the gap of the bisection and
// returns Result.Traffic. A second run takes it as Options.Traffic, as in replay.Simulate.
func runReferences(ctx context.Context, program spmd.Program, m *machine.Machine, opt Options) (*Result, error) {
	clock, err := replay.ClockOf(m)
	if err != nil {
		return nil, err
	}
	if opt.Clocks, err = replay.ClocksOf(m); err != nil {
		return nil, err
	}
	b := &memory{opt: opt, clock: clock, head: trace.Header{Procs: opt.Procs, WorkUnit: trace.WorkInstr}}
	b.places = trace.NewHomeMap(b.head)
	flows, err := b.buildSystem(m)
	if err != nil {
		return nil, err
	}
	record := spmd.Options{Procs: opt.Procs, Allocated: opt.Allocated, Early: true}
	recording, err := spmd.Run(ctx, record, program, b, b)
	if err != nil {
		return nil, err
	}
	return &Result{Result: b.result, Recording: recording, Traffic: flows()}, nil
}

// buildSystem creates the memory system. flows returns the traffic on it if a second run needs it.
func (b *memory) buildSystem(m *machine.Machine) (flows func() []comm.Flow, err error) {
	if memsys.NeedsTraffic(m) && b.opt.Traffic == nil {
		b.system, flows, err = memsys.NewCountingTraffic(m, b.places)
		return flows, err
	}
	b.system, err = memsys.NewWithHomes(m, b.places, b.opt.Traffic...)
	return func() []comm.Flow { return nil }, err
}

// memory performs the operations of ranks when the simulation of their references has reached them.
type memory struct {
	opt           Options
	head          trace.Header
	clock         replay.Clock
	system        touch.System
	places        *trace.HomeMap
	placedRegions int // number of regions in places
	ranks         []*memoryRank
	result        *replay.Result
}

// memoryRank is a rank with the work that is done but not simulated.
type memoryRank struct {
	*spmd.Coroutine
	refs      trace.Refs
	events    trace.Events
	now       unit.Picos
	idleReads int // consecutive readings of the clock without progress of time
	lastRead  unit.Picos
	err       error // ends the run
	atMessage bool  // the rank is at a message operation, after its work
}

// Run implements spmd.Backend.
func (b *memory) Run(ctx context.Context, ranks []*spmd.Rank) (err error) {
	for _, r := range ranks {
		s := newMemoryRank(r)
		defer s.Stop()
		b.ranks = append(b.ranks, s)
	}
	b.result, err = replay.Direct(ctx, b.head, b, b.system, b.clock, b.opt.Options)
	return b.firstError(err)
}

func newMemoryRank(r *spmd.Rank) *memoryRank {
	s := &memoryRank{Coroutine: spmd.NewCoroutine(r), lastRead: -1}
	s.refs.Proc, s.events.Proc = trace.Proc(r.ID()), trace.Proc(r.ID())
	return s
}

// firstError returns why a run ended with err: the error of a rank, if there is one.
func (b *memory) firstError(err error) error {
	for _, s := range b.ranks {
		if cause := s.cause(); cause != nil {
			return cause // unchanged, because it names the rank
		}
	}
	return err
}

// Resume implements replay.Program.
func (b *memory) Resume(p trace.Proc, now unit.Picos) (*trace.Refs, *trace.Events, error) {
	s := b.ranks[p]
	s.refs, s.events.Rows, s.now = trace.Refs{Proc: p}, s.events.Rows[:0], now
	for len(s.refs.Addr)+len(s.events.Rows) == 0 && !s.Ended {
		s.Resume()
		if err := s.cause(); err != nil {
			return nil, nil, err
		}
	}
	regions := s.Rank.Regions()
	b.places.Add(regions[b.placedRegions:]...)
	b.placedRegions = len(regions)
	return &s.refs, &s.events, nil
}

// Events implements spmd.Sink.
func (b *memory) Events(e *trace.Events) error {
	s := b.ranks[e.Proc]
	s.events.Rows = append(s.events.Rows, e.Rows...)
	if b.opt.Sink == nil {
		return nil
	}
	return b.opt.Sink.Events(e)
}

// Refs implements spmd.Sink. The rank goes on when they have been simulated, with all its events.
func (b *memory) Refs(r *trace.Refs) error {
	s := b.ranks[r.Proc]
	s.refs = *r
	if b.opt.Sink != nil {
		if err := b.opt.Sink.Refs(r); err != nil {
			return err
		}
	}
	s.Pause()
	return nil
}

// Do implements spmd.Backend. The operation has been recorded.
func (b *memory) Do(r *spmd.Rank, op *spmd.Op) {
	s := b.ranks[r.ID()]
	switch op.Kind {
	case trace.Unlock, trace.Signal: // the rank need not wait for these
	case trace.Barrier, trace.Lock, trace.WaitFlag:
		r.Flush()
	case trace.Clock:
		r.Flush()
		op.Clock = s.clock()
	default:
		s.fail(ErrMessages)
	}
}

// maxClockReads is how often a rank may read the clock in a row without progress of time.
const maxClockReads = 1 << 16

// clock returns the time at which the rank goes on.
func (s *memoryRank) clock() time.Duration {
	if s.idleReads++; s.now != s.lastRead {
		s.idleReads, s.lastRead = 0, s.now
	} else if s.idleReads >= maxClockReads {
		s.fail(errIdle(s.idleReads, trace.Clock))
	}
	return duration(s.now)
}

// cause returns the error of the rank that ended the run, or nil.
func (s *memoryRank) cause() error {
	if s.err != nil {
		return s.err
	}
	return s.Err
}

// fail ends the run.
func (s *memoryRank) fail(err error) {
	s.err = fmt.Errorf("rank %d: %w", s.Rank.ID(), err)
	s.Pause()
	panic(spmd.Stopped{})
}
