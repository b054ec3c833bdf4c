package engine

import (
	"fmt"

	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// CoSimulator is another simulation in the same simulated time, for example of references to a shared memory. A rank
// that does an operation Suspended is simulated there until the co-simulator resumes it. The two simulators
// alternate: the one with the earlier event acts. At the same time, the co-simulator acts first, so that the engine
// then knows all messages.
type CoSimulator interface {
	// Open is called once before the run. resume lets a suspended rank go on, at a time not before the time up to
	// which Act was last called. Resuming a rank that is not suspended is an error.
	Open(back func(rank int32, at unit.Picos))
	// Suspend hands a rank to the co-simulator from a time on. The engine calls it as soon as it knows, before other
	// events at that time.
	Suspend(rank int32, at unit.Picos)
	// Next returns a time before which the co-simulator has no event; later than Horizon if it has none.
	Next() unit.Picos
	// Act simulates all events up to and including a time. It returns earlier when it has resumed a rank.
	Act(until unit.Picos) error
	// Row returns the number of the event that a rank has come to, for errors and the Observer.
	Row(rank int32) int64
	// WaitsFor describes what a suspended rank waits for, and returns the rank that it waits for, or None.
	WaitsFor(rank int32) (what string, other int32)
}

// errCoSimulator returns an error if the programs cannot be simulated with a co-simulator.
func errCoSimulator(opt *Options, programs []program.Program) error {
	if opt.CoSimulator == nil {
		return nil
	}
	if opt.Model.LogGOPSim || opt.Model.Interrupts {
		return fmt.Errorf("messages that interrupt computing processors, as LogGOPSim's do, cannot be simulated with a shared memory")
	}
	for i := range programs {
		if programs[i].Graph != nil {
			return fmt.Errorf("rank %d: a graph of operations cannot be simulated with a shared memory", i)
		}
	}
	return nil
}

// coSimulatorNext returns when the co-simulator acts next.
func (e *engine) coSimulatorNext() unit.Picos {
	if e.opt.CoSimulator == nil {
		return never
	}
	return e.opt.CoSimulator.Next()
}

// startSuspended begins a Suspended.
func (r *rank) startSuspended(s *task, now unit.Picos) {
	e := r.e
	if e.opt.CoSimulator == nil || r.tasks != nil {
		e.fail(fmt.Errorf("rank %d: operation %d suspends the rank, but there is no co-simulator or other operations are in progress", r.id, s.row))
		return
	}
	s.t, s.phase = now, suspended
	e.opt.CoSimulator.Suspend(r.id, now)
	e.limit = min(e.limit, e.coSimulatorNext())
}

// resume lets a rank go on that was suspended until a time.
func (e *engine) resume(id int32, at unit.Picos) {
	r := &e.ranks[id]
	s := &r.main
	if s.phase != suspended {
		e.active = id
		e.fail(fmt.Errorf("rank %d: resumed at %v but was not suspended; this is a bug of the co-simulator", id, at))
		return
	}
	s.t, s.phase = at, resuming
	if at < r.next {
		r.next = at
		e.driver.sooner(e, r)
	}
}

// finishSuspended ends a Suspended. Its time counts as computation. The co-simulator gives the observer its parts.
func (r *rank) finishSuspended(s *task, now unit.Picos) {
	long := max(0, now-r.cpu)
	r.account.Parts[observe.Computing] += long
	r.cpu += long // the co-simulator reports the Spans
	r.finish(s, r.cpu)
}

// observedRow returns the row of a task's operation for the observer, or noRow if the observer does not see it.
func (r *rank) observedRow(s *task) int64 {
	switch {
	case s.op.Kind == program.AddToWaitAny || s.op.Kind == program.Suspended:
		return noRow
	case r.e.opt.CoSimulator != nil:
		return r.e.opt.CoSimulator.Row(r.id)
	}
	return s.row
}
