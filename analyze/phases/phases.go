// Package phases counts what every processor does between two barriers, and simulates its private caches,
// kept coherent over a bus. It simulates all associativities up to MaxWays at once, exactly.
//
// A phase is divided into windows of a number of instructions. Misses come in bursts, and the waiting time
// for a bus depends on how many processors are in a burst at once. A reference belongs to the window in which
// its instructions end. An event belongs to the window of the reference before it.
//
// The caches are set-associative with LRU replacement, write-back and write-allocate. The protocol is
// three-state snooping write-invalidate, as in [du2000, sec. 4.1]. A line is invalid, shared or exclusive;
// exclusive means modified.
//
//   - A load miss fetches the line shared.
//   - A store needs the line exclusive. If it hits a shared line, it invalidates the other copies over the bus (an
//     upgrade). If it misses, it fetches the line exclusive.
//   - Every store of another processor invalidates the line.
//   - A load of another processor makes an exclusive line shared and clean. The owner supplies the line, and memory
//     takes it too.
//   - An exclusive line that is evicted is written back.
//   - An invalid way is filled before a line is evicted.
//
// The order of references is the interleaved one ([analysis.Interleave]).
//
// # All associativities at once
//
// For one set, the caches of w = 1, 2, ... ways hold the top w positions of one LRU stack with holes. An
// invalidated line leaves a hole at its depth. An access pushes down only the lines above the first hole. If
// the line was found below that hole, the hole moves to the depth of the line. A line at depth d is present
// for w > d.
//
// A processor that has stored a line has it exclusive in every cache. A use at distance d evicts and
// refetches it if w <= d. Let m be the largest distance of the processor's uses since the store, without uses
// of other processors in between. Then the line is exclusive exactly for w > m. So one number determines for
// all w whether the next store upgrades, whether an eviction writes back, and whether the owner supplies.
//
// # Nodes
//
// The package can also simulate shared memory in software between nodes of several processors, see
// [softwareMemory]. The traffic between nodes does not depend on cache sizes, because a node keeps the lines
// that its caches evict. It depends on the duration of requests, and is counted for several delays and
// networks.
//
// [du2000] X. Du, X. Zhang, Z. Zhu: Memory hierarchy considerations for cost-effective cluster computing.
// IEEE Transactions on Computers 49(9), 2000, pp. 915-933.
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

// MaxWays is the largest associativity, that of second-level caches of 1.25 MiB. Larger distances are not
// distinguished.
const MaxWays = 20

// MaxSets is the largest number of sets.
const MaxSets = 1 << 20

// DefaultWindow is short enough that bursts of blocked kernels, which work on a few lines at a time, fill a
// window.
const DefaultWindow unit.Instructions = 1 << 10

// maxWindows is the maximum number of windows, of all processors. If there are more, pairs of neighbours are
// merged, and windows double in length.
const maxWindows = 1 << 15

// MaxDelay is the maximum delay of a block.
const MaxDelay unit.Instructions = 1 << 30

// DefaultRight is the ratio of two times for which messages hold a network: that of a header of 25 bytes
// alone, and that of a block of 256 bytes.
const DefaultRight = 0.1

// Analysis counts for all line sizes and numbers of sets, which are powers of two.
type Analysis struct {
	Lines  []unit.Bytes      // ascending
	Sets   []int64           // ascending
	Window unit.Instructions // initial length of windows, from 1; 0: DefaultWindow

	PerNode    []int               // numbers of processors of nodes that share memory in software, ascending; none: no traffic table
	Block      unit.Bytes          // block size of that memory, a power of two up to Page
	Placements []Placement         // placements of its pages
	Networks   []Network           // networks between its nodes
	Delays     []unit.Instructions // delays of its blocks, ascending, up to MaxDelay
	Latency    unit.Instructions   // part of each delay for which the message does not hold the network
	Right      float64             // share of the rest of the delay that a message without a block takes, 0 to 1
	NodeCaches NodeCaches          // caches and bus of the nodes

	Meta []trace.Arg // metadata of the tables

	windows int // maximum number of windows, for tests; 0: maxWindows
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name returns "phases".
func (a *Analysis) Name() string { return "phases" }

// NewShard returns a shard for the interleaved order only.
func (a *Analysis) NewShard(h trace.Header, p trace.Proc) analysis.Shard {
	if p != trace.Interleaved || h.Procs < 1 {
		return nil
	}
	s := &shard{procs: make([]position, h.Procs), rows: make([]rows, h.Procs), shapes: a.shapes(), size: cmp.Or(a.Window, DefaultWindow), limit: cmp.Or(a.windows, maxWindows)}
	for _, line := range a.Lines {
		s.sims = append(s.sims, newSimulation(h.Procs, line, a.Sets))
	}
	s.uses = newUseQueues(h.Procs, a.accessSize().Shift())
	for _, n := range a.PerNode {
		if n == h.Procs && a.countsSingleNode(h.Procs) {
			b := newSoftwareMemory(h, a, s.uses, n, a.Placements[0], Ideal, 0, s.windowOf, &s.traffic)
			s.memories, s.orders = append(s.memories, b), append(s.orders, b.order)
		}
		if n >= h.Procs {
			continue // there is only one node
		}
		for _, placement := range a.Placements {
			for i, network := range a.Networks {
				for _, delay := range a.Delays {
					if delay > 0 || i == 0 { // without a delay, all networks are equal
						b := newSoftwareMemory(h, a, s.uses, n, placement, network, delay, s.windowOf, &s.traffic)
						s.memories, s.orders = append(s.memories, b), append(s.orders, b.order)
					}
				}
			}
		}
	}
	return s
}

// countsSingleNode reports whether one node with all processors is simulated. Its processors request nothing
// from other nodes, but wait for each other.
func (a *Analysis) countsSingleNode(procs int) bool {
	return procs > 1 && a.NodeCaches.Miss > 0 && slices.Contains(a.PerNode, procs)
}

// accessSize returns the unit of uses: a line of the caches of nodes, or a block without such caches.
func (a *Analysis) accessSize() unit.Bytes {
	if a.NodeCaches.Line > 0 {
		return a.NodeCaches.Line
	}
	return max(a.Block, 1)
}

// shard holds the simulations, and the state of each processor in its window.
type shard struct {
	procs    []position
	sims     []*simulation       // by line size
	memories []*softwareMemory   // by processors of a node, placement, network, and delay
	orders   []*delayedOrder     // of the memories
	uses     *useQueues          // uses of the memories
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
		s.uses.procs[p.Proc].lockArrival = p.Time
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
		j := s.advanceInWindow(p, i)
		for _, sim := range s.sims {
			sim.add(p, j)
		}
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
	s.uses.refs(procs, r, done, at)
	for _, b := range s.memories {
		if err := b.run(); err != nil {
			return err
		}
	}
	s.uses.dropProcessed(s.orders)
	s.traffic, err = s.traffic.limit(maxTrafficRows)
	return err
}

// addSyncEvent adds an event at which processors of nodes wait for each other. waited is the waiting time in
// the interleaved order.
func (s *shard) addSyncEvent(p *analysis.Chunk, done, waited unit.Instructions) {
	switch p.Event.Kind {
	case trace.Lock, trace.Unlock, trace.Signal, trace.WaitFlag:
		if len(s.memories) > 0 {
			s.uses.event(p.Proc, p.Event, p.Time, done, waited)
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
	s.uses.dropProcessed(s.orders)
	s.uses.endPhase()
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
	s.sims, s.memories, s.orders, s.uses = nil, nil, nil, nil
	for p := range s.rows {
		s.rows[p].mergeWindows()
	}
	s.traffic = s.traffic.join()
	return nil
}

// Merge returns the table phases and, with nodes, the table traffic.
func (a *Analysis) Merge(shards []analysis.Shard) (analysis.Result, error) {
	if len(shards) == 0 {
		return analysis.Result{}, fmt.Errorf("phases: the trace has no processors, or some were not selected; analyze all processors")
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
			trace.Arg{Key: missFact, Value: strconv.FormatUint(uint64(a.NodeCaches.Miss), 10)},
			trace.Arg{Key: cacheFact, Value: fmt.Sprintf("%d, %d, %d", a.NodeCaches.Sets, a.NodeCaches.Ways, a.NodeCaches.Line)})
		out.Tables = append(out.Tables, s.traffic.table(meta))
	}
	return out, nil
}
