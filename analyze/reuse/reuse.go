// Package reuse measures LRU stack distances, exactly or from a sample of lines.
//
// The stack distance of a use of a memory line is the number of distinct other lines used since the line's
// last use [mattson1970]. A first use is cold. A fully associative LRU cache of C lines hits exactly the uses
// of distance below C. Other authors use "reuse distance" for the number of uses in between, counted with
// repetition. That is the reuse time, see package reusetime.
//
// References of Analysis.Refs use lines: loads and stores, or instruction fetches, or both. A reference that
// crosses lines uses each of them, in order of address.
//
// A flush removes lines from the stack. They leave holes, which later uses fill, as they fill the invalid ways
// of a cache: see [HoledStack]. The next use of such a line has no distance, and misses in caches of every
// size. A prefetch moves a line to the top. It is not a use: prefetches are counted apart.
package reuse

import (
	"cmp"
	"slices"
	"sync"

	"spoor/analyze/analysis"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Cold and Flushed are the distances, in the table, of a first use, and of a use of a line that was flushed
// since its last use.
const (
	Cold    int64 = -1
	Flushed int64 = -2
)

// Analysis measures the distances of every processor's program. With several processors, it also measures the
// interleaved order.
type Analysis struct {
	Lines       []unit.Bytes // line sizes, powers of two, ascending
	Interleaved bool         // also measure the interleaved order
	Refs        trace.OpSet  // references that use lines; zero: loads and stores
	Sampling    Sampling     // sampled lines; zero: all
	Meta        []trace.Arg  // metadata of the tables

	shards map[trace.Proc]*Shard
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name returns "reuse".
func (a *Analysis) Name() string { return "reuse" }

// NewShard returns the shard of one order. Calls for the same order return the same shard.
func (a *Analysis) NewShard(h trace.Header, p trace.Proc) analysis.Shard {
	if p == trace.Interleaved && (!a.Interleaved || h.Procs < 2) {
		return nil
	}
	if s := a.shards[p]; s != nil {
		return s
	}
	if a.shards == nil {
		a.shards = map[trace.Proc]*Shard{}
	}
	s := &Shard{Proc: p, head: h, refs: cmp.Or(a.Refs, trace.DataOps)}
	for _, line := range a.Lines {
		s.Sizes = append(s.Sizes, &Distances{Line: line, shift: line.Shift(), refs: s.refs, sampling: a.Sampling})
	}
	a.shards[p] = s
	return s
}

// Shard holds the distances of one order at every line size.
type Shard struct {
	Proc  trace.Proc
	Instr unit.Instructions // executed
	Refs  uint64            // references that use lines
	Sizes []*Distances      // by line size

	Path      Path
	Segments  Segments // if KeepSegments was called
	segmenter *segmenter
	refs      trace.OpSet

	Kept   *slice `json:",omitempty"` // instead of Instr, Path and Segments, if the shard sees a slice only
	slicer *slicer
	joiner *joiner
	head   trace.Header
}

// At returns the distances at one of the line sizes. It panics if there is no such size.
func (s *Shard) At(line unit.Bytes) *Distances {
	return s.Sizes[slices.IndexFunc(s.Sizes, func(d *Distances) bool { return d.Line == line })]
}

// Cores sets the number of cores that the shard may use.
func (s *Shard) Cores(n int) {
	for _, d := range s.Sizes {
		d.cores = n / len(s.Sizes)
	}
}

// ShareUses makes the distances at a line size read the chunk's shared uses, which saves a table of lines. It
// has no effect on sampled distances.
func (s *Shard) ShareUses(line unit.Bytes) {
	for _, d := range s.Sizes {
		if d.Line == line && !d.sampling.On() && !d.sliced {
			d.external = true
		}
	}
}

// Add processes the next chunk.
func (s *Shard) Add(p *analysis.Chunk) error {
	var err error
	switch {
	case s.slicer != nil:
		return s.slicer.add(s, p)
	case s.segmenter != nil:
		err = s.segmenter.add(s, p)
	default:
		err = s.add(p)
	}
	s.passed(p)
	return err
}

func (s *Shard) add(p *analysis.Chunk) error {
	s.Instr += p.Instr
	if p.Refs.Len() == 0 {
		return nil
	}
	if err := s.begin(p); err != nil {
		return err
	}
	return s.addTo(&p.Refs, p.Refs.Len())
}

// begin starts a chunk that has references.
func (s *Shard) begin(p *analysis.Chunk) error {
	for _, d := range s.Sizes {
		if err := d.begin(p); err != nil {
			return err
		}
	}
	return nil
}

// addTo processes references of the current chunk. They end at index to.
func (s *Shard) addTo(refs *trace.Refs, to int) error {
	s.Refs += uint64(s.refs.Count(refs.Op))
	for _, d := range s.Sizes {
		if err := d.add(refs, to); err != nil {
			return err
		}
	}
	return nil
}

// End frees everything except the results.
func (s *Shard) End() error {
	switch {
	case s.slicer != nil:
		return s.slicer.end(s)
	case s.joiner != nil:
		s.joiner.end(s)
		return nil
	}
	s.Path.cut(s.work())
	if s.segmenter != nil {
		if err := s.segmenter.end(s); err != nil {
			return err
		}
		s.segmenter = nil
	}
	for _, d := range s.Sizes {
		if err := d.end(); err != nil {
			return err
		}
	}
	return nil
}

// Merge returns the tables: reuse, with a row for each distance that occurs, and curve, with the miss ratio
// by capacity.
func (a *Analysis) Merge(shards []analysis.Shard) (analysis.Result, error) {
	var warnings []error
	rows, curve, sum := histogram{}, curve{}, summary{sampled: a.Sampling.On()}
	var tables sync.WaitGroup // the table of a million distances takes as long as the rest
	for _, add := range []func(*Shard, *Distances){
		func(s *Shard, d *Distances) { rows.add(s.Proc, d) },
		func(s *Shard, d *Distances) { curve.add(s.Proc, d) },
		func(s *Shard, d *Distances) {
			sum.add(s, d)
			warnings = append(warnings, d.warn(s.Proc)...)
		},
	} {
		tables.Go(func() {
			for _, s := range shards {
				shard := s.(*Shard)
				for _, d := range shard.Sizes {
					add(shard, d)
				}
			}
		})
	}
	tables.Wait()
	meta := slices.Concat(a.Meta, a.Sampling.Meta())
	full := rows.table(meta)
	return analysis.Result{Tables: []*store.Table{full, curve.table(meta)}, Full: full, Summary: sum.table(meta),
		Warnings: slices.Concat(a.Sampling.Warn(a.Name()), warnings)}, nil
}
