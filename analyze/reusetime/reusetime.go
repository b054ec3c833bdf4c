// Package reusetime finds reuse times, and from them average footprints, working sets and the miss ratios of
// caches, alone and shared, by models that need no stack distances.
//
// Three things go by confusing names. Of two uses of one line with nothing but other lines in between:
//
//   - the reuse time is how many uses later the second one is: 1 if nothing lies between [hu2016, xiang2013];
//   - the stack distance is how many distinct other lines lie between [mattson1970]; see package reuse;
//   - "reuse distance" is the stack distance to most authors, but the number of uses between, the reuse
//     time less 1, to others [eklov2010]. The name is not used here.
//
// The footprint of a window is the number of distinct lines in it, and fp(w) its average over all windows of w
// uses [xiang2013]; Denning's working set is the same of the windows that end at each use,
// those cut by the start of the stream included [denning1968]. See [Profile.Footprint] and [Profile.WorkingSet].
//
// What uses lines is said at package reuse. A use is of one line: a reference that crosses lines has several.
//
// Memory is one word for each distinct line, and histograms of bounded size: see [Histogram].
//
// [denning1968] P. J. Denning: The working set model for program behavior. Communications of the ACM 11(5),
// 1968, pp. 323-333.
//
// [denning1972] P. J. Denning, S. C. Schwartz: Properties of the working-set model. Communications of the
// ACM 15(3), 1972, pp. 191-198.
//
// [mattson1970] see package reuse.
//
// [eklov2010] D. Eklov, E. Hagersten: StatStack: efficient modeling of LRU caches. ISPASS 2010, pp. 55-65.
//
// [xiang2013] X. Xiang, C. Ding, H. Luo, B. Bao: HOTL: a higher order theory of locality. ASPLOS 2013,
// pp. 343-356.
//
// [brock2015] J. Brock, C. Ye, C. Ding, Y. Li, X. Wang, Y. Luo: Optimal cache partition-sharing. ICPP 2015,
// pp. 749-758.
//
// [hu2016] X. Hu, X. Wang, L. Zhou, Y. Luo, C. Ding, Z. Wang: Kinetic modeling of data eviction in cache. USENIX
// ATC 2016, pp. 351-364.
package reusetime

import (
	"slices"
	"sync"

	"spoor/analyze/analysis"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Analysis finds the times of every processor's program and, of more than one processor, of the
// interleaved order.
type Analysis struct {
	Lines       []unit.Bytes // line sizes, powers of two, ascending
	Interleaved bool         // measure the interleaved order too
	Meta        []trace.Arg  // for the tables

	shards map[trace.Proc]*Shard
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name is "reuse_time".
func (a *Analysis) Name() string { return "reuse_time" }

// NewShard makes the state for one order, the same one whenever it is asked for the same order.
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

// Shard is the times of one order at every line size.
type Shard struct {
	Proc    trace.Proc
	Elapsed unit.Instructions // when the order ends, waiting included
	Sizes   []*Times          // by line size

	counters []*counter // likewise
}

// Times is what one order does with lines of one size.
type Times struct {
	Line  unit.Bytes `json:"-"`
	Uses  uint64
	Lines uint64    // distinct
	Reuse Histogram // reuse times of all uses but first ones
	First Histogram // positions of the lines' first uses, from 1
	Last  Histogram // positions of the lines' last uses, counted from the end, from 1

	once    sync.Once // several analyses ask for the profile
	profile *Profile
}

// At is the times at one of the line sizes; it panics if that is none of them.
func (s *Shard) At(line unit.Bytes) *Times {
	return s.Sizes[slices.IndexFunc(s.Sizes, func(t *Times) bool { return t.Line == line })]
}

// Add sees the next piece.
func (s *Shard) Add(p *analysis.Chunk) error {
	s.Elapsed = max(s.Elapsed, p.Time)
	if p.Refs.Len() == 0 {
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

// LineSizes is all line sizes.
func (s *Shard) LineSizes() (sizes []unit.Bytes) {
	for _, t := range s.Sizes {
		sizes = append(sizes, t.Line)
	}
	return sizes
}

// End lets go of all but the times.
func (s *Shard) End() error {
	for _, c := range s.counters {
		c.end()
	}
	s.counters = nil
	return nil
}

// Profile is what the times, once all are known, say of windows and caches.
func (t *Times) Profile() *Profile {
	t.once.Do(func() { t.profile = newProfile(&t.Reuse, &t.First, &t.Last) })
	return t.profile
}

// Merge makes the tables; see [Columns].
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
