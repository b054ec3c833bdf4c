package replay

import (
	"fmt"
	"iter"
	"math"

	"spoor/predict/internal/engine/program"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// eventConverter converts the events of a processor into operations.
type eventConverter struct {
	*messageRun
	CostTracker
	proc         trace.Proc
	row          int64
	computeStart int64 // start of a recorded Compute before the next event, if computing
	computing    bool
	calls        map[int32]int32 // collectives so far, by code
}

// eventReader reads the events of a processor as operations.
type eventReader struct {
	eventConverter
	pull func() (*trace.Events, error, bool)
	stop func()
	rows []trace.Event
	ops  program.Ops
}

// readAhead is how many operations a processor reads at once.
const readAhead = 256

func (m *messageRun) newEventConverter(p trace.Proc) eventConverter {
	return eventConverter{messageRun: m, CostTracker: m.rates[p].newTracker(), proc: p}
}

func (m *messageRun) newEventReader(p trace.Proc) *eventReader {
	r := &eventReader{eventConverter: m.newEventConverter(p)}
	r.pull, r.stop = iter.Pull2(m.src.Events(p))
	return r
}

// next returns the next operations.
func (r *eventReader) next() (program.Ops, error) {
	for len(r.rows) == 0 {
		b, err, ok := r.pull()
		if err != nil || !ok {
			return program.Ops{}, err
		}
		if b.Proc != r.proc {
			return program.Ops{}, fmt.Errorf("requested its events, but got those of processor %d", b.Proc)
		}
		r.rows = b.Rows
	}
	n := min(len(r.rows), readAhead)
	r.ops.Reset()
	if err := r.convert(r.rows[:n], &r.ops); err != nil {
		return program.Ops{}, err
	}
	r.rows = r.rows[n:]
	return r.ops, nil
}

// convert appends the operations of the next events.
func (r *eventConverter) convert(rows []trace.Event, ops *program.Ops) error {
	for i := range rows {
		e := &rows[i]
		op, err := r.operation(e)
		if err == nil {
			op.Work, err = r.work(e)
		}
		if r.row == 0 {
			op.Work += r.opt.start(r.proc)
		}
		if err != nil {
			return fmt.Errorf("event %d (%v): %w", r.row, e.Kind, err)
		}
		ops.Add(&op)
		r.row++
	}
	return nil
}

// operation converts an event, without the computation before it.
func (r *eventConverter) operation(e *trace.Event) (op program.Op, err error) {
	op = program.Op{Kind: program.Compute, Peer: e.Peer, Tag: e.Tag, Group: e.Group, Request: e.Request, Bytes: e.Bytes}
	switch e.Kind {
	case trace.Send:
		op.Kind = program.Send
	case trace.Isend:
		op.Kind = program.Isend
	case trace.Recv:
		op.Kind = program.Recv
	case trace.Irecv:
		op.Kind = program.Irecv
	case trace.Wait:
		op.Kind = program.Wait
	case trace.Test: // a successful test is waited for
		if e.Count > 0 {
			op.Kind, op.IgnoreClosed = program.Wait, true
		}
	case trace.Probe:
		op.Kind = program.Probe
	case trace.Iprobe:
		if e.Count > 0 {
			op.Kind = program.Probe
		}
	default:
		if e.Kind == trace.Barrier || e.Collective() {
			r.collective(&op, e)
		}
	}
	if e.Bytes > r.maxBytes {
		return op, fmt.Errorf("has %d bytes; messages of up to %v can be simulated on this network", e.Bytes, unit.Bytes(r.maxBytes))
	}
	if r.HasBufferCost() {
		op.Extra, err = r.BufferCost(e)
	}
	return op, err
}

// work returns the time of the computation before an event and in it.
func (r *eventConverter) work(e *trace.Event) (unit.Picos, error) {
	if r.opt.Recorded {
		return r.recordedWork(e)
	}
	instr, beside := uint64(e.Instr), unit.Picos(0)
	if e.Kind == trace.Compute && e.Work > 0 {
		switch r.head.WorkUnit {
		case trace.WorkInstr:
			instr += uint64(e.Work)
		case trace.WorkPicos:
			beside = unit.Picos(e.Work)
		default:
			if t := float64(e.Work) * r.CostTracker.perFlop; t < float64(maxWork) {
				beside = unit.Picos(math.Round(t))
			} else {
				beside = maxWork
			}
		}
	}
	work, err := r.InstructionCost(instr)
	if err == nil && beside >= maxWork-min(work, maxWork) {
		err = errTooLong
	}
	return work + beside, err
}

// recordedWork returns the recorded duration of the Compute before an event.
func (r *eventConverter) recordedWork(e *trace.Event) (unit.Picos, error) {
	work := unit.Picos(0)
	if r.computing {
		if e.Time < r.computeStart || unit.Picos(e.Time-r.computeStart) >= maxWork {
			return 0, fmt.Errorf("begins at %d ps, but the Compute before it began at %d ps", e.Time, r.computeStart)
		}
		work = unit.Picos(e.Time - r.computeStart)
	}
	r.computing, r.computeStart = e.Kind == trace.Compute, e.Time
	return work, nil
}

// collective sets the collective and the number of the call in op.
func (r *eventConverter) collective(op *program.Op, e *trace.Event) {
	code := r.stats.collectives[collectiveOf(e)].code
	if r.calls == nil {
		r.calls = map[int32]int32{}
	}
	op.Kind, op.Group, op.Peer, op.Tag = program.Collective, code, r.calls[code], 0
	if r.tagCalls {
		op.Tag = op.Peer
	}
	r.calls[code]++
}
