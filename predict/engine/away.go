package engine

import (
	"fmt"

	"spoor/traces/unit"
)

// Beside is what ranks do besides their messages, such as references to a shared memory: another simulation, in the same time. A rank is
// Away until that brings it back. The engine and what is beside it act in turn, whichever is first in time; at a time, what is beside
// it before the engine, so that all messages that are sent then are known.
type CoSimulator interface {
	// Open is called once, before the run, with how ranks come back: at a time not before what the engine has had it act until. That of a
	// rank which is not away is a mistake.
	Open(back func(rank int32, at unit.Picos))
	// Leave is that a rank is away from a time on. It comes before what happens there at that time, as soon as the rank knows.
	Suspend(rank int32, at unit.Picos)
	// Next is a time before which nothing happens there, or later than Horizon.
	Next() unit.Picos
	// Act does what happens until a time, that included. It returns earlier when it has brought a rank back.
	Act(until unit.Picos) error
	// Row is the number of the event that a rank has come to, for errors.
	Row(rank int32) int64
	// WaitsFor says what a rank that does not come back waits for, and the rank that it waits for, or None.
	WaitsFor(rank int32) (what string, other int32)
}

// errBeside is why some programs cannot be simulated beside something else.
func errCoSimulator(opt *Options, programs []Program) error {
	if opt.CoSimulator == nil {
		return nil
	}
	if opt.Model.LogGOPSim {
		return fmt.Errorf("the semantics of LogGOPSim have messages take processors while they compute: they are not simulated beside a shared memory")
	}
	for i := range programs {
		if programs[i].Graph != nil {
			return fmt.Errorf("rank %d: a graph of operations is not simulated beside a shared memory", i)
		}
	}
	return nil
}

// besideNext is when something happens beside the engine.
func (e *engine) coSimulatorNext() unit.Picos {
	if e.opt.CoSimulator == nil {
		return never
	}
	return e.opt.CoSimulator.Next()
}

// startAway begins an Away.
func (r *rank) startSuspended(s *task, now unit.Picos) {
	e := r.e
	if e.opt.CoSimulator == nil || r.tasks != nil {
		e.fail(fmt.Errorf("rank %d: operation %d leaves for what is beside the engine, and there is nothing, or other operations go on meanwhile", r.id, s.row))
		return
	}
	s.t, s.phase = now, suspended
	e.opt.CoSimulator.Suspend(r.id, now)
	e.limit = min(e.limit, e.coSimulatorNext())
}

// back lets a rank go on that was away until a time.
func (e *engine) resume(id int32, at unit.Picos) {
	r := &e.ranks[id]
	s := &r.main
	if s.phase != suspended {
		e.active = id
		e.fail(fmt.Errorf("rank %d: comes back at %v, and was not away; this is a bug of what is simulated beside the engine", id, at))
		return
	}
	s.t, s.phase = at, resuming
	if at < r.next {
		r.next = at
		e.driver.sooner(e, r)
	}
}

// comeBack ends an Away: its time was computation.
func (r *rank) finishSuspended(s *task, now unit.Picos) {
	r.finish(s, r.occupy(r.cpu, max(0, now-r.cpu), Computing, 0, 0))
}
