package replay

import (
	"context"
	"fmt"

	"spoor/predict/memsys"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Program is a program that runs while it is simulated.
type Program interface {
	// GoOn lets processor p run on from time now, when all that it did before has been simulated, and returns
	// what it does then: references, and the events before the last of them and after it. Both are the
	// program's, and valid until GoOn is called for p again. When there are none of either, p has ended.
	//
	// A processor must return at the latest when what it does next may depend on what others do. After its
	// last event it goes on when the wait of that has ended: when it has the lock, when all are at the barrier,
	// when the flag has its signals.
	Resume(p trace.Proc, now unit.Picos) (*trace.Refs, *trace.Events, error)
}

// Direct is Run for a program that runs while it is simulated, so that what depends on the order of locks is decided by
// simulated time. Of head it needs the number of processors and the unit of work. The result is that of Run with a trace
// of what the program did.
func Direct(ctx context.Context, head trace.Header, program Program, sys memsys.System, clock Clock, opt Options) (*Result, error) {
	if head.Procs < 1 {
		return nil, fmt.Errorf("the program has no processors")
	}
	r := newRun(ctx, head, sys, opt)
	r.program = program
	for id := range trace.Proc(head.Procs) {
		p := newProcessor(id, opt.clock(id, clock))
		p.eventsEnd = true // none comes before references that p has handed over but those handed over with them
		r.procs = append(r.procs, p)
	}
	return r.simulate()
}

// goOn lets the program of p run on. It is false when that has ended.
func (r *run) resumeProgram(p *processor) (more bool, err error) {
	r.progress(p)
	refs, events, err := r.program.Resume(p.id, p.next)
	if err != nil {
		return false, err
	}
	if err := r.setRefs(p, refs); err != nil {
		return false, err
	}
	if err := r.setEvents(p, events); err != nil {
		return false, err
	}
	return len(refs.Addr) > 0 || len(events.Rows) > 0, nil
}
