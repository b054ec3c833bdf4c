// Package cache simulates caches and TLBs of any shape: set-associative, in hierarchies, with the
// replacement policies LRU, tree PLRU, FIFO, random and Belady's OPT.
//
// # What is counted
//
// A reference uses every line it touches, each once, in order of address; loads, stores and
// instruction fetches use lines, prefetches and flushes do not. A use that misses at a level is a
// use of the next one. Valgrind's cachegrind counts at most one miss of a reference that
// crosses lines, so its misses are load_misses - the part of split_misses that is of loads, and so on.
//
// A level that misses first makes room and takes the line, then asks the next level, and then
// sees the line that had to leave off:
//
//   - A write-back is not a use: it makes the line dirty at the first level that has it, or goes to
//     memory. (Cachegrind does not count write-backs; other simulators, such as gem5, let them bring lines.)
//   - A non-inclusive level fills on every miss and evicts by itself.
//   - When an inclusive level evicts a line, all levels above it lose it. Uses that hit above do
//     not make the line more recent in it.
//   - An exclusive level fills with what the level above it evicts, clean or dirty, and gives a
//     line away when it is asked for it. A line that it has from another processor becomes the most recent.
//   - A write-through level passes every store on, and write-backs too; a store that misses there asks the next level once, for
//     the line and to write. One that does not allocate passes on the stores
//     that miss, and takes no line for them; a miss of a level above that wants the line is no store.
//   - Of lines that are not used again, OPT may drop any: misses do not depend on it, but writebacks do.
//
// Caches of different processors are not kept coherent: package phases does that.
//
// # Causes of misses
//
// A miss is compulsory if it is the level's first use of the line; else capacity, if a fully associative LRU
// cache of the same size, which sees the same uses and takes lines as the level does (none for stores
// with no-allocate, what others evict if exclusive), misses too; else conflict. These add up to the misses.
// full_misses, the misses of that fully associative cache, gives the other definition, by difference [hill1989].
//
// # The table cache
//
// A row for each description, processor and level, with the columns
//
//	caches                        description of all levels
//	proc                          processor, -1 for the interleaved order
//	level                         name
//	size [B], ways, line [B], policy
//	load_hits, load_misses, store_hits, store_misses, ifetch_hits, ifetch_misses    uses of lines
//	split_misses                  misses beyond the first of their reference
//	evictions                     lines that another one replaced
//	invalidations                 lines that an inclusive level took away
//	writebacks                    dirty lines that left
//	writethroughs                 writes passed on at once
//	bytes_read, bytes_written [B] from and to the next level, or memory; -1 of TLBs
//	compulsory, capacity, conflict, full_misses    if asked for, as it is by default
//	opt_misses                    if asked for at any level: what OPT would miss of the same uses, or -1
//
// [belady1966] L. A. Belady: A study of replacement algorithms for a virtual-storage computer. IBM
// Systems Journal 5(2), 1966, pp. 78-101.
//
// [hill1989] M. D. Hill, A. J. Smith: Evaluating associativity in CPU caches. IEEE Trans. Computers
// 38(12), 1989, pp. 1612-1630.
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
	Classify    bool   // find the causes of misses
	Seed        uint64 // of random replacement
	Interleaved bool   // simulate the interleaved order too
	Meta        []trace.Arg

	dense int64 // for tests; 0 is mostDense
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name is "cache".
func (a *Analysis) Name() string { return "cache" }

// NewShard makes the caches for one order.
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
		s.hierarchies = append(s.hierarchies, newHierarchy(spec, procs, a.Classify, a.Seed, dense))
	}
	return s
}

// shard is all caches for one order.
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

// Merge makes the table.
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
