// Package phases counts what every processor does between two barriers, and how its
// references would fare in private caches of any associativity kept coherent over
// a bus. All associativities up to MaxWays are simulated at once, exactly.
//
// A phase is cut into windows of so many instructions, because misses come in
// bursts, and what processors wait for a bus depends on how many of them are in a
// burst at once. A reference belongs to the window in which its instructions end, and
// an event to that of the reference before it.
//
// The caches are set-associative with LRU replacement, write-back and
// write-allocate. The protocol is three-state snooping write-invalidate, as in
// [du2000, sec. 4.1]: a line is invalid, shared, or exclusive, and
// exclusive means modified. A load miss fetches the line shared. A store needs it exclusive: a
// store that hits a shared line invalidates the others over the bus (an upgrade), one
// that misses fetches it exclusive. Every store of another processor invalidates. A load
// of another processor makes an exclusive line shared and clean: its owner supplies it, and
// memory takes it too. An exclusive line that is evicted is written back. An
// invalid way is filled before anything is evicted.
//
// The order of references is the interleaved one ([analysis.Interleave]).
//
// # All associativities at once
//
// For one set, the caches of w = 1, 2, ... ways hold the top w positions of one LRU stack with
// holes: an invalidated line leaves a hole at its depth, and an access pushes down
// only what lies above the first hole (the hole moves to where the line was
// found, if it was found deeper). A line at depth d is present for w > d.
//
// A processor that has stored a line has it exclusive in every cache; a use
// at distance d evicts and refetches it where w <= d. So with m the largest distance of its uses since the
// store, and nothing from others in between, it is exclusive exactly where w > m: one
// number tells for all w whether the next store upgrades, whether an eviction
// writes back and whether the owner supplies.
//
// # Nodes
//
// Beside that, shared memory in software between nodes of several processors can be simulated (see blocks): what a node
// asks of others does not depend on caches, as nodes keep what their caches push out. It depends on how long that
// takes, and is counted for several delays and networks.
//
// [du2000] X. Du, X. Zhang, Z. Zhu: Memory hierarchy considerations for
// cost-effective cluster computing. IEEE Transactions on Computers 49(9), 2000,
// pp. 915-933.
package phases

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"spoor/analyze/analysis"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// MaxWays is the largest associativity, that of second-level caches of 1.25 MiB: deeper is only known to be deeper.
const MaxWays = 20

// MaxSets is the largest number of sets.
const MaxSets = 1 << 20

// DefaultWindow is a window so short that the bursts of blocked kernels, which work
// on a few lines at a time, fill it.
const DefaultWindow unit.Instructions = 1 << 10

// maxWindows is how many windows of all processors are kept apart. When there are
// more, neighbours are joined and windows become twice as long.
const maxWindows = 1 << 15

// MaxDelay is the longest delay of a block.
const MaxDelay unit.Instructions = 1 << 30

// DefaultRight is the part of the delay of a block of 256 bytes that a message of its header of 25 bytes alone takes, as it is held on a network.
const DefaultRight = 0.1

// Analysis counts for all line sizes and numbers of sets, which are powers of two.
type Analysis struct {
	Lines  []unit.Bytes      // ascending
	Sets   []int64           // ascending
	Window unit.Instructions // that windows have at first, from 1; 0 is DefaultWindow

	PerNode    []int               // processors of nodes that share memory in software, ascending; none: there is no traffic table
	Block      unit.Bytes          // of that memory, a power of two to Page
	Placements []Placement         // of its pages
	Networks   []Network           // between its nodes
	Delays     []unit.Instructions // of its blocks, ascending, to MaxDelay
	Latency    unit.Instructions   // of each message, as part of them: for so long it does not hold the network
	Right      float64             // part of the rest that a message without a block takes, 0 to 1
	Within     Within              // of nodes

	Meta []trace.Arg // for the tables

	windows int // that are kept apart, for tests; 0 is maxWindows
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name is "phases".
func (a *Analysis) Name() string { return "phases" }

// NewShard wants the interleaved order alone.
func (a *Analysis) NewShard(h trace.Header, p trace.Proc) analysis.Shard {
	if p != trace.Interleaved || h.Procs < 1 {
		return nil
	}
	s := &shard{procs: make([]progress, h.Procs), rows: make([]rows, h.Procs), shapes: a.shapes(), size: cmp.Or(a.Window, DefaultWindow), limit: cmp.Or(a.windows, maxWindows)}
	for _, line := range a.Lines {
		s.sims = append(s.sims, newSimulation(h.Procs, line, a.Sets))
	}
	s.uses = newUses(h.Procs, a.used().Shift())
	for _, n := range a.PerNode {
		if n == h.Procs && a.alone(h.Procs) {
			b := newBlocks(h, a, s.uses, n, a.Placements[0], Ideal, 0, s.windowOf, &s.traffic)
			s.blocks, s.orders = append(s.blocks, b), append(s.orders, b.order)
		}
		if n >= h.Procs {
			continue // there is but one node
		}
		for _, placement := range a.Placements {
			for i, network := range a.Networks {
				for _, delay := range a.Delays {
					if delay > 0 || i == 0 { // what takes no time waits for nothing
						b := newBlocks(h, a, s.uses, n, placement, network, delay, s.windowOf, &s.traffic)
						s.blocks, s.orders = append(s.blocks, b), append(s.orders, b.order)
					}
				}
			}
		}
	}
	return s
}

// alone reports whether one node with all processors is asked for: they ask nobody else for anything, but wait for each other.
func (a *Analysis) alone(procs int) bool {
	return procs > 1 && a.Within.Miss > 0 && slices.Contains(a.PerNode, procs)
}

// used is what is used at once: a line of the caches in nodes, or a block if there are none.
func (a *Analysis) used() unit.Bytes {
	if a.Within.Line > 0 {
		return a.Within.Line
	}
	return max(a.Block, 1)
}

// shard is the simulations with what each processor has done in its window.
type shard struct {
	procs   []progress
	sims    []*simulation       // by line size
	blocks  []*blocks           // by processors of a node, placement, network, and delay
	orders  []*delayed          // of these
	uses    *uses               // that happen in them
	done    []unit.Instructions // of a piece's references: where each ends in its processor's phase
	at      []unit.Instructions // and in the interleaved order
	size    unit.Instructions
	windows int // that rows are of, those that have not been joined counted apart
	limit   int
	locks   uint64 // that are taken
	flags   uint64 // that are waited for, and ends of other processors
	shapes  []shape
	rows    []rows // by processor
	traffic trafficRows
}

// progress is where a processor is.
type progress struct {
	phase  int64             // barriers passed
	window int64             // of the phase
	begun  unit.Instructions // of the phase, before those that are not yet in rows
	done   unit.Instructions // of the phase
	start  unit.Instructions // in the interleaved order: when it would have begun the phase if it never had waited in it
}

// end is the last position in the window of a processor, of windows of a size.
func (q *progress) end(size unit.Instructions) unit.Instructions {
	return unit.Instructions(q.window+1) * size
}

// Add sees the next piece of the interleaved order.
func (s *shard) Add(p *analysis.Chunk) error {
	if p.Event != nil {
		q := &s.procs[p.Proc]
		q.done += p.Instr
		came := q.start + q.done
		q.start = p.Time - q.done
		switch p.Event.Kind {
		case trace.Barrier:
			return s.endPhase(p.Proc, p.Time)
		case trace.Lock:
			s.locks++
		case trace.WaitFlag, trace.Join:
			s.flags++
		}
		s.cross(p, min(q.done, q.end(s.size)), p.Time-came)
		return nil
	}
	if p.StopsAt == trace.Lock {
		s.uses.procs[p.Proc].came = p.Time
	}
	s.done, s.at = slices.Grow(s.done, len(p.RefProcs))[:len(p.RefProcs)], slices.Grow(s.at, len(p.RefProcs))[:len(p.RefProcs)]
	if len(p.RefProcs) == 0 {
		return nil
	}
	for _, sim := range s.sims {
		if err := sim.begin(p); err != nil {
			return err
		}
	}
	for i := 0; i < len(p.RefProcs); {
		j := s.within(p, i)
		for _, sim := range s.sims {
			sim.add(p, j)
		}
		refs := p.Refs.Slice(i, j)
		if err := s.share(p.RefProcs[i:j], &refs, s.done[i:j], s.at[i:j]); err != nil {
			return err
		}
		i = j
		if i < len(p.RefProcs) {
			s.turnWindow(p.RefProcs[i], unit.Instructions(p.Refs.Instr[i]))
		}
	}
	return nil
}

// LineSizes is all line sizes.
func (s *shard) LineSizes() (sizes []unit.Bytes) {
	for _, sim := range s.sims {
		sizes = append(sizes, sim.line)
	}
	return sizes
}

// share has nodes use the blocks of references.
func (s *shard) share(of []trace.Proc, r *trace.Refs, done, at []unit.Instructions) (err error) {
	if len(s.blocks) == 0 {
		return nil
	}
	s.uses.refs(of, r, done, at)
	for _, b := range s.blocks {
		if err := b.run(); err != nil {
			return err
		}
	}
	s.uses.forget(s.orders)
	s.traffic, err = s.traffic.bounded(mostTraffic)
	return err
}

// cross lets nodes' processors wait for each other at locks and flags; in the interleaved order, one has waited for so long.
func (s *shard) cross(p *analysis.Chunk, done, waited unit.Instructions) {
	switch p.Event.Kind {
	case trace.Lock, trace.Unlock, trace.Signal, trace.WaitFlag:
		if len(s.blocks) > 0 {
			s.uses.event(p.Proc, p.Event, p.Time, done, waited)
		}
	}
}

// within counts the instructions of the references from i on up to the first that
// lies in another window than what its processor did before, and is its index.
func (s *shard) within(p *analysis.Chunk, i int) int {
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

// windowOf is the window of a phase in which a position is.
func (s *shard) windowOf(done unit.Instructions) int64 { return int64((max(done, 1) - 1) / s.size) }

// turnWindow ends the window of p, whose next reference ends instr instructions later.
func (s *shard) turnWindow(p trace.Proc, instr unit.Instructions) {
	s.flush(p)
	q := &s.procs[p]
	q.window = int64((q.done + instr - 1) / s.size)
}

// endPhase ends the phase of p with its last window.
func (s *shard) endPhase(p trace.Proc, now unit.Instructions) error {
	for _, b := range s.blocks {
		if err := b.endPhase(p); err != nil {
			return err
		}
	}
	s.uses.forget(s.orders)
	s.uses.endPhase()
	s.flush(p)
	s.procs[p] = progress{phase: s.procs[p].phase + 1, start: now}
	return nil
}

// flush turns what a processor did in its window into rows.
func (s *shard) flush(p trace.Proc) {
	q := &s.procs[p]
	out := &s.rows[p]
	for i, sim := range s.sims {
		first := i * (1 + len(sim.caches)) // shape of this line size
		out.add(subjectOf(first, instrEvent, 0), uint64(q.done-q.begun))
		sim.flush(p, first, out)
	}
	out.end(q.phase, q.window)
	q.begun = q.done
	s.windows++
	for s.windows > s.limit {
		s.coarsen()
	}
}

// coarsen joins neighbouring windows of the same phase.
func (s *shard) coarsen() {
	s.size *= 2
	s.windows = 0
	for p := range s.rows {
		r := &s.rows[p]
		for i := range r.windows {
			r.windows[i].window /= 2
		}
		r.join()
		s.windows += len(r.windows)
	}
	for i := range s.traffic {
		s.traffic[i].window /= 2
	}
	for p := range s.procs {
		s.procs[p].window /= 2
	}
	s.traffic = s.traffic.join()
	s.limit = max(s.limit, 2*s.windows) // phases alone may be more
}

// End closes the last phase of every processor.
func (s *shard) End() error {
	for p := range s.procs {
		if err := s.endPhase(trace.Proc(p), 0); err != nil {
			return err
		}
	}
	s.sims, s.blocks, s.orders, s.uses = nil, nil, nil, nil
	for p := range s.rows {
		s.rows[p].join()
	}
	s.traffic = s.traffic.join()
	return nil
}

// Merge makes the tables phases and, for nodes, traffic.
func (a *Analysis) Merge(shards []analysis.Shard) (analysis.Result, error) {
	if len(shards) == 0 {
		return analysis.Result{}, fmt.Errorf("phases: the trace has no processors, or not all of them were asked for")
	}
	s := shards[0].(*shard)
	meta := append(slices.Clone(a.Meta), trace.Arg{Key: setsFact, Value: listOf(a.Sets, "")},
		trace.Arg{Key: waysFact, Value: strconv.Itoa(MaxWays)},
		trace.Arg{Key: windowFact, Value: strconv.FormatUint(uint64(s.size), 10)},
		trace.Arg{Key: locksFact, Value: strconv.FormatUint(s.locks, 10)}, trace.Arg{Key: flagsFact, Value: strconv.FormatUint(s.flags, 10)})
	full := tableOf(s.rows, s.shapes, meta)
	out := analysis.Result{Tables: []*store.Table{full}, Full: full, Summary: summarise(s.rows, s.shapes, meta)}
	if len(a.PerNode) > 0 {
		meta = append(meta, trace.Arg{Key: blockFact, Value: strconv.FormatInt(int64(a.Block), 10)},
			trace.Arg{Key: perNodeFact, Value: listOf(a.PerNode, "")}, trace.Arg{Key: placementFact, Value: listOf(a.Placements, "")},
			trace.Arg{Key: networkFact, Value: listOf(a.Networks, "")}, trace.Arg{Key: delayFact, Value: listOf(a.Delays, "")},
			trace.Arg{Key: latencyFact, Value: strconv.FormatUint(uint64(a.Latency), 10)},
			trace.Arg{Key: rightFact, Value: strconv.FormatFloat(a.Right, 'g', -1, 64)},
			trace.Arg{Key: missFact, Value: strconv.FormatUint(uint64(a.Within.Miss), 10)},
			trace.Arg{Key: cacheFact, Value: fmt.Sprintf("%d, %d, %d", a.Within.Sets, a.Within.Ways, a.Within.Line)})
		out.Tables = append(out.Tables, s.traffic.table(meta))
	}
	return out, nil
}
