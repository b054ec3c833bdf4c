package timeline

import (
	"spoor/predict/engine"
	"spoor/traces/unit"
)

// MostSlices is how many slices of time a run has at most. It has more than half as many, unless it lasts less
// picoseconds than that.
const MostSlices = 256

// Parts is for how long each part of a processor's time lasted, by engine.Part.
type Parts [engine.Waiting + 1]unit.Picos

// Slices observes what processors did in slices of time, for pictures of runs of any length. All slices are equally
// long, a power of two of picoseconds: when the run goes on beyond the last one, they become twice as long. It holds no more
// than 12 KiB for each processor.
type Slices struct {
	engine.NopObserver
	width unit.Picos
	ranks [][]Parts // by slice, up to the last one in which the processor did something
}

// NewSlices observes so many ranks.
func NewSlices(ranks int) *Slices { return &Slices{width: 1, ranks: make([][]Parts, ranks)} }

// Width is how long a slice is.
func (s *Slices) Width() unit.Picos { return s.width }

// Of is what a rank did, by slice. When it has ended there are no more.
func (s *Slices) Rank(rank int) []Parts { return s.ranks[rank] }

// Span implements engine.Observer.
func (s *Slices) Span(rank int32, what engine.Part, from, to unit.Picos) {
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

// widen makes one slice of each two.
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
