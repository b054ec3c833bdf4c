// Package coherent finds the stack distances of private caches that are kept coherent: what
// fully associative LRU caches of all sizes, one for each processor, would hit and miss.
//
// A store removes the line from the caches of all other processors (write-invalidate). So a use whose line
// another processor has stored since the processor's own last use misses in caches of every size: its distance is lost.
// That is a coherence miss; package sharing tells which of them share truly and which falsely.
//
// Distances are exact with invalidations too. An invalid line leaves a hole in the stack, at the depth that it
// had: see [reuse.HoledStack]. Where no processor stores what others use, the distances
// are those of package reuse.
//
// The order of references is the interleaved one ([analysis.Interleave]). Loads and stores
// count, as uses of lines: a reference that crosses lines uses each of them.
//
// Processors are taken to share their addresses. In a trace of processes with memories of their
// own that use the same addresses, what is found is not sharing.
//
// # Coherence misses of a cache of limited size
//
// A line that a cache had evicted before another processor stored it is missed because the cache
// is small, not because of the store. So a miss is put down to coherence in caches of more lines than the
// depth at which the line became invalid, and in smaller ones to their size. That is the usual classification, cold, coherence
// and replacement, for every size.
//
// # Tables
//
// [Columns] says what the tables hold.
//
// # Memory
//
// Some 40 bytes for each line, and as many for each processor that uses it. The processors whose copy is valid are a list,
// which a store empties: that needs no set of all processors for each line, and a store
// visits only those who have fetched the line since the last store.
//
// Distances of private stacks that another processor's store makes infinite are those of [schuff2010].
//
// [schuff2010] D. L. Schuff, M. Kulkarni, V. S. Pai: Accelerating multicore reuse distance analysis with
// sampling and parallelization. PACT 2010.
package coherent

import (
	"errors"
	"slices"

	"spoor/analyze/analysis"
	"spoor/analyze/reuse"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Cold and Lost are the distances, in the table, of a processor's first use of a line, and of a use whose
// line another processor has stored since the processor's last.
const (
	Cold int64 = -1
	Lost int64 = -2
)

// Analysis finds the distances at all line sizes, which are powers of two.
type Analysis struct {
	Lines  []unit.Bytes    // ascending
	Line   unit.Bytes      // one of them: that of the parameters
	Reuse  *reuse.Analysis // of the same line sizes, whose distances are those of a processor alone; nil: none runs beside
	Source string          // of the parameters: name and digest of the trace
	Tool   string          // what makes their file
	Meta   []trace.Arg     // for the tables
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name is "coherent".
func (a *Analysis) Name() string { return "coherent" }

// NewShard wants the interleaved order alone. In a trace of one processor nothing is ever invalidated: its distances are those of package reuse.
func (a *Analysis) NewShard(h trace.Header, p trace.Proc) analysis.Shard {
	if h.Procs == 1 && p == 0 {
		if a.Reuse == nil || a.Reuse.Sampling.On() {
			a.Reuse = &reuse.Analysis{Lines: a.Lines}
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

// shard is the caches at all line sizes.
type shard struct{ sims []*simulation }

// Add sees the next piece of the interleaved order.
func (s *shard) Add(p *analysis.Chunk) error {
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

// End lets go of all but the distances.
func (s *shard) End() error {
	for _, sim := range s.sims {
		if err := sim.end(); err != nil {
			return err
		}
	}
	return nil
}

var errProcs = errors.New("coherent: the trace has no processors, or not all of them were asked for")

// Merge makes the tables coherent and coherent_curve, and the parameters.
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
			if d := ofSize[p]; d.Cold > 0 { // else there are no uses
				h.add(trace.Proc(p), d)
				c.add(trace.Proc(p), d)
				sum.add(trace.Proc(p), d)
			}
		}
	}
	all := pool(found[slices.Index(a.Lines, a.Line)])
	r.Files = []analysis.File{analysis.ParamFile("coherent", a.Tool, all.params(a.Line, a.Source))}
	if all.Cold == 0 {
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
			out = append(out, []*Distances{{Line: d.Line, Uses: d.Uses, Cold: d.Cold}})
		}
		return out
	}
	for _, sim := range s.(*shard).sims {
		out = append(out, sim.found)
	}
	return out
}
