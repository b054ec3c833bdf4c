package direct

import (
	"context"
	"errors"
	"fmt"
	"time"

	"spoor/analyze/comm/topology"
	"spoor/calibrate/machine"
	"spoor/predict/memsys"
	"spoor/predict/replay"
	"spoor/tracegen/spmd"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// MemoryOptions changes what Memory does.
type MemoryOptions struct {
	Procs     int
	Allocated bool      // references to what ranks allocate, too, not to named arrays alone
	Sink      spmd.Sink // records the program as it ran; or nil
	Traffic   []topology.Flow
	replay.Options
}

// MemoryResult is a simulated run, and how much the program did.
type MemoryResult struct {
	*replay.Result
	Recording *spmd.Recording
	Traffic   []topology.Flow // between nodes, of a machine whose network's gap is found by it and was not told
}

// ErrMessages is the error of Memory for a program that passes messages.
var ErrMessages = errors.New("the program passes messages, which a simulation of shared memory does not support")

// Memory runs a program, in the form that records references, on the memory system of m: rank p runs on processor p.
// The order of locks, and with it who gets which task of a queue, is decided by simulated time.
//
// Ranks run ahead of simulated time where time cannot tell them anything: until they ask for a lock, come to a barrier,
// wait for a flag or read the clock, or have made some ten thousand references. What a rank finds in memory depends on time
// alone, and not on how far it ran ahead, if no other rank may write there at the same time: programs should guard what they
// share. If nothing that a program does depends on time, the result is that of a replay of its trace, to the picosecond.
//
// If the gap of the machine's network is found by the traffic of the program, a first run with the gap of the bisection says
// what that is (MemoryResult.Traffic), and a second one is told (MemoryOptions.Traffic), as in replay.Machine.
func Memory(ctx context.Context, program spmd.Program, m *machine.Machine, opt MemoryOptions) (*MemoryResult, error) {
	if err := m.Fits("the program has", opt.Procs); err != nil {
		return nil, err
	}
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
	return &MemoryResult{b.result, recording, flows()}, nil
}

// build makes the memory system; flows returns the traffic on it if another run needs that.
func (b *memory) buildSystem(m *machine.Machine) (flows func() []topology.Flow, err error) {
	if memsys.NeedsTraffic(m) && b.opt.Traffic == nil {
		b.system, flows, err = memsys.NewCountingTraffic(m, b.places)
		return flows, err
	}
	b.system, err = memsys.NewWithHomes(m, b.places, b.opt.Traffic...)
	return func() []topology.Flow { return nil }, err
}

// memory carries out what ranks ask for, when the simulation of their references has come there.
type memory struct {
	opt           MemoryOptions
	head          trace.Header
	clock         replay.Clock
	system        memsys.System
	places        *trace.HomeMap
	placedRegions int // regions that places knows
	ranks         []*memoryRank
	result        *replay.Result
}

// sharer is a rank with what it has done and the simulation has not.
type memoryRank struct {
	*spmd.Coroutine
	refs      trace.Refs
	events    trace.Events
	now       unit.Picos
	idleReads int // readings of the clock in a row at the time of the one before
	lastRead  unit.Picos
	err       error // that ends the run
	atMessage bool  // it comes to an operation of messages, after what it has done
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

// outcome is why a run ended with err.
func (b *memory) firstError(err error) error {
	for _, s := range b.ranks {
		if cause := s.cause(); cause != nil {
			return cause // as it is: it names the rank
		}
	}
	return err
}

// GoOn implements replay.Program.
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

// Refs implements spmd.Sink: the rank goes on when they have been simulated, and all events with them.
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
	case trace.Unlock, trace.Signal: // nobody can tell the rank anything
	case trace.Barrier, trace.Lock, trace.WaitFlag:
		r.Flush()
	case trace.Clock:
		r.Flush()
		op.Clock = s.clock()
	default:
		s.fail(ErrMessages)
	}
}

// mostReadings is how often a rank may read the clock in a row while no time passes.
const maxClockReads = 1 << 16

// clock is the time at which the rank goes on.
func (s *memoryRank) clock() time.Duration {
	if s.idleReads++; s.now != s.lastRead {
		s.idleReads, s.lastRead = 0, s.now
	} else if s.idleReads >= maxClockReads {
		s.fail(errIdle(s.idleReads, trace.Clock))
	}
	return duration(s.now)
}

// cause is why the run ended, if that is because of the rank.
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
