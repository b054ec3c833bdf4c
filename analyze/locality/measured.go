package locality

import (
	"spoor/analyze/analysis"
	"spoor/analyze/reuse"
	"spoor/traces/unit"
)

// measured is the input of the models: all processors together, each in its own order.
type measured struct {
	reuse.Distances                  // of all processors, pooled
	Footprint       uint64           // largest number of distinct lines of a processor
	Needs           []analysis.Shard // the shards that the current model needs, by processor
	Source          string           // source of the parameters

	sample      sample // the input of fits of the power law
	programs    []reuse.Segments
	paths       []*reuse.Path
	bootstrap   *bootstrap         // nil: too few blocks
	byProcessor []*reuse.Distances // until prepare
	intervals   *curveIntervals    // nil: distances are exact
	instr       unit.Instructions
	refs        uint64
	processors  int // with references
}

func (m *measured) add(s *reuse.Shard) {
	m.instr += s.Instr
	m.refs += s.Refs
	d := s.At(m.Line)
	m.Add(d)
	m.sample.addCold(0, d.Infinite(), 1)
	m.programs, m.byProcessor = append(m.programs, s.Segments), append(m.byProcessor, d)
	m.paths = append(m.paths, &s.Path)
	m.Footprint = max(m.Footprint, d.Footprint())
	if s.Refs > 0 {
		m.processors++
	}
}

// prepare computes the inputs of the fits. Call it after adding all shards.
func (m *measured) prepare(seed uint64) {
	s := &m.sample
	s.footprint = int64(m.Footprint)
	class, n := 0, uint64(0)
	for d, uses := range m.All() {
		for d >= reuse.ClassStart(class+1) {
			s.addUses(class, float64(n))
			class, n = class+1, 0
		}
		n += uses
	}
	s.addUses(class, float64(n))
	m.bootstrap = newBootstrap(m.programs, s.footprint, seed)
	m.intervals, m.byProcessor = newCurveIntervals(m.byProcessor, len(s.uses)), nil
}

// coldRatio returns first uses, and uses of flushed lines, per use.
func (m *measured) coldRatio() float64 { return float64(m.Infinite()) / float64(m.Total()) }

// Points returns the measured curve at the given ascending sizes.
func (m *measured) Points(sizes []int64) []point {
	total := float64(m.Total())
	out := make([]point, len(sizes))
	for i, n := range m.Misses(sizes) {
		out[i] = point{float64(sizes[i]), float64(n) / total}
	}
	return out
}

// octaves returns the sizes at which models are compared: powers of two up to the first that holds the
// footprint.
func octaves(footprint uint64) []int64 {
	out := []int64{1}
	for c := int64(1); uint64(c) < footprint; {
		c *= 2
		out = append(out, c)
	}
	return out
}
