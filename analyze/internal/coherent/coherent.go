// Package coherent finds the stack distances of private caches that are kept coherent: the hits and
// misses of fully associative LRU caches of all sizes, one for each processor.
//
// A store removes the line from the caches of all other processors (write-invalidate). If another
// processor has stored a line since a processor's last use of it, the next use misses in caches of
// every size: it has lost its distance. This is a coherence miss. Package sharing divides these
// into true and false sharing.
//
// Distances are exact with invalidations too. An invalid line leaves a hole in the stack at its
// depth: see [reuse.HoledStack]. If no processor stores what others use, the distances are those of
// package reuse.
//
// References are in the interleaved order ([analysis.Interleave]). Loads and stores count as uses
// of lines; a reference that crosses lines uses each of them.
//
// Processors are assumed to share their addresses. In a trace of processes with separate memories
// that use the same addresses, the result is not sharing.
//
// # Coherence misses of a cache of limited size
//
// If a cache had evicted a line before another processor stored it, the next use misses because the
// cache is small, not because of the store. Therefore the miss counts as a coherence miss only in
// caches with more lines than the depth at which the line became invalid. In smaller caches it
// counts as a replacement miss. This is the usual classification into cold, coherence and
// replacement misses, for every size.
//
// [Columns] documents the tables.
//
// # Memory
//
// About 40 bytes for each line, and as many for each processor that uses it. The processors with a
// valid copy form a list, which a store empties. This needs no set of all processors for each line,
// and a store visits only processors that have fetched the line since the last store.
//
// The distances are those of private stacks in [schuff2010], where another processor's store makes
// a distance infinite.
//
// Package phases has the same protocol, but stacks of single sets, up to MaxWays. Its directory keeps the set of
// processors of each line. Here a list of valid copies is shorter.
package coherent

import (
	"errors"
	"slices"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/paramfile"
	"spoor/analyze/reuse"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Cold, Lost and Flushed are the distances, in the table, of a processor's first use of a line, of a use whose
// line another processor has stored since the processor's last, and of a use whose line was flushed since.
const (
	Cold    int64 = -1
	Lost    int64 = -2
	Flushed int64 = -3
)

// Analysis finds the distances at all line sizes, which must be powers of two.
type Analysis struct {
	Lines  []unit.Bytes    // ascending
	Refs   trace.OpSet     // references that use lines; zero: loads and stores
	Line   unit.Bytes      // one of Lines, for the parameters
	Reuse  *reuse.Analysis // with the same line sizes; provides the distances of a single processor; nil if it does not run
	Source string          // of the parameters: name and digest of the trace
	Tool   string          // program that writes the parameters
	Meta   []trace.Arg     // for the tables
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name is "coherent".
func (a *Analysis) Name() string { return "coherent" }

// NewShard returns a shard for the interleaved order only. In a trace of one processor nothing is
// invalidated: its distances are those of package reuse.
func (a *Analysis) NewShard(h trace.Header, p trace.Proc) analysis.Shard {
	if h.Procs == 1 && p == 0 {
		if a.Reuse == nil || a.Reuse.Sampling.On() {
			a.Reuse = &reuse.Analysis{Lines: a.Lines, Refs: a.Refs}
		}
		return a.Reuse.NewShard(h, p)
	}
	if p != trace.Interleaved || h.Procs < 2 {
		return nil
	}
	s := new(shard)
	for _, line := range a.Lines {
		s.sims = append(s.sims, newSimulation(h.Procs, line))
	}
	return s
}

// shard holds the caches at all line sizes.
type shard struct{ sims []*simulation }

// Add simulates the next chunk of the interleaved order.
func (s *shard) Add(p *analysis.Chunk) error {
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

// LineSizes returns all line sizes.
func (s *shard) LineSizes() (sizes []unit.Bytes) {
	for _, sim := range s.sims {
		sizes = append(sizes, sim.line)
	}
	return sizes
}

// End releases everything except the distances.
func (s *shard) End() error {
	for _, sim := range s.sims {
		if err := sim.end(); err != nil {
			return err
		}
	}
	return nil
}

var errProcs = errors.New("coherent: the trace has no processors, or not all of them were asked for")

// Merge returns the tables coherent and coherent_curve, and the parameters.
func (a *Analysis) Merge(shards []analysis.Shard) (analysis.Result, error) {
	if len(shards) == 0 {
		return analysis.Result{}, errProcs
	}
	var h histogram
	var c curve
	var sum summary
	var r analysis.Result
	found := distances(shards[0])
	for p := range found[0] {
		for _, ofSize := range found {
			if d := ofSize[p]; d.Total() > 0 {
				h.add(trace.Proc(p), d)
				c.add(trace.Proc(p), d)
				sum.add(trace.Proc(p), d)
			}
		}
	}
	all := pool(found[slices.Index(a.Lines, a.Line)])
	r.Files = []analysis.File{paramfile.File("coherent", a.Tool, all.params(a.Line, a.Source))}
	if all.Total() == 0 {
		r.Warnings = []error{errors.New("the trace has no loads or stores: there are no distances, and no rates of coherence misses")}
	}
	r.Full, r.Summary = h.table(a.Meta), sum.table(a.Meta)
	r.Tables = []*store.Table{r.Full, c.table(a.Meta)}
	return r, nil
}

// distances is what a shard has found, by line size and processor.
func distances(s analysis.Shard) (out [][]*Distances) {
	if alone, is := s.(*reuse.Shard); is {
		for _, d := range alone.Sizes {
			out = append(out, []*Distances{{Line: d.Line, Uses: d.Uses, Cold: d.Cold, Flushed: d.Flushed, Prefetches: d.Prefetches}})
		}
		return out
	}
	for _, sim := range s.(*shard).sims {
		out = append(out, sim.found)
	}
	return out
}
