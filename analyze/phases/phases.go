// Package phases counts what every processor does between two barriers, and how its
// references would fare in private caches of any associativity kept coherent over
// a bus. All associativities up to MaxWays are simulated at once, exactly.
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
// [du2000] X. Du, X. Zhang, Z. Zhu: Memory hierarchy considerations for
// cost-effective cluster computing. IEEE Transactions on Computers 49(9), 2000,
// pp. 915-933.
package phases

import (
	"fmt"
	"slices"

	"spoor/analyze/analysis"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// MaxWays is the largest associativity: deeper is only known to be deeper.
const MaxWays = 16

// MaxSets is the largest number of sets.
const MaxSets = 1 << 20

// Analysis counts for all line sizes and numbers of sets, which are powers of two.
type Analysis struct {
	Lines []unit.Bytes // ascending
	Sets  []int64      // ascending
	Meta  []trace.Arg  // for the tables
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name is "phases".
func (a *Analysis) Name() string { return "phases" }

// NewShard wants the interleaved order alone.
func (a *Analysis) NewShard(h trace.Header, p trace.Proc) analysis.Shard {
	if p != trace.Interleaved || h.Procs < 1 {
		return nil
	}
	s := &shard{procs: h.Procs, phase: make([]int64, h.Procs), instr: make([]unit.Instructions, h.Procs)}
	for _, line := range a.Lines {
		s.sims = append(s.sims, newSimulation(h.Procs, line, a.Sets))
	}
	return s
}

// shard is the simulations with what each processor has done in its phase.
type shard struct {
	procs int
	phase []int64             // by processor: barriers passed
	instr []unit.Instructions // by processor: in its phase
	sims  []*simulation       // by line size
	rows  rows
}

// Add sees the next piece of the interleaved order.
func (s *shard) Add(p *analysis.Piece) error {
	if p.Event != nil {
		s.instr[p.Proc] += p.Instr
		if p.Event.Kind == trace.Barrier {
			s.endPhase(p.Proc)
		}
		return nil
	}
	for i, q := range p.Of {
		s.instr[q] += unit.Instructions(p.Refs.Instr[i])
	}
	for _, sim := range s.sims {
		if err := sim.refs(p.Of, &p.Refs); err != nil {
			return err
		}
	}
	return nil
}

// endPhase turns what a processor did in its phase into rows.
func (s *shard) endPhase(p trace.Proc) {
	k := key{proc: int32(p), phase: s.phase[p]}
	for _, sim := range s.sims {
		k.line = int64(sim.line)
		s.rows.add(k, instrEvent, 0, uint64(s.instr[p]))
		sim.flush(p, k, &s.rows)
	}
	s.instr[p] = 0
	s.phase[p]++
}

// End closes the last phase of every processor.
func (s *shard) End() error {
	for p := range s.procs {
		s.endPhase(trace.Proc(p))
	}
	s.sims = nil
	s.rows.sort()
	return nil
}

// Merge makes the phases table.
func (a *Analysis) Merge(shards []analysis.Shard) (analysis.Result, error) {
	if len(shards) == 0 {
		return analysis.Result{}, fmt.Errorf("phases: the trace has no processors, or not all of them were asked for")
	}
	s := shards[0].(*shard)
	meta := append(slices.Clone(a.Meta), trace.Arg{Key: setsFact, Value: listOf(a.Sets, "")})
	full := s.rows.table(meta)
	summary, err := summarise(full, a.Lines, meta)
	return analysis.Result{Tables: []*store.Table{full}, Full: full, Summary: summary}, err
}
