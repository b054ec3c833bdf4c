package replay

import (
	"fmt"
	"iter"
	"math"

	"spoor/analyze/marshal"
	"spoor/predict/engine"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// mostWork bounds what one event computes.
const mostWork = unit.Picos(1) << 60

// reader turns the events of a processor into operations.
type reader struct {
	*messageRun
	proc    trace.Proc
	pull    func() (*trace.Events, error, bool)
	stop    func()
	rows    []trace.Event
	row     int64
	ops     []engine.Op
	instr   uint64     // executed so far
	at      unit.Picos // what they take
	began   int64      // of a recorded Compute before the next event, if pending
	pending bool
	open    map[int32]marshal.Layout // buffers of irecvs
	calls   map[int32]int32          // collectives so far, by code
}

// opsAtOnce is how many operations a processor reads ahead.
const opsAtOnce = 256

func (m *messageRun) reader(p trace.Proc) *reader {
	r := &reader{messageRun: m, proc: p, calls: map[int32]int32{}}
	r.pull, r.stop = iter.Pull2(m.src.Events(p))
	if m.gamma > 0 {
		r.open = map[int32]marshal.Layout{}
	}
	return r
}

// next is the next operations.
func (r *reader) next() ([]engine.Op, error) {
	for len(r.rows) == 0 {
		b, err, ok := r.pull()
		if err != nil || !ok {
			return nil, err
		}
		if b.Proc != r.proc {
			return nil, fmt.Errorf("asked for its events, got those of processor %d", b.Proc)
		}
		r.rows = b.Rows
	}
	n := min(len(r.rows), opsAtOnce)
	r.ops = r.ops[:0]
	for i := range n {
		e := &r.rows[i]
		op, err := r.op(e)
		if err != nil {
			return nil, fmt.Errorf("event %d (%v): %w", r.row, e.Kind, err)
		}
		r.ops = append(r.ops, op)
		r.row++
	}
	r.rows = r.rows[n:]
	return r.ops, nil
}

// op is an event as an operation.
func (r *reader) op(e *trace.Event) (op engine.Op, err error) {
	op = engine.Op{Kind: engine.Compute, Peer: e.Peer, Tag: e.Tag, Group: e.Group, Request: e.Request, Bytes: e.Bytes}
	if op.Work, err = r.work(e); err != nil {
		return op, err
	}
	switch e.Kind {
	case trace.Send:
		op.Kind = engine.Send
	case trace.Isend:
		op.Kind = engine.Isend
	case trace.Recv:
		op.Kind = engine.Recv
	case trace.Irecv:
		op.Kind = engine.Irecv
	case trace.Wait:
		op.Kind = engine.Wait
	case trace.Test: // one that succeeded is waited for
		if e.Count > 0 {
			op.Kind, op.Lenient = engine.Wait, true
		}
	case trace.Probe:
		op.Kind = engine.Probe
	case trace.Iprobe:
		if e.Count > 0 {
			op.Kind = engine.Probe
		}
	default:
		if e.Kind == trace.Barrier || e.Collective() {
			r.collective(&op, e)
		}
	}
	if r.gamma > 0 {
		op.Extra, err = r.buffer(e)
	}
	return op, err
}

// work is what the processor computes before an event, and in it.
func (r *reader) work(e *trace.Event) (unit.Picos, error) {
	if r.opt.Recorded {
		return r.recorded(e)
	}
	instr, beside := uint64(e.Instr), unit.Picos(0)
	if e.Kind == trace.Compute && e.Work > 0 {
		switch r.head.WorkUnit {
		case trace.WorkInstr:
			instr += uint64(e.Work)
		case trace.WorkPicos:
			beside = unit.Picos(e.Work)
		default:
			if t := float64(e.Work) * r.perFlop; t < float64(mostWork) {
				beside = unit.Picos(math.Round(t))
			} else {
				beside = mostWork
			}
		}
	}
	if instr > r.clock.most(end)-min(r.instr, r.clock.most(end)) || beside >= mostWork {
		return 0, fmt.Errorf("leads past %v, more than can be simulated", end)
	}
	r.instr += instr
	at := r.clock.At(r.instr, 0)
	work := at - r.at + beside
	r.at = at
	return min(work, mostWork), nil
}

// recorded is how long the Compute before an event took when the trace was recorded.
func (r *reader) recorded(e *trace.Event) (unit.Picos, error) {
	work := unit.Picos(0)
	if r.pending {
		if e.Time < r.began || unit.Picos(e.Time-r.began) >= mostWork {
			return 0, fmt.Errorf("begins at %d ps, after one that began at %d ps", e.Time, r.began)
		}
		work = unit.Picos(e.Time - r.began)
	}
	r.pending, r.began = e.Kind == trace.Compute, e.Time
	return work, nil
}

// collective names the call: its meeting and its number there.
func (r *reader) collective(op *engine.Op, e *trace.Event) {
	code := r.survey.meets[where(e)].code
	op.Kind, op.Group, op.Peer, op.Tag = engine.Collective, code, r.calls[code], 0
	if r.tagged {
		op.Tag = op.Peer
	}
	r.calls[code]++
}

// buffer is what the lines of an event's buffer cost: gamma MLT. That of an irecv is paid by who
// waits for it, for as much as came.
func (r *reader) buffer(e *trace.Event) (unit.Picos, error) {
	l := layout(e)
	switch e.Kind {
	case trace.Send, trace.Isend, trace.Recv:
		return r.lines(l, e.Bytes)
	case trace.Irecv:
		if e.Request >= 0 {
			r.open[e.Request] = l
		}
	case trace.Wait, trace.Test:
		l, is := r.open[e.Request]
		if !is || e.Kind == trace.Test && e.Count == 0 {
			return 0, nil
		}
		delete(r.open, e.Request)
		n := e.Bytes
		if e.Peer < 0 { // how much came is not known
			n = l.Count * l.Block
		}
		return r.lines(l, n)
	}
	return 0, nil
}

// layout is where the buffer of e is; one block where that is not known.
func layout(e *trace.Event) marshal.Layout {
	l := marshal.Layout{Addr: uint64(e.Addr), Count: e.Count, Block: e.Block, Stride: e.Stride}
	if l.Count == 0 || l.Block == 0 {
		l = marshal.Layout{Count: 1, Block: e.Bytes}
	}
	if l.Count == 1 {
		l.Stride = 0
	}
	return l
}

func (r *reader) lines(l marshal.Layout, bytes int64) (unit.Picos, error) {
	if bytes <= 0 || l.Block <= 0 {
		return 0, nil
	}
	n, err := l.First(bytes).Lines(r.line)
	if err != nil {
		return 0, err
	}
	if n > uint64(mostWork)/uint64(r.gamma) {
		return 0, fmt.Errorf("its buffer touches %d lines of %v each, more than can be simulated", n, r.gamma)
	}
	return unit.Picos(n) * r.gamma, nil
}

// graph is what each event of a processor needs.
func (m *messageRun) graph(p trace.Proc) (*engine.Graph, error) {
	g := &engine.Graph{Starts: []int64{0}}
	row := int64(0)
	for b, err := range m.src.Events(p) {
		if err != nil {
			return nil, err
		}
		for i := range b.Rows {
			needs := b.Rows[i].Needs
			if needs == nil && row > 0 {
				g.Rows = append(g.Rows, int32(row-1))
			}
			for _, need := range needs {
				if need < 0 || need > math.MaxInt32 {
					return nil, fmt.Errorf("processor %d: event %d needs event %d", p, row, need)
				}
				g.Rows = append(g.Rows, int32(need))
			}
			g.Starts = append(g.Starts, int64(len(g.Rows)))
			row++
		}
	}
	if row > math.MaxInt32 {
		return nil, fmt.Errorf("processor %d: %d events are more than a graph can have", p, row)
	}
	return g, nil
}
