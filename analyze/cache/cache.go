// Package cache simulates caches and TLBs of any shape: set-associative, in hierarchies, with the
// replacement policies LRU, tree PLRU, FIFO, random and Belady's OPT [belady1966].
//
// # What is counted
//
// A reference uses every line that it touches once, in order of address. Loads, stores and
// instruction fetches use lines. A use that misses at a level is a use of the next one. Valgrind's cachegrind counts at most one miss of a reference that crosses
// lines. Its load misses are load_misses minus the loads in split_misses, and so on.
//
// A level that misses first makes room and loads the line, then requests it from the next level,
// and then handles the evicted line:
//
//   - A write-back is not a use. It makes the line dirty at the first level that has it, or goes to memory. (Cachegrind does not count write-backs. In other simulators, such as gem5, they load lines.)
//   - A non-inclusive level fills on every miss and evicts independently.
//   - When an inclusive level evicts a line, all levels above lose it. Uses that hit above do not make the line more recent in the inclusive level.
//   - An exclusive level fills with the lines that the level above evicts, clean or dirty. It removes a line when the level above requests it. A line that it already has, evicted by another processor, becomes the most recent.
//   - A write-through level passes on every store, and write-backs too. A store that misses there makes one request to the next level, for the line and the write. With no-allocate, it passes on the stores that miss and loads no line for them. A miss of a level above that needs the line is not a store.
//   - Among lines that are not used again, OPT may evict any. The misses do not depend on the choice, but the write-backs do.
//
// A prefetch acts as a load, but has counts of its own. A flush removes the lines that it touches from
// all levels of all processors, but not from TLBs. A dirty line that it removes is written back. In the
// order of one processor, flushes of other processors have no effect.
//
// Caches of different processors are not kept coherent; package phases simulates coherence. It and the simulators of
// machines have caches of their own, but of one kind: [Copies].
//
// # Causes of misses
//
// A miss is compulsory if it is the level's first use of the line. It is a capacity miss if a fully
// associative LRU cache of the same size misses too. That cache sees the same uses and loads lines
// as the level does: none for stores with no-allocate, and only evicted lines if exclusive. All
// other misses are conflict misses. The three add up to the misses. full_misses, the misses of the
// fully associative cache, gives the other definition, by difference [hill1989].
//
// [Columns] documents the table.
package cache

import (
	"cmp"

	"spoor/analyze/analysis"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// Analysis simulates every description for every processor's program and, of more than one
// processor, for the interleaved order, in which processors share what is not private.
type Analysis struct {
	Specs       []Spec
	Refs        trace.OpSet // references that use lines; zero: all
	Classify    bool        // find the causes of misses
	Seed        uint64      // of random replacement
	Interleaved bool        // simulate the interleaved order too
	Meta        []trace.Arg

	dense int64 // for tests; 0 is mostDense
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name is "cache".
func (a *Analysis) Name() string { return "cache" }

// NewShard creates the caches for one order.
func (a *Analysis) NewShard(h trace.Header, p trace.Proc) analysis.Shard {
	procs, dense := 1, cmp.Or(a.dense, mostDense)/int64(max(h.Procs, 1))
	if p == trace.Interleaved {
		if procs = h.Procs; !a.Interleaved || procs < 2 {
			return nil
		}
		dense *= int64(procs)
	}
	s := &shard{proc: p}
	for _, spec := range a.Specs {
		s.hierarchies = append(s.hierarchies, newHierarchy(spec, a.sides(), procs, a.Classify, a.Seed, dense))
	}
	return s
}

// sides returns the sides that references use.
func (a *Analysis) sides() (sides []Side) {
	if a.Refs == 0 || a.Refs.Has(trace.Load) {
		sides = append(sides, data)
	}
	if a.Refs == 0 || a.Refs.Has(trace.Ifetch) {
		sides = append(sides, instr)
	}
	return sides
}

// shard holds all caches for one order.
type shard struct {
	proc        trace.Proc
	hierarchies []*hierarchy // by description
}

func (s *shard) Add(p *analysis.Chunk) error {
	for _, h := range s.hierarchies {
		if err := h.addPiece(p); err != nil {
			return err
		}
	}
	return nil
}

func (s *shard) End() error {
	for _, h := range s.hierarchies {
		if err := h.end(); err != nil {
			return err
		}
	}
	return nil
}

// Merge returns the table.
func (a *Analysis) Merge(shards []analysis.Shard) (analysis.Result, error) {
	full := rows{analysis: a}
	for _, x := range shards {
		s := x.(*shard)
		for i, h := range s.hierarchies {
			for j, instances := range h.of {
				var sum Counts
				for _, l := range instances {
					sum.add(&l.Counts)
				}
				full.add(s.proc, &a.Specs[i], j, sum)
			}
		}
	}
	t := full.table()
	return analysis.Result{Tables: []*store.Table{t}, Full: t, Summary: full.summary()}, nil
}
