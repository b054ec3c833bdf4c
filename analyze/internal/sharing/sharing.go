// Package sharing finds the data that processors share, and the misses of coherent caches that
// follow from it.
//
// Every processor has a private cache of unlimited size, kept coherent by write-invalidate. A line
// is invalid, shared or exclusive, as in [du2000, sec. 4.1]. A load fetches it shared. A store
// needs it exclusive and removes it from the other caches. Therefore there are two kinds of misses:
// a processor's first use of a line is cold, and all others follow from a store of another
// processor, or from a flush. Caches of limited size miss more often. Package phases simulates those; its counts
// agree with those here if nothing is evicted. Package coherent has the same states, but needs only the state of a copy
// at each use. Here the state also says which words others have stored, and lies beside them for speed.
//
// References are in the interleaved order ([analysis.Interleave]). Loads and stores count as uses
// of lines; a reference that crosses lines uses each of them.
//
// Processors are assumed to share their addresses. In a trace of processes with separate memories
// that use the same addresses, the result is not sharing.
//
// # Classes of misses
//
// The classes are those of [dubois1993]. A copy lives from the miss that brings it until another
// processor's store, or the end of the trace. The class of a miss is known when its copy ends. A
// miss is essential if it is cold. It is also essential if the processor accesses, during the life
// of the copy, a word that another processor has stored since the processor's last essential miss
// of the line. Essential misses that are not cold are true sharing. Misses that are not essential
// are false sharing: the program would run equally well without them. Cold misses are pure if no
// processor had stored the line before. Otherwise they are true or false sharing by the same rule.
// An access is a load or a store, so with lines of one word no miss is false sharing.
//
// Other classifications decide at the time of the miss, by the word that misses. Eggers calls a
// miss true sharing if another processor has stored that word since the copy was lost. Torrellas
// calls it true sharing if another processor has stored the word since the processor's last access
// to it, and calls the first access to a word cold. Both report false sharing where the copy is
// later used to communicate. Neither is counted here.
//
// Differs: [dubois1993] covers single words; an access to several words counts as one access to
// each.
//
// If words are larger than the program's items, false sharing among the items is not seen: two
// int32 in a word of 8 bytes are one word.
//
// # Shared data
//
// The shared-data access rate of [du2000, sec. 4.3.2] is "number of shared data accesses / total
// number of data accesses". The paper does not say when a datum is shared. Here a word is shared if
// more than one processor accesses it in the trace. All accesses to it are then shared, including
// those before the second processor's first one. The same is counted for lines. The rate is an
// upper bound of the cost of coherence, as the paper says. The words that move are a lower bound.
//
// # Communication
//
// A miss moves a line from the cache of the processor that stored it last, or from memory if no
// processor has. A word moves when a processor loads it for the first time after another processor
// has stored it. This is the data that must be communicated with any line size, and the part of the
// moved lines that is used.
//
// # Flushes and prefetches
//
// A flush removes a line from the caches of all processors, and memory then has it. A processor
// whose copy a flush removed misses at its next use. This is a flush miss, whatever others store
// between. It is essential, because the program has asked for it.
//
// A prefetch brings a line into the cache of its processor, as a load does: if another processor
// has it exclusive, both copies become shared. A prefetch of a line that the processor has does
// nothing. A prefetch is not a use and not a miss: it accesses no words, and a processor that
// only prefetches a line does not share it. It moves a line, though. For the classes of later
// misses, it counts as the miss that it replaces.
//
// # Runs
//
// A write run is a sequence of stores by one processor to a line, up to an access by another
// processor [eggers1988]. A read run is the loads of a processor between two stores of others. An
// invalidation run is the number of copies that a store removes, if any [weber1989]. Lines that
// only one processor uses have no runs. Flushes and prefetches end no run.
//
// # Kinds of lines
//
// A line is of the first kind that applies:
//
//   - private: one processor uses it;
//   - read-only: several processors use it and none stores it;
//   - initialised: it was stored, but never while another cache had it;
//   - producer-consumer: most stores that remove copies are by the processor that stored it last;
//   - migratory: most of these stores take it from the processor that stored it last and has the only other copy [stenstrom1993];
//   - read-write: all others.
//
// [Columns] documents the tables.
//
// # Memory
//
// About 200 bytes for each line of 64 bytes, 120 for each further processor that uses it, and at
// most 16 for each pair of processors. The first 16384 groups of sixteen neighbouring lines are
// allocated as a whole, whichever of them are used; they can take up to ten times as much.
package sharing

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"spoor/analyze/analysis"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// maxWords is the maximum number of words in a line. Pages of 64 KiB have fewer.
const maxWords = 1 << 16

// defaultWord is the size of the most common shared items: a float64 or a pointer.
const defaultWord unit.Bytes = 8

// Analysis counts at all line sizes, which must be powers of two.
type Analysis struct {
	Lines []unit.Bytes // ascending
	Refs  trace.OpSet  // references that use lines, as declared; the run says which; zero: loads and stores
	Word  unit.Bytes   // a power of two; 0 is defaultWord; a smaller line is one word
	Meta  []trace.Arg  // for the tables

	spans        int    // barrier phases with separate counts, for tests; 0 is maxSpans
	publications uint32 // publications of the writes of a line until it is renumbered, for tests; 0 is the maximum
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name is "sharing".
func (a *Analysis) Name() string { return "sharing" }

// NewShard returns a shard for the interleaved order only.
func (a *Analysis) NewShard(h trace.Header, p trace.Proc) analysis.Shard {
	if p != trace.Interleaved || h.Procs < 1 {
		return nil
	}
	s := &shard{regions: newRegions(h.Regions)}
	for _, line := range a.Lines {
		s.sims = append(s.sims, newSimulation(h.Procs, line, a.word(), s.regions, cmp.Or(a.spans, maxSpans), cmp.Or(a.publications, math.MaxUint32)))
	}
	return s
}

func (a *Analysis) word() unit.Bytes { return cmp.Or(a.Word, defaultWord) }

// shard holds the simulations of all line sizes.
type shard struct {
	regions *regions
	sims    []*simulation
}

// Add simulates the next chunk of the interleaved order.
func (s *shard) Add(p *analysis.Chunk) error {
	if p.Event != nil {
		if p.Event.Kind == trace.Barrier {
			for _, sim := range s.sims {
				sim.phases.next(p.Proc)
			}
		}
		return nil
	}
	if p.Refs.Len() == 0 {
		return nil
	}
	for _, sim := range s.sims {
		uses, err := p.Uses(sim.line)
		if err != nil {
			return err
		}
		add := sim.add
		if p.Moves != 0 {
			add = sim.move
		}
		if err := add(uses, p); err != nil {
			return err
		}
	}
	return nil
}

// moved reports whether there were flushes or prefetches.
func (s *shard) moved() bool { return len(s.sims) > 0 && s.sims[0].moved }

// LineSizes returns all line sizes.
func (s *shard) LineSizes() (sizes []unit.Bytes) {
	for _, sim := range s.sims {
		sizes = append(sizes, sim.line)
	}
	return sizes
}

// End classifies the misses whose copies still exist, and releases everything except the counts.
func (s *shard) End() error {
	for _, sim := range s.sims {
		sim.end()
	}
	return nil
}

var errProcs = errors.New("sharing: the trace has no processors, or not all of them were asked for")

// Merge returns the tables sharing, sharing_rate, sharing_matrix, sharing_runs, sharing_lines and
// sharing_phases.
func (a *Analysis) Merge(shards []analysis.Shard) (analysis.Result, error) {
	if len(shards) == 0 {
		return analysis.Result{}, errProcs
	}
	s := shards[0].(*shard)
	meta := append(slices.Clone(a.Meta), trace.Arg{Key: "word", Value: strconv.FormatInt(int64(a.word()), 10)})
	full := sharingTable(s, meta)
	r := analysis.Result{Full: full, Summary: summarise(s, meta), Tables: []*store.Table{full, rateTable(s, meta),
		matrixTable(s, meta), runsTable(s, meta), linesTable(s, meta), phasesTable(s, meta)}}
	for _, sim := range s.sims {
		if sim.uses() == 0 {
			r.Warnings = append(r.Warnings, fmt.Errorf("the trace has no loads or stores: nothing is shared"))
			break
		}
	}
	return r, nil
}
