package phases

import (
	"slices"

	"spoor/analyze/analysis"
	"spoor/analyze/phases/internal/order"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// shard holds the simulations, and the state of each processor in its window.
type shard struct {
	procs    []position
	sims     []*simulation       // by line size
	memories []*softwareMemory   // by processors of a node, placement, network, and delay
	orders   []*order.Delayed    // of the memories
	uses     *order.Queues       // uses of the memories
	done     []unit.Instructions // by reference of the chunk: its end in its processor's phase
	at       []unit.Instructions // by reference of the chunk: its end in the interleaved order
	size     unit.Instructions
	windows  int // number of windows with rows; windows that were not merged count separately
	limit    int
	locks    uint64 // number of acquired locks
	flags    uint64 // number of waits for flags and for ends of other processors
	shapes   []shape
	rows     []rows // by processor
	traffic  trafficRows
	ends     bool                          // orders need the ends of programs
	groups   map[int32]map[trace.Proc]bool // members of barriers that are not of all processors by themselves
	forced   int                           // waits that orders in the time of a machine cut short
	moved    bool                          // there were prefetches or flushes
}

// position is the position of a processor.
type position struct {
	phase   int64             // number of barriers passed
	window  int64             // number within the phase
	flushed unit.Instructions // instructions of the phase that are in rows
	done    unit.Instructions // instructions of the phase
	start   unit.Instructions // start of the phase in the interleaved order, if the processor had never waited in the phase
}

// end returns the last position in the window of a processor. size is the length of windows.
func (q *position) end(size unit.Instructions) unit.Instructions {
	return unit.Instructions(q.window+1) * size
}

// Add processes the next chunk of the interleaved order.
func (s *shard) Add(p *analysis.Chunk) error {
	if p.Event != nil {
		q := &s.procs[p.Proc]
		q.done += p.Instr
		came := q.start + q.done
		q.start = p.Time - q.done
		switch p.Event.Kind {
		case trace.Barrier:
			s.addMember(p.Event.Group, p.Proc)
			return s.endPhase(p.Proc, p.Time)
		case trace.Lock:
			s.locks++
		case trace.WaitFlag, trace.Join:
			s.flags++
		}
		s.addSyncEvent(p, min(q.done, q.end(s.size)), p.Time-came)
		return nil
	}
	if p.StopsAt == trace.Lock {
		s.uses.Procs[p.Proc].LockArrival = p.Time
	}
	s.done, s.at = slices.Grow(s.done, len(p.RefProcs))[:len(p.RefProcs)], slices.Grow(s.at, len(p.RefProcs))[:len(p.RefProcs)]
	if len(p.RefProcs) == 0 {
		s.stop(p)
		return nil
	}
	for _, sim := range s.sims {
		if err := sim.begin(p); err != nil {
			return err
		}
	}
	for i := 0; i < len(p.RefProcs); {
		j := s.advanceInWindow(p, i)
		for _, sim := range s.sims {
			if p.Moves == 0 {
				sim.add(p, j)
			} else {
				sim.move(p, j)
			}
		}
		s.moved = s.moved || p.Moves != 0
		refs := p.Refs.Slice(i, j)
		if err := s.runMemories(p.RefProcs[i:j], &refs, s.done[i:j], s.at[i:j]); err != nil {
			return err
		}
		i = j
		if i < len(p.RefProcs) {
			s.nextWindow(p.RefProcs[i], unit.Instructions(p.Refs.Instr[i]))
		}
	}
	return nil
}

// addMember notes that p meets others at barriers of a group.
func (s *shard) addMember(group int32, p trace.Proc) {
	if group < 0 {
		return
	}
	if s.groups == nil {
		s.groups = map[int32]map[trace.Proc]bool{}
	}
	if s.groups[group] == nil {
		s.groups[group] = map[trace.Proc]bool{}
	}
	s.groups[group][p] = true
}

// meetsInParts reports whether some processors met without others at a barrier. Then phases are not those of all processors.
func (s *shard) meetsInParts() bool {
	for _, members := range s.groups {
		if len(members) < len(s.procs) {
			return true
		}
	}
	return false
}

// stop takes a chunk that says that a processor stops. There it waits for all that it has begun.
func (s *shard) stop(p *analysis.Chunk) {
	if !s.ends || len(s.memories) == 0 {
		return
	}
	q := &s.procs[p.Proc]
	done := min(max(q.done, p.Time-q.start), q.end(s.size))
	switch p.StopsAt {
	case trace.Barrier:
		s.uses.Event(p.Proc, &trace.Event{Kind: trace.Barrier}, p.Time, done, 0)
	case 0:
		s.uses.End(p.Proc, p.Time, done)
	}
}

// LineSizes returns all line sizes.
func (s *shard) LineSizes() (sizes []unit.Bytes) {
	for _, sim := range s.sims {
		sizes = append(sizes, sim.line)
	}
	return sizes
}

// runMemories simulates the uses of references in the memories of nodes.
func (s *shard) runMemories(procs []trace.Proc, r *trace.Refs, done, at []unit.Instructions) (err error) {
	if len(s.memories) == 0 {
		return nil
	}
	s.uses.Refs(procs, r, done, at)
	for _, b := range s.memories {
		if err := b.run(); err != nil {
			return err
		}
	}
	s.uses.DropProcessed(s.orders)
	s.traffic, err = s.traffic.limit(maxTrafficRows)
	return err
}

// addSyncEvent adds an event at which processors of nodes wait for each other. waited is the waiting time in
// the interleaved order.
func (s *shard) addSyncEvent(p *analysis.Chunk, done, waited unit.Instructions) {
	switch p.Event.Kind {
	case trace.Lock, trace.Unlock, trace.Signal, trace.WaitFlag, trace.Fork, trace.Join:
		forks := p.Event.Kind == trace.Fork || p.Event.Kind == trace.Join
		if len(s.memories) > 0 && (s.ends || !forks) {
			s.uses.Event(p.Proc, p.Event, p.Time, done, waited)
		}
	}
}

// advanceInWindow counts the instructions of references from i on. It returns the index of the first
// reference that is in another window than the one before it of the same processor.
func (s *shard) advanceInWindow(p *analysis.Chunk, i int) int {
	for ; i < len(p.RefProcs); i++ {
		q := &s.procs[p.RefProcs[i]]
		done := q.done + unit.Instructions(p.Refs.Instr[i])
		if done > q.end(s.size) {
			return i
		}
		q.done, s.done[i], s.at[i] = done, done, q.start+done
	}
	return i
}

// windowOf returns the number of the window that contains a position of a phase.
func (s *shard) windowOf(done unit.Instructions) int64 { return int64((max(done, 1) - 1) / s.size) }

// nextWindow ends the window of p, whose next reference ends instr instructions later.
func (s *shard) nextWindow(p trace.Proc, instr unit.Instructions) {
	s.flush(p)
	q := &s.procs[p]
	q.window = int64((q.done + instr - 1) / s.size)
}

// endPhase ends the phase of p with its last window.
func (s *shard) endPhase(p trace.Proc, now unit.Instructions) error {
	for _, b := range s.memories {
		if err := b.endPhase(p); err != nil {
			return err
		}
	}
	s.uses.DropProcessed(s.orders)
	s.uses.EndPhase()
	s.flush(p)
	s.procs[p] = position{phase: s.procs[p].phase + 1, start: now}
	return nil
}

// flush converts the counts of a processor's window to rows.
func (s *shard) flush(p trace.Proc) {
	q := &s.procs[p]
	out := &s.rows[p]
	for i, sim := range s.sims {
		first := i * (1 + len(sim.caches)) // index of the shape
		out.add(keyOf(first, instrEvent, 0), uint64(q.done-q.flushed))
		sim.flush(p, first, out)
	}
	out.end(q.phase, q.window)
	q.flushed = q.done
	s.windows++
	for s.windows > s.limit {
		s.coarsen()
	}
}

// coarsen merges neighbouring windows of the same phase.
func (s *shard) coarsen() {
	s.size *= 2
	s.windows = 0
	for p := range s.rows {
		r := &s.rows[p]
		for i := range r.windows {
			r.windows[i].window /= 2
		}
		r.mergeWindows()
		s.windows += len(r.windows)
	}
	for i := range s.traffic {
		s.traffic[i].window /= 2
	}
	for p := range s.procs {
		s.procs[p].window /= 2
	}
	s.traffic = s.traffic.join()
	s.limit = max(s.limit, 2*s.windows) // there may be more phases than the limit
}

// End closes the last phase of every processor.
func (s *shard) End() error {
	for p := range s.procs {
		if err := s.endPhase(trace.Proc(p), 0); err != nil {
			return err
		}
	}
	for _, d := range s.orders {
		if s.ends {
			s.forced += d.Forced
		}
	}
	s.sims, s.memories, s.orders, s.uses = nil, nil, nil, nil
	for p := range s.rows {
		s.rows[p].mergeWindows()
	}
	s.traffic = s.traffic.join()
	return nil
}
