package locality

import (
	"spoor/analyze/analysis"
	"spoor/analyze/reuse"
	"spoor/traces/unit"
)

// Measured is what models are fitted to: the processors together, each in its own order.
type Measured struct {
	reuse.Distances                  // of all processors, pooled
	Footprint       uint64           // distinct lines of the processor that has most
	Needs           []analysis.Shard // what the model at hand needs beside, by processor
	Source          string           // for parameters

	sample     sample // the same, as far as fits of the power law go
	programs   []reuse.Segments
	bootstrap  *bootstrap         // nil: too little to draw from
	each       []*reuse.Distances // by processor
	uncertain  *uncertain         // nil: distances are exact
	instr      unit.Instructions
	refs       uint64
	processors int // with references
}

func (m *Measured) add(s *reuse.Shard) {
	m.instr += s.Instr
	m.refs += s.Refs
	d := s.At(m.Line)
	m.Add(d)
	m.sample.addCold(0, d.Cold, 1)
	m.programs, m.each = append(m.programs, s.Segments), append(m.each, d)
	m.Footprint = max(m.Footprint, d.Footprint())
	if s.Refs > 0 {
		m.processors++
	}
}

// prepare is to be called when all have been added.
func (m *Measured) prepare(seed uint64) {
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
	m.uncertain, m.each = uncertainty(m.each, len(s.uses)), nil
}

// ColdRatio is first uses per use.
func (m *Measured) ColdRatio() float64 { return float64(m.Cold) / float64(m.Total()) }

// Points is the measured curve at the given sizes, which ascend.
func (m *Measured) Points(sizes []int64) []Point {
	total := float64(m.Total())
	out := make([]Point, len(sizes))
	for i, n := range m.Misses(sizes) {
		out[i] = Point{float64(sizes[i]), float64(n) / total}
	}
	return out
}

// octaves are the sizes at which models are judged: the powers of two up to the
// first that holds the footprint.
func octaves(footprint uint64) []int64 {
	out := []int64{1}
	for c := int64(1); uint64(c) < footprint; {
		c *= 2
		out = append(out, c)
	}
	return out
}
