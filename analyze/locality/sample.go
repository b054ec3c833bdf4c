package locality

import (
	"math"

	"spoor/analyze/reuse"
)

// sample holds the input of the fits: the number of uses in each class of distance, which is as exact as fits
// can distinguish. Counts are weights, because a bootstrap takes some of them twice.
type sample struct {
	instr, refs float64
	cold        float64
	uses        []float64 // by class of distance
	censored    []float64 // first uses, by class of the number of lines used before
	footprint   int64
}

// total returns the number of uses.
func (s *sample) total() float64 {
	n := s.cold
	for _, c := range s.uses {
		n += c
	}
	return n
}

// add adds a segment the given number of times.
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

// addCold adds n first uses. before is the number of lines used before the first of them.
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

// addSample adds another sample the given number of times.
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

// pointsAbove returns the miss ratio without first uses at the quarter octaves below the footprint.
func (s *sample) pointsAbove() []point {
	reused := s.total() - s.cold
	out := make([]point, 0, len(s.uses)+1)
	left := reused
	for i := 0; reuse.ClassStart(i+1) < s.footprint; i++ {
		if i < len(s.uses) {
			left -= s.uses[i]
		}
		ratio := 1.0 // if there are no such uses
		if reused > 0 {
			ratio = min(max(0, left/reused), 1)
		}
		out = append(out, point{float64(reuse.ClassStart(i + 1)), ratio})
	}
	return out
}

// points returns the miss ratio of all uses at the quarter octaves below the footprint, and at the footprint.
func (s *sample) points() []point {
	out := s.pointsAbove()
	cold := s.cold / s.total()
	for i, q := range out {
		out[i].Ratio = cold + (1-cold)*q.Ratio
	}
	return append(out, point{float64(s.footprint), cold})
}

// twoPoints returns two numbers with the mean, variance and third moment of the integers of a class.
func twoPoints(class int) [2]float64 {
	first, last := float64(reuse.ClassStart(class)), float64(reuse.ClassStart(class+1)-1)
	n := last - first + 1
	mean, deviation := (first+last)/2, math.Sqrt((n*n-1)/12)
	return [2]float64{mean - deviation, mean + deviation}
}
