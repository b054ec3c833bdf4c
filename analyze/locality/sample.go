package locality

import (
	"math"

	"spoor/analyze/reuse"
)

// sample is what the fits need of uses: how many there are in each class of distance, which is
// as exact as the fits can tell apart. Counts are weights: the bootstrap takes some twice.
type sample struct {
	instr, refs float64
	cold        float64
	uses        []float64 // by class of distance
	censored    []float64 // cold uses, by class of the number of lines used before them
	footprint   int64
}

// total is the number of uses.
func (s *sample) total() float64 {
	n := s.cold
	for _, c := range s.uses {
		n += c
	}
	return n
}

// add takes a segment in, so many times.
func (s *sample) add(seg *reuse.Segment, times float64) {
	s.instr += times * float64(seg.Instr)
	s.refs += times * float64(seg.Refs)
	for i, n := range seg.Uses {
		s.addUses(i, times*float64(n))
	}
	s.addCold(seg.Before, seg.Cold, times)
}

func (s *sample) addUses(class int, n float64) {
	for class >= len(s.uses) {
		s.uses = append(s.uses, 0)
	}
	s.uses[class] += n
}

// addCold takes first uses in, before the first of which so many lines were used.
func (s *sample) addCold(before, n uint64, times float64) {
	s.cold += times * float64(n)
	for i, from, end := 0, int64(before), int64(before+n); from < end; i++ {
		if next := min(end, reuse.ClassStart(i+1)); from < next {
			for i >= len(s.censored) {
				s.censored = append(s.censored, 0)
			}
			s.censored[i] += times * float64(next-from)
			from = next
		}
	}
}

// addSample takes another sample in, so many times.
func (s *sample) addSample(t *sample, times float64) {
	s.instr += times * t.instr
	s.refs += times * t.refs
	s.cold += times * t.cold
	s.uses = addScaled(s.uses, t.uses, times)
	s.censored = addScaled(s.censored, t.censored, times)
}

func addScaled(to, from []float64, times float64) []float64 {
	if more := len(from) - len(to); more > 0 {
		to = append(to, make([]float64, more)...)
	}
	for i, n := range from {
		to[i] += times * n
	}
	return to
}

// pointsAbove is the miss ratio of uses that are not cold at the quarter octaves below the footprint.
func (s *sample) pointsAbove() []Point {
	reused := s.total() - s.cold
	out := make([]Point, 0, len(s.uses)+1)
	left := reused
	for i := 0; reuse.ClassStart(i+1) < s.footprint; i++ {
		if i < len(s.uses) {
			left -= s.uses[i]
		}
		ratio := 1.0 // if there are none
		if reused > 0 {
			ratio = min(max(0, left/reused), 1)
		}
		out = append(out, Point{float64(reuse.ClassStart(i + 1)), ratio})
	}
	return out
}

// points is the miss ratio of all uses at the quarter octaves below the footprint, and there.
func (s *sample) points() []Point {
	out := s.pointsAbove()
	cold := s.cold / s.total()
	for i, q := range out {
		out[i].Ratio = cold + (1-cold)*q.Ratio
	}
	return append(out, Point{float64(s.footprint), cold})
}

// spread is two numbers with mean, variance and third moment of the whole numbers of a class.
func spread(class int) [2]float64 {
	first, last := float64(reuse.ClassStart(class)), float64(reuse.ClassStart(class+1)-1)
	n := last - first + 1
	mean, deviation := (first+last)/2, math.Sqrt((n*n-1)/12)
	return [2]float64{mean - deviation, mean + deviation}
}
