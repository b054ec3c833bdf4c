package replay

import (
	"context"
	"fmt"

	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Program is a directly executed program: it runs during its simulation.
type Program interface {
	// Resume lets processor p run on from time now, when all its earlier work has been simulated. It returns the next
	// work of p: references, and the events before, between and after them. The program owns both; they are valid
	// until Resume is called for p again. If there are neither, p has ended.
	//
	// A processor must return before it does anything that may depend on other processors. It is resumed when the
	// wait of its last event has ended: it has the lock, all are at the barrier, or the flag has its signals.
	Resume(p trace.Proc, now unit.Picos) (*trace.Refs, *trace.Events, error)
}

// Direct is Run for a directly executed program. So the simulated time determines whatever depends on the order of
// locks. Of head it uses the number of processors and the unit of work. The result is the same as that of Run with a
// trace of the execution.
func Direct(ctx context.Context, head trace.Header, program Program, sys touch.System, clock Clock, opt Options) (*Result, error) {
	if head.Procs < 1 {
		return nil, fmt.Errorf("the program has no processors")
	}
	r := newRun(ctx, head, sys, opt)
	r.program = program
	for id := range trace.Proc(head.Procs) {
		p := newProcessor(id, opt.clock(id, clock))
		p.eventsEnd = true // all events before the references that p has handed over come with them
		r.procs = append(r.procs, p)
	}
	return r.simulate()
}

// resumeProgram lets the program of p run on. It reports false when that has ended.
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
