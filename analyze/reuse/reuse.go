// Package reuse finds LRU stack distances, exact or of a sample of lines.
//
// The stack distance of a use of a memory line is the number of distinct other
// lines used since the line's last use; a first use is cold. A fully associative LRU
// cache of C lines hits exactly the uses of distance below C. (Others call the number
// of uses in between, counted with repetition, reuse distance: that is reuse time, and
// is not measured here.)
//
// Only data references use lines: loads and stores. Instruction fetches, prefetches
// and flushes are skipped. A reference that crosses lines uses each of them, in
// order of address.
//
// [mattson1970] R. L. Mattson, J. Gecsei, D. R. Slutz, I. L. Traiger: Evaluation
// techniques for storage hierarchies. IBM Systems Journal 9(2), 1970, pp. 78-117.
//
// [niu2012] Q. Niu, J. Dinan, Q. Lu, P. Sadayappan: PARDA: a fast parallel reuse
// distance analysis algorithm. IPDPS 2012.
package reuse

import (
	"slices"
	"sync"

	"spoor/analyze/analysis"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Cold is the distance of a first use.
const Cold int64 = -1

// Analysis finds the distances of every processor's program and, of more than one
// processor, of the interleaved order.
type Analysis struct {
	Lines       []unit.Bytes // line sizes, powers of two, ascending
	Interleaved bool         // measure the interleaved order too
	Sampling    Sampling     // which lines; all, if it is zero
	Meta        []trace.Arg  // for the tables

	shards map[trace.Proc]*Shard
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name is "reuse".
func (a *Analysis) Name() string { return "reuse" }

// NewShard makes the state for one order, the same one whenever it is asked for the
// same order.
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
	s := &Shard{Proc: p}
	for _, line := range a.Lines {
		s.Sizes = append(s.Sizes, &Distances{Line: line, shift: line.Shift(), sampling: a.Sampling})
	}
	a.shards[p] = s
	return s
}

// Shard is what one order does at every line size.
type Shard struct {
	Proc  trace.Proc
	Instr unit.Instructions // executed
	Refs  uint64            // data references
	Sizes []*Distances      // by line size

	Segments  Segments // if kept
	segmenter *segmenter
}

// At is the distances at one of the line sizes; it panics if that is none of them.
func (s *Shard) At(line unit.Bytes) *Distances {
	return s.Sizes[slices.IndexFunc(s.Sizes, func(d *Distances) bool { return d.Line == line })]
}

// Cores says how many cores the shard may keep busy. One that keeps segments keeps one: where they
// end depends on what has been counted.
func (s *Shard) Cores(n int) {
	if s.segmenter != nil {
		return
	}
	for _, d := range s.Sizes {
		d.cores = n / len(s.Sizes)
	}
}

// ShareUses makes the distances at a line size those of uses that others ask for, which saves a table of lines. A sample has another one.
func (s *Shard) ShareUses(line unit.Bytes) {
	for _, d := range s.Sizes {
		if d.Line == line && !d.sampling.On() {
			d.others = true
		}
	}
}

// Add sees the next piece.
func (s *Shard) Add(p *analysis.Chunk) error {
	if s.segmenter != nil {
		return s.segmenter.add(s, p)
	}
	return s.add(p)
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

// begin goes on to a piece that has references.
func (s *Shard) begin(p *analysis.Chunk) error {
	for _, d := range s.Sizes {
		if err := d.begin(p); err != nil {
			return err
		}
	}
	return nil
}

// addTo adds some references of that piece, up to the one with an index.
func (s *Shard) addTo(refs *trace.Refs, to int) error {
	s.Refs += uint64(trace.CountData(refs.Op))
	for _, d := range s.Sizes {
		if err := d.add(refs, to); err != nil {
			return err
		}
	}
	return nil
}

// End lets go of all but the distances.
func (s *Shard) End() error {
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

// Merge makes the tables: reuse, with a row per distance that occurs, and curve, with
// the miss ratio by capacity.
func (a *Analysis) Merge(shards []analysis.Shard) (analysis.Result, error) {
	var few []error
	rows, curve, sum := histogram{}, curve{}, summary{sampled: a.Sampling.On()}
	var tables sync.WaitGroup // a row for each of a million distances is as much as all else
	for _, add := range []func(*Shard, *Distances){
		func(s *Shard, d *Distances) { rows.add(s.Proc, d) },
		func(s *Shard, d *Distances) { curve.add(s.Proc, d) },
		func(s *Shard, d *Distances) {
			sum.add(s, d)
			few = append(few, d.warn(s.Proc)...)
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
	meta := slices.Concat(a.Meta, a.Sampling.Facts())
	full := rows.table(meta)
	return analysis.Result{Tables: []*store.Table{full, curve.table(meta)}, Full: full, Summary: sum.table(meta),
		Warnings: slices.Concat(a.Sampling.Warn(a.Name()), few)}, nil
}
