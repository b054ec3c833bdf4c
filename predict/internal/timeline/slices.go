package timeline

import (
	"spoor/predict/internal/engine/observe"
	"spoor/traces/unit"
)

// MostSlices is the maximum number of slices of a run. A run has more than half as many, unless it is shorter than
// that number of picoseconds.
const MostSlices = 256

// Parts is the duration of each part of a processor's time, indexed by observe.Part.
type Parts [observe.EndPart]unit.Picos

// Slices is an observer that sums up the activity of processors in slices of time, for pictures of runs of any
// length. All slices are equally long, a power of two of picoseconds. When the run goes on beyond the last slice,
// their length doubles. It needs at most 18 KiB for each processor.
type Slices struct {
	observe.NopObserver
	width unit.Picos
	ranks [][]Parts // by slice, up to the last one with activity of the processor
}

// NewSlices returns an observer of ranks.
func NewSlices(ranks int) *Slices { return &Slices{width: 1, ranks: make([][]Parts, ranks)} }

// Width returns the length of a slice.
func (s *Slices) Width() unit.Picos { return s.width }

// Rank returns the activity of a rank, by slice. There are no slices after its end.
func (s *Slices) Rank(rank int) []Parts { return s.ranks[rank] }

// Span implements observe.Observer.
func (s *Slices) Span(rank int32, what observe.Part, from, to unit.Picos) {
	for (to-1)/MostSlices >= s.width {
		s.widen()
	}
	for from < to {
		i, end := int(from/s.width), from+min(to-from, s.width-from%s.width)
		for len(s.ranks[rank]) <= i {
			s.ranks[rank] = append(s.ranks[rank], Parts{})
		}
		s.ranks[rank][i][what] += end - from
		from = end
	}
}

// widen merges each two slices.
func (s *Slices) widen() {
	s.width *= 2
	for r, all := range s.ranks {
		for i, parts := range all {
			if i%2 == 0 {
				all[i/2] = Parts{}
			}
			for k, t := range parts {
				all[i/2][k] += t
			}
		}
		s.ranks[r] = all[:(len(all)+1)/2]
	}
}
