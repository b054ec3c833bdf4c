// Package reusetime measures reuse times. From them it computes average footprints, working sets, and the
// miss ratios of caches, alone and shared. Its models need no stack distances.
//
// Three terms are easily confused. They describe two uses of one line, with only other lines in between:
//
//   - the reuse time is how many uses later the second use is: 1 if nothing lies between [hu2016, xiang2013];
//   - the stack distance is the number of distinct other lines in between [mattson1970]; see package reuse;
//   - "reuse distance" means the stack distance to most authors. To others it is the number of uses in between,
//     the reuse time less 1 [eklov2010]. This project does not use the term.
//
// The footprint of a window is the number of distinct lines in it. fp(w) is its average over all windows of w
// uses [xiang2013]. Denning's working set is the same for the windows that end at each use, including those
// that the start of the stream cuts [denning1968]. See [Profile.Footprint] and [Profile.WorkingSet].
//
// Package reuse says which references use lines. A use is of one line: a reference that crosses lines has
// several.
//
// Memory is one word for each distinct line, and histograms of bounded size, see [Histogram].
package reusetime

import (
	"slices"
	"sync"

	"spoor/analyze/analysis"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Analysis measures the times of every processor's program. With several processors, it also measures the
// interleaved order.
type Analysis struct {
	Lines       []unit.Bytes // line sizes, powers of two, ascending
	Refs        trace.OpSet  // references that use lines, as declared; the run says which; zero: loads and stores
	Interleaved bool         // also measure the interleaved order
	Meta        []trace.Arg  // metadata of the tables

	shards map[trace.Proc]*Shard
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name returns "reuse_time".
func (a *Analysis) Name() string { return "reuse_time" }

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
	s := &Shard{Proc: p}
	for _, line := range a.Lines {
		t := &Times{Line: line}
		s.Sizes = append(s.Sizes, t)
		s.counters = append(s.counters, &counter{times: t})
	}
	a.shards[p] = s
	return s
}

// Shard holds the times of one order at every line size.
type Shard struct {
	Proc    trace.Proc
	Elapsed unit.Instructions // end of the order, waiting included
	Sizes   []*Times          // by line size

	counters []*counter // by line size
}

// Times holds the times of one order for one line size.
type Times struct {
	Line  unit.Bytes `json:"-"`
	Uses  uint64
	Lines uint64    // distinct lines
	Reuse Histogram // reuse times of all uses except first uses
	First Histogram // positions of the lines' first uses, from 1
	Last  Histogram // positions of the lines' last uses, counted from the end, from 1

	once    sync.Once // several analyses use the profile
	profile *Profile
}

// At returns the times at one of the line sizes. It panics if there is no such size.
func (s *Shard) At(line unit.Bytes) *Times {
	return s.Sizes[slices.IndexFunc(s.Sizes, func(t *Times) bool { return t.Line == line })]
}

// Add processes the next chunk.
func (s *Shard) Add(p *analysis.Chunk) error {
	s.Elapsed = max(s.Elapsed, p.Time)
	if p.Refs.Len() == 0 || p.Moves != 0 {
		return nil
	}
	for _, c := range s.counters {
		uses, err := p.Uses(c.times.Line)
		if err != nil {
			return err
		}
		c.add(uses)
	}
	return nil
}

// LineSizes returns all line sizes.
func (s *Shard) LineSizes() (sizes []unit.Bytes) {
	for _, t := range s.Sizes {
		sizes = append(sizes, t.Line)
	}
	return sizes
}

// End frees everything except the times.
func (s *Shard) End() error {
	for _, c := range s.counters {
		c.end()
	}
	s.counters = nil
	return nil
}

// Profile returns the profile of the times. Call it only after End.
func (t *Times) Profile() *Profile {
	t.once.Do(func() { t.profile = newProfile(&t.Reuse, &t.First, &t.Last) })
	return t.profile
}

// Merge returns the tables, see [Columns].
func (a *Analysis) Merge(shards []analysis.Shard) (analysis.Result, error) {
	var times timeRows
	var windows windowRows
	var sum summary
	for _, s := range shards {
		shard := s.(*Shard)
		for _, t := range shard.Sizes {
			p := t.Profile()
			times.add(shard.Proc, t)
			windows.add(shard, t, p)
			sum.add(shard.Proc, t, p)
		}
	}
	full := times.table(a.Meta)
	return analysis.Result{Tables: []*store.Table{full, windows.table(a.Meta)}, Full: full, Summary: sum.table(a.Meta)}, nil
}
