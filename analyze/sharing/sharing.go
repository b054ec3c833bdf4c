// Package sharing finds what processors share, and what coherent caches miss because of it.
//
// Every processor has a private cache without limit, kept coherent by write-invalidate.
// A line is invalid, shared or exclusive, as in [du2000, sec. 4.1]: a load fetches it
// shared, a store needs it exclusive and removes it from the other caches. So there
// are two kinds of misses: a processor's first use of a line is cold, all others
// come from a store of another processor. Caches of limited size miss more often; package phases
// simulates those, and its counts agree with those here where nothing is evicted.
//
// The order of references is the interleaved one ([analysis.Interleave]). Loads and stores
// count, as uses of lines: a reference that crosses lines uses each of them.
//
// Processors are taken to share their addresses. In a trace of processes with memories of their
// own that use the same addresses, what is found is not sharing.
//
// # Classes of misses
//
// The classes are those of [dubois1993]. A copy lives from the miss that brings it until
// another processor's store, or the end of the trace. What class a miss belongs to is known when
// its copy dies: a miss is essential if it is cold, or if the processor accesses, while the copy
// lives, a word that another processor has stored since the processor's last essential
// miss of the line. Essential misses that are not cold are true sharing; misses that are
// not essential are false sharing: the program would run as well without them. Cold
// misses are pure if nobody had stored the line before, else true or false sharing by
// the same rule. To access is to load or to store, so that with lines of one word no
// miss is false sharing.
//
// Others decide at once, by the word that misses: Eggers calls a miss true sharing if another
// processor has stored that word since the copy was lost; Torrellas asks whether it was stored since the
// processor's last access to that word, and calls the first access to a word cold. Both
// see false sharing where the copy is later used to communicate. Neither is counted here.
//
// Differs: [dubois1993] is about single words; an access of several words is one of each.
//
// Words that are larger than the program's items hide false sharing among them: two
// int32 in one word of 8 bytes are one word.
//
// # Shared data
//
// The shared-data access rate of [du2000, sec. 4.3.2] is "number of shared data accesses /
// total number of data accesses". The paper does not say when a datum is shared. Here a
// word is shared if more than one processor accesses it in the trace, and all accesses
// to it are shared, those before the second processor's too. The same is counted for lines. It is
// an upper bound of what coherence costs, as the paper says of its rate; the words that move are a lower one.
//
// # Communication
//
// A miss moves a line from the cache of the processor that stored it last, or from
// memory if nobody has. A word moves when a processor loads it for the first time since another
// stored it: that is what must be communicated whatever the line size, and what of the lines is really used.
//
// # Runs
//
// A write run is the stores of a processor to a line up to an access of another
// [eggers1988]; a read run is the loads of a processor between two stores of others;
// invalidated is how many copies a store removes, if any [weber1989]. Lines that only one
// processor uses have no runs.
//
// # Kinds of lines
//
// A line is private if one processor uses it; read-only if several do and none stores it;
// initialised if it was stored, but never while another cache had it;
// producer-consumer if most stores that remove copies are those of the processor that stored it last;
// migratory if most take it from the processor that stored it last and has the only other copy
// [stenstrom1993]; else read-write.
//
// # Tables
//
// [Columns] says what the tables hold.
//
// # Memory
//
// Some 200 bytes for each line of 64 bytes, 120 for each processor more that uses it, and 16 for each pair
// of processors at most. The first 16384 groups of sixteen neighbours are kept whole, whatever of them is used: there it is up to ten times
// as much.
//
// [du2000] X. Du, X. Zhang, Z. Zhu: Memory hierarchy considerations for
// cost-effective cluster computing. IEEE Transactions on Computers 49(9), 2000,
// pp. 915-933.
//
// [dubois1993] M. Dubois, J. Skeppstedt, L. Ricciulli, K. Ramamurthy, P. Stenström: The
// detection and elimination of useless misses in multiprocessors. ISCA 1993.
//
// [eggers1988] S. J. Eggers, R. H. Katz: A characterization of sharing in parallel
// programs and its application to coherency protocol evaluation. ISCA 1988.
//
// [weber1989] W.-D. Weber, A. Gupta: Analysis of cache invalidation patterns in
// multiprocessors. ASPLOS 1989.
//
// [stenstrom1993] P. Stenström, M. Brorsson, L. Sandberg: An adaptive cache coherence
// protocol optimized for migratory sharing. ISCA 1993.
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

// MaxWords is how many words a line has at most: pages of 64 KiB have fewer.
const MaxWords = 1 << 16

// DefaultWord is the size of what programs mostly share: a float64 or a pointer.
const DefaultWord unit.Bytes = 8

// Analysis counts at all line sizes, which are powers of two.
type Analysis struct {
	Lines []unit.Bytes // ascending
	Word  unit.Bytes   // a power of two; 0 is DefaultWord; lines that are smaller are one word
	Meta  []trace.Arg  // for the tables

	spans int    // of barrier phases that are kept apart, for tests; 0 is maxSpans
	folds uint32 // of a line until they are renumbered, for tests; 0 is as many as have numbers
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name is "sharing".
func (a *Analysis) Name() string { return "sharing" }

// NewShard wants the interleaved order alone.
func (a *Analysis) NewShard(h trace.Header, p trace.Proc) analysis.Shard {
	if p != trace.Interleaved || h.Procs < 1 {
		return nil
	}
	s := &shard{regions: newRegions(h.Regions)}
	for _, line := range a.Lines {
		s.sims = append(s.sims, newSimulation(h.Procs, line, a.word(), s.regions, cmp.Or(a.spans, maxSpans), cmp.Or(a.folds, math.MaxUint32)))
	}
	return s
}

func (a *Analysis) word() unit.Bytes { return cmp.Or(a.Word, DefaultWord) }

// shard is the simulations of all line sizes.
type shard struct {
	regions *regions
	sims    []*simulation
}

// Add sees the next piece of the interleaved order.
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
		if err := sim.add(uses, p); err != nil {
			return err
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

// End classifies the misses whose copies still live, and lets go of all but the counts.
func (s *shard) End() error {
	for _, sim := range s.sims {
		sim.end()
	}
	return nil
}

var errProcs = errors.New("sharing: the trace has no processors, or not all of them were asked for")

// Merge makes the tables: sharing, sharing_rate, sharing_matrix, sharing_runs,
// sharing_lines and sharing_phases.
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
