package locality

import (
	"encoding/json"
	"fmt"
	"math"

	"spoor/analyze/analysis"
	"spoor/analyze/cache"
	"spoor/analyze/lines"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Shape is that of a set-associative cache. A line belongs to the set of its number modulo the sets.
type Shape struct{ Sets, Ways int64 }

// Associativity is what set-associative caches are held to.
type Associativity struct {
	Shapes   []Shape
	Simulate bool // beside the correction
}

// simulation is the caches of all shapes in one program order.
type simulation struct {
	Misses []uint64 // by shape

	caches []*cache.LRU
	feed   *lines.Feed
}

var _ analysis.MergeableShard = (*simulation)(nil)

func newSimulation(shapes []Shape, line unit.Bytes, procs int) *simulation {
	s := &simulation{Misses: make([]uint64, len(shapes)), feed: lines.NewFeed(line.Shift())}
	for _, shape := range shapes {
		s.caches = append(s.caches, cache.NewLRU(shape.Sets, shape.Ways, procs))
	}
	return s
}

func (s *simulation) Add(p *analysis.Chunk) error {
	if p.Event != nil {
		return nil
	}
	return s.feed.Add(&p.Refs, s)
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

// MarshalJSON keeps the misses.
func (s *simulation) MarshalJSON() ([]byte, error) { return json.Marshal(s.Misses) }

// UnmarshalJSON reads them back.
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

// offBy is an error of the correction that deserves a word.
const offBy = 0.05

// table compares, for all processors, each with caches of its own.
func (a *Associativity) table(m *Measured, simulations []*simulation, meta []trace.Arg) (t *store.Table, warnings []error) {
	sets, ways := make([]int64, len(a.Shapes)), make([]int64, len(a.Shapes))
	full, smith := make([]float64, len(a.Shapes)), make([]float64, len(a.Shapes))
	simulated, off := make([]float64, len(a.Shapes)), make([]float64, len(a.Shapes))
	total := float64(m.Total())
	for i, s := range a.Shapes {
		sets[i], ways[i] = s.Sets, s.Ways
		full[i] = float64(m.Misses([]int64{s.Sets * s.Ways})[0]) / total
		smith[i] = (float64(m.Cold) + corrected(m.Uses, s.Sets, s.Ways)) / total
		for _, f := range m.Far {
			smith[i] += float64(f.Uses) * MissProbability(f.Distance, s.Sets, s.Ways) / total
		}
		for _, p := range simulations {
			simulated[i] += float64(p.Misses[i]) / total
		}
		if off[i] = smith[i] - simulated[i]; a.Simulate && math.Abs(off[i]) > offBy {
			warnings = append(warnings, fmt.Errorf("%d x %d: lines do not spread over sets as if by chance: the correction for set associativity says a miss ratio of %.3g, the simulation %.3g", s.Sets, s.Ways, smith[i], simulated[i]))
		}
	}
	t = &store.Table{Name: "locality_assoc", Meta: meta, Columns: []store.Column{
		{Name: "sets", Data: sets}, {Name: "ways", Data: ways}, {Name: "full", Data: full}, {Name: "corrected", Data: smith}}}
	if a.Simulate {
		t.Columns = append(t.Columns, store.Column{Name: "simulated", Data: simulated}, store.Column{Name: "error", Data: off})
	}
	return t, warnings
}
