package locality

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"

	"spoor/analyze/analysis"
	"spoor/analyze/cache"
	"spoor/analyze/internal/lines"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Shape is the shape of a set-associative cache. A line belongs to the set of its number modulo Sets.
type Shape struct{ Sets, Ways int64 }

// Associativity lists the set-associative caches that the analysis computes.
type Associativity struct {
	Shapes   []Shape
	Simulate bool // also simulate them, not only correct the fully associative curve
}

// simulation simulates the caches of all shapes for one program order.
type simulation struct {
	Misses []uint64 // by shape

	caches []*cache.LRU
	feed   *lines.Feed
}

var _ analysis.MergeableShard = (*simulation)(nil)

func newSimulation(shapes []Shape, line unit.Bytes, refs trace.OpSet, procs int) *simulation {
	s := &simulation{Misses: make([]uint64, len(shapes)), feed: lines.NewFeed(line.Shift(), cmp.Or(refs, trace.DataOps))}
	for _, shape := range shapes {
		s.caches = append(s.caches, cache.NewLRU(shape.Sets, shape.Ways, procs))
	}
	return s
}

func (s *simulation) Add(p *analysis.Chunk) error {
	if p.Event != nil {
		return nil
	}
	if p.Moves != 0 {
		return s.move(p)
	}
	return s.feed.Add(&p.Refs, s)
}

// move simulates a chunk of prefetches or flushes, which are no uses.
func (s *simulation) move(p *analysis.Chunk) error {
	if err := s.feed.Flush(s); err != nil {
		return err
	}
	s.feed.Each(&p.Refs, func(line uint64) {
		for _, c := range s.caches {
			if p.Moves == trace.Flush {
				c.Drop(line)
			} else {
				c.Misses([]uint64{line})
			}
		}
	})
	return nil
}

// Touch uses lines in order.
func (s *simulation) Touch(lines []uint64) error {
	for i, c := range s.caches {
		s.Misses[i] += c.Misses(lines)
	}
	return nil
}

func (s *simulation) End() error {
	err := s.feed.Flush(s)
	s.caches, s.feed = nil, nil
	return err
}

// MarshalJSON encodes the misses.
func (s *simulation) MarshalJSON() ([]byte, error) { return json.Marshal(s.Misses) }

// UnmarshalJSON decodes them.
func (s *simulation) UnmarshalJSON(text []byte) error {
	var read []uint64
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	if len(read) != len(s.Misses) {
		return fmt.Errorf("misses of %d caches, want %d", len(read), len(s.Misses))
	}
	s.Misses = read
	return nil
}

// maxUnnotedError is the absolute error of the correction above which a warning appears.
const maxUnnotedError = 0.05

// table compares the caches for all processors, each with its own caches.
func (a *Associativity) table(m *measured, simulations []*simulation, meta []trace.Arg) (t *store.Table, warnings []error) {
	sets, ways := make([]int64, len(a.Shapes)), make([]int64, len(a.Shapes))
	full, smith := make([]float64, len(a.Shapes)), make([]float64, len(a.Shapes))
	simulated, off := make([]float64, len(a.Shapes)), make([]float64, len(a.Shapes))
	total := float64(m.Total())
	for i, s := range a.Shapes {
		sets[i], ways[i] = s.Sets, s.Ways
		full[i] = float64(m.Misses([]int64{s.Sets * s.Ways})[0]) / total
		smith[i] = (float64(m.Infinite()) + corrected(m.Uses, s.Sets, s.Ways)) / total
		for _, f := range m.Far {
			smith[i] += float64(f.Uses) * missProbability(f.Distance, s.Sets, s.Ways) / total
		}
		for _, p := range simulations {
			simulated[i] += float64(p.Misses[i]) / total
		}
		if off[i] = smith[i] - simulated[i]; a.Simulate && math.Abs(off[i]) > maxUnnotedError {
			warnings = append(warnings, fmt.Errorf("cache of %d sets x %d ways: lines do not fall into sets at random: miss ratio %.3g by the correction for associativity, %.3g by simulation", s.Sets, s.Ways, smith[i], simulated[i]))
		}
	}
	t = &store.Table{Name: "locality_assoc", Meta: meta, Columns: []store.Column{
		{Name: "sets", Data: sets}, {Name: "ways", Data: ways}, {Name: "full", Data: full}, {Name: "corrected", Data: smith}}}
	if a.Simulate {
		t.Columns = append(t.Columns, store.Column{Name: "simulated", Data: simulated}, store.Column{Name: "error", Data: off})
	}
	return t, warnings
}
