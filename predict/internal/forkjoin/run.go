package forkjoin

import (
	"context"
	"errors"
	"unsafe"

	"spoor/predict/internal/engine/calendarqueue"
	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/engine/prefetch"
	"spoor/traces/unit"
)

// ErrStuck means that ranks wait for ever, or pass the time that can be simulated. Package engine says which, and why.
var ErrStuck = errors.New("some ranks do not reach the end of their programs")

// Simulates reports whether Run simulates a program on a model: LogGP without rendezvous messages, by its own semantics or those of LogGOPSim.
func Simulates(m *cost.Model, p *Program) bool {
	return !m.UsesLinks() && m.Sizes == nil && m.Local == nil && m.SMPI == nil && m.Arrivals == (cost.Arrivals{}) &&
		!m.IsRendezvous(int64(p.longest)) && m.BytesTime(int64(p.longest)) < cost.MaxDuration
}

// simulation is the state of a run.
type simulation struct {
	*Program
	model     *cost.Model
	flight    unit.Picos   // from the begin of a send until its message comes
	durations []unit.Picos // of the computations
	ranks     []rank
	done      int // operations, since progress was reported
	calendar  *calendarqueue.Queue
	logGOPSim bool

	size      uint32 // of the last message
	sizeCarry unit.Picos
}

// Run simulates a program on a model that Simulates accepts. durations are those of Program.Work. progress receives the number of
// operations done since its last call; it may be nil. The result equals that of engine.Run.
func (p *Program) Run(ctx context.Context, m *cost.Model, durations []unit.Picos, progress func(int)) (*outcome.Result, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	n := len(p.starts) - 1
	s := &simulation{Program: p, model: m, flight: m.Send + m.Latency, durations: durations, ranks: make([]rank, n),
		calendar: calendarqueue.New(m.Lookahead()), logGOPSim: m.LogGOPSim}
	s.sizeCarry = m.BytesTime(0)
	room := make([]arrival, leastArrivals*n)
	for i := range s.ranks {
		r, id := &s.ranks[i], int32(i)
		r.arrivals = room[leastArrivals*i : leastArrivals*i : leastArrivals*(i+1)]
		r.at, r.end, r.stop = p.starts[i], p.starts[i], p.starts[i+1]
		r.enqueued, r.window = beforeAll, calendarqueue.None
		s.begin(r, id)
		r.next = s.bound(r)
		s.put(r, id)
	}
	if err := s.windows(ctx, progress); err != nil {
		return nil, err
	}
	return s.result()
}

// put enters a rank in the window of its next send. It may still be in lists of other windows; rank.window says which one counts.
func (s *simulation) put(r *rank, id int32) {
	if r.next >= cost.Horizon {
		r.window = calendarqueue.None
		return
	}
	if w := s.calendar.Window(r.next); w != r.window {
		r.window = w
		s.calendar.Add(id, r.next, w)
	}
}

// windows simulates window after window. A window is as long as a message takes at least, so that its messages come in later ones.
func (s *simulation) windows(ctx context.Context, progress func(int)) error {
	c := s.calendar
	for c.Advance(calendarqueue.NoFurther) {
		if err := ctx.Err(); err != nil {
			return err
		}
		limit := min(unit.Picos(c.Now+1)*c.Width, cost.Horizon)
		list := c.List()
		for k, id := range list {
			s.prefetch(list, k)
			if r := &s.ranks[id]; r.window == c.Now {
				r.window = calendarqueue.None
				s.run(r, id, limit)
				s.put(r, id)
			}
		}
		c.Clear()
		if progress != nil {
			progress(s.done)
			s.done = 0
		}
	}
	return nil
}

// prefetchDistance is how many ranks ahead ranks and their operations are prefetched.
const prefetchDistance = 8

// prefetch prefetches what ranks that act after the k-th of a list use.
func (s *simulation) prefetch(list []int32, k int) {
	if k += prefetchDistance; k < len(list) {
		if r := &s.ranks[list[k]]; r.at < uint32(len(s.ops)) {
			prefetch.Lines(unsafe.Pointer(&s.ops[r.at]), 1)
		}
	}
	if k += prefetchDistance; k < len(list) {
		prefetch.Lines(unsafe.Pointer(&s.ranks[list[k]]), int(unsafe.Sizeof(rank{})/64))
	}
}

// result returns the times and their parts. Waiting is the rest.
func (s *simulation) result() (*outcome.Result, error) {
	res := &outcome.Result{Ranks: make([]outcome.Rank, len(s.ranks)), Ops: uint64(len(s.ops)),
		Engine: outcome.Stats{Protocol: outcome.Sequential, Workers: 1}}
	for i := range s.ranks {
		r, out := &s.ranks[i], &res.Ranks[i]
		if r.waiting != ended || r.cpu >= cost.Horizon {
			return nil, ErrStuck
		}
		s.account(s.ops[s.starts[i]:s.starts[i+1]], out)
		out.Time, out.Parts[observe.Contention], out.Parts[observe.Latency] = r.cpu, r.contention, r.latency
		out.Overlap = r.overlap
		rest := r.cpu
		for _, part := range out.Parts {
			rest -= part
		}
		out.Parts[observe.Waiting] = rest
		res.Time = max(res.Time, r.cpu)
		res.Messages += out.Messages
		res.Bytes += out.Bytes
	}
	return res, nil
}

// account adds what operations cost whenever they are done.
func (s *simulation) account(ops []operation, out *outcome.Rank) {
	for i := range ops {
		switch op := &ops[i]; op.kind {
		case compute:
			out.Parts[observe.Computing] += s.durations[op.link]
		case send:
			out.Parts[observe.Overhead] += s.model.Send
		default:
			if out.Parts[observe.Overhead] += s.model.Receive; s.logGOPSim {
				out.Parts[observe.Overhead] += s.carry(op.bytes)
			}
			out.Messages++
			out.Bytes += int64(op.bytes)
		}
	}
}
