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
//   - A flush invalidates the line in all caches, and writes it back if one of them has it exclusive. The next use
//     counts as one of an invalidated line.
//   - A prefetch fetches the line shared, as a load does, but does not count as one.
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
package phases

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"spoor/analyze/analysis"
	"spoor/analyze/phases/internal/order"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// MaxWays is the largest associativity, that of second-level caches of 1.25 MiB. Larger distances are not
// distinguished.
const MaxWays = 20

// maxSets is the largest number of sets.
const maxSets = 1 << 20

// defaultWindow is short enough that bursts of blocked kernels, which work on a few lines at a time, fill a
// window.
const defaultWindow unit.Instructions = 1 << 10

// maxWindows is the maximum number of windows, of all processors. If there are more, pairs of neighbours are
// merged, and windows double in length.
const maxWindows = 1 << 15

// maxDelay is the maximum delay of a block.
const maxDelay unit.Instructions = 1 << 30

// DefaultRight is the ratio of two times for which messages hold a network: that of a header of 25 bytes
// alone, and that of a block of 256 bytes.
const DefaultRight = 0.1

// Analysis counts for all line sizes and numbers of sets, which are powers of two.
type Analysis struct {
	Lines  []unit.Bytes      // ascending
	Sets   []int64           // ascending
	Refs   trace.OpSet       // references that use lines; zero: loads and stores
	Window unit.Instructions // initial length of windows, from 1; 0: defaultWindow

	PerNode    []int               // numbers of processors of nodes that share memory in software, ascending; none: no traffic table
	Block      unit.Bytes          // block size of that memory, a power of two up to Page
	Placements []Placement         // placements of its pages
	Networks   []Network           // networks between its nodes
	Delays     []unit.Instructions // delays of its blocks, ascending, up to maxDelay
	Latency    unit.Instructions   // part of each delay for which the message does not hold the network
	Right      float64             // share of the rest of the delay that a message without a block takes, 0 to 1
	NodeCaches NodeCaches          // caches and bus of the nodes; with Node, only the line
	Node       *Node               // all that orders depend on; nil: NodeCaches
	Forked     []trace.Proc        // processors that others fork; only with Node

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
	s := &shard{procs: make([]position, h.Procs), rows: make([]rows, h.Procs), shapes: a.shapes(), size: cmp.Or(a.Window, defaultWindow), limit: cmp.Or(a.windows, maxWindows)}
	for _, line := range a.Lines {
		s.sims = append(s.sims, newSimulation(h.Procs, line, a.Sets))
	}
	s.uses = order.NewQueues(h.Procs, cmp.Or(a.Refs, trace.DataOps), a.accessSize().Shift())
	if a.Node != nil {
		s.uses.Instr, s.uses.Hit, s.ends = ticks, inTicks(a.Node.Hit), true
	}
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
	return (a.Node != nil || procs > 1 && a.NodeCaches.Miss > 0) && slices.Contains(a.PerNode, procs)
}

// nodeText describes the node and its lines, or is empty without a Node.
func (a *Analysis) nodeText() string {
	if a.Node == nil {
		return ""
	}
	return fmt.Sprintf("%v,line=%d", a.Node, int64(a.NodeCaches.Line))
}

// accessSize returns the unit of uses: a line of the caches of nodes, or a block without such caches.
func (a *Analysis) accessSize() unit.Bytes {
	if a.NodeCaches.Line > 0 {
		return a.NodeCaches.Line
	}
	return max(a.Block, 1)
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
		trace.Arg{Key: aloneFact, Value: "counted"}, trace.Arg{Key: partsFact, Value: map[bool]string{true: "of some processors"}[s.meetsInParts()]},
		trace.Arg{Key: locksFact, Value: strconv.FormatUint(s.locks, 10)}, trace.Arg{Key: flagsFact, Value: strconv.FormatUint(s.flags, 10)})
	full := tableOf(s.rows, s.shapes, meta)
	out := analysis.Result{Tables: []*store.Table{full}, Full: full, Summary: summarise(s.rows, s.shapes, meta)}
	ignored := s.moved && len(a.PerNode) > 0
	if s.forced > 0 {
		out.Warnings = append(out.Warnings, fmt.Errorf("phases: %d waits of processors for others did not end or became too long, and were cut short: the order is not exact; see traces check", s.forced))
	}
	if s.meetsInParts() {
		out.Warnings = append(out.Warnings, errors.New("phases: some processors meet at barriers without others; phases are then not the same for all, and model mva does not use them"))
	}
	if ignored {
		out.Warnings = append(out.Warnings, errors.New("phases: prefetches and flushes have no effect on the traffic of --per-node"))
	}
	if len(a.PerNode) > 0 {
		meta = append(meta, trace.Arg{Key: blockFact, Value: strconv.FormatInt(int64(a.Block), 10)},
			trace.Arg{Key: perNodeFact, Value: listOf(a.PerNode, "")}, trace.Arg{Key: placementFact, Value: listOf(a.Placements, "")},
			trace.Arg{Key: networkFact, Value: listOf(a.Networks, "")}, trace.Arg{Key: delayFact, Value: listOf(a.Delays, "")},
			trace.Arg{Key: latencyFact, Value: strconv.FormatUint(uint64(a.Latency), 10)},
			trace.Arg{Key: rightFact, Value: strconv.FormatFloat(a.Right, 'g', -1, 64)},
			trace.Arg{Key: nodeFact, Value: a.nodeText()}, trace.Arg{Key: movesFact, Value: map[bool]string{true: "ignored"}[ignored]},
			trace.Arg{Key: missFact, Value: strconv.FormatUint(uint64(a.NodeCaches.Miss), 10)},
			trace.Arg{Key: cacheFact, Value: fmt.Sprintf("%d, %d, %d", a.NodeCaches.Sets, a.NodeCaches.Ways, a.NodeCaches.Line)})
		out.Tables = append(out.Tables, s.traffic.table(meta))
	}
	return out, nil
}
