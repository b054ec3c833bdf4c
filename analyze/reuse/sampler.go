package reuse

import (
	"math"
	"math/bits"
	"slices"

	"spoor/analyze/internal/lines"
)

// sampler measures the distances of a sample of the lines of a stream.
type sampler struct {
	Sampling
	seed           uint64 // hash of Seed
	last           uint64 // largest hash of a kept line: T-1
	targetLast     uint64 // final value of last, if there are enough lines
	uses           uint64 // of all lines
	stack          *Stack
	groups         []*Stack // each for a part of the sample; nil while all lines are kept
	bursts         []*burst
	found          sampled // at higher rates
	carriedLines   uint64  // kept lines when the current rate began
	usesSinceCheck int     // uses since the last check of the number of lines
	kept           []uint64
	parts          [groups][]uint64 // kept lines by group
}

// keptLines is the size of a batch of kept uses.
const keptLines = 1 << 12

func newSampler(s Sampling) *sampler {
	t := &sampler{Sampling: s, seed: mix(s.Seed + 1), last: math.MaxUint64, targetLast: math.MaxUint64, stack: NewStack(), kept: make([]uint64, 0, keptLines)}
	if r := s.targetRate(); r < 1 {
		t.targetLast = uint64(math.Ldexp(r, 64)) - 1
	}
	if s.least() == 0 && t.targetLast < t.last {
		t.last = t.targetLast
		t.stack.reset(t.sharing())
		t.split()
	}
	for i, n := range burstKinds {
		t.bursts = append(t.bursts, newBurst(n, mix(t.seed+uint64(i))))
	}
	return t
}

// rate returns the current share of kept lines.
func (s *sampler) rate() float64 { return (float64(s.last) + 1) * 0x1p-64 }

const golden = 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio

// mix is a hash of 64 bits.
func mix(x uint64) uint64 {
	x *= golden
	return (x ^ x>>32) * golden
}

// stratumShift is the binary logarithm of the size of a stratum of neighbouring lines.
const stratumShift = 10

// hash returns the hash of a line. Within a stratum of neighbours, hashes advance in steps of the golden
// ratio, which spread as evenly as any. Every stratum starts at a random value. So the sampled part of an
// array is off by at most one line per stratum. With independent hashes, the error is the square root of the
// number of lines.
//
// Limitation: if a program uses only every s-th line, and s is a Fibonacci number, then neighbours are kept
// or dropped together. The error is then up to (2.2 R 1024)^(1/4) times that of independent hashes: 2.2 times
// at a rate of 0.01. Strides of powers of two are not affected.
func (s *sampler) hash(line uint64) uint64 { return mix(line>>stratumShift^s.seed) + line*golden }

// Touch uses lines in order.
func (s *sampler) Touch(lines []uint64) error {
	s.uses += uint64(len(lines))
	for _, b := range s.bursts {
		b.touch(lines)
	}
	for len(lines) > 0 {
		part := lines[:min(len(lines), cap(s.kept)-len(s.kept))]
		lines = lines[len(part):]
		s.filter(part)
		if len(s.kept)+batch > cap(s.kept) {
			if err := s.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// fewKept is the value of last below which several lines are checked at once, because few are kept.
const fewKept = math.MaxUint64 / 32

// filter appends the sampled lines to kept, which has room for all.
func (s *sampler) filter(lines []uint64) {
	if s.last > fewKept {
		s.filterEach(lines)
		return
	}
	last := s.last
	for ; len(lines) >= 4; lines = lines[4:] {
		if min(s.hash(lines[0]), s.hash(lines[1]), s.hash(lines[2]), s.hash(lines[3])) <= last {
			s.filterEach(lines[:4])
		}
	}
	s.filterEach(lines)
}

// filterEach does so without a branch, because kept lines are hard to predict.
func (s *sampler) filterEach(lines []uint64) {
	n := len(s.kept)
	kept := s.kept[:cap(s.kept)]
	last := s.last
	for _, l := range lines {
		kept[n] = l
		_, out := bits.Sub64(last, s.hash(l), 0)
		n += 1 - int(out)
	}
	s.kept = kept[:n]
}

// flush measures the distances of the kept lines.
func (s *sampler) flush() error {
	kept := s.kept
	for len(kept) > 0 {
		n := len(kept)
		if s.maxKept() > 0 {
			n = min(n, s.checkInterval()-s.usesSinceCheck)
		}
		if err := s.use(kept[:n]); err != nil {
			return err
		}
		kept = kept[n:]
		if s.usesSinceCheck += n; s.maxKept() > 0 && s.usesSinceCheck == s.checkInterval() {
			s.usesSinceCheck = 0
			var err error
			if kept, err = s.lowerRate(kept); err != nil {
				return err
			}
		}
	}
	s.kept = s.kept[:0]
	return nil
}

// use measures the distances of some kept lines.
func (s *sampler) use(kept []uint64) error {
	if err := s.stack.Touch(kept); err != nil || s.groups == nil {
		return err
	}
	for g := range s.parts {
		s.parts[g] = s.parts[g][:0]
	}
	for _, l := range kept {
		g := s.group(l)
		s.parts[g] = append(s.parts[g], l)
	}
	for g, part := range s.parts {
		if err := s.groups[g].Touch(part); err != nil {
			return err
		}
	}
	return nil
}

// groups is the number of parts of a sample. Their spread is the error of the sample.
const groups = 16

// group returns the group of a kept line. Every group is a sample too, at 1/groups of the rate.
func (s *sampler) group(line uint64) int { return int(s.hash(line) / (s.last/groups + 1)) }

// split starts with empty groups.
func (s *sampler) split() {
	if s.groups == nil {
		s.groups = make([]*Stack, groups)
		for g := range s.groups {
			s.groups[g] = NewStack()
		}
	}
	for _, g := range s.groups {
		g.reset(s.sharing())
	}
}

// sharing returns how lines share pages. They do not share if few neighbours of a line are kept.
func (s *sampler) sharing() lines.Sharing {
	if s.last < math.MaxUint64/8 {
		return lines.Alone
	}
	return lines.Neighbours
}

// maxKept returns the current maximum of kept lines; 0: none. While the rate is above its target, the maximum
// leaves the minimum of lines after a quarter is removed.
func (s *sampler) maxKept() int {
	if s.last > s.targetLast {
		return (s.least() + 2) / 3 * 4
	}
	return s.Lines
}

// checkInterval returns the number of kept uses between checks of the number of lines.
func (s *sampler) checkInterval() int { return s.maxKept() / 16 }

// lowerRate lowers the rate if there might be too many lines before the next check. It returns those uses of
// rest that are still sampled.
func (s *sampler) lowerRate(rest []uint64) ([]uint64, error) {
	if s.carriedLines+s.stack.coldUses()+uint64(s.checkInterval()) <= uint64(s.maxKept()) {
		return rest, nil
	}
	order := s.stack.order()
	hashes := make([]uint64, len(order))
	for i, l := range order {
		hashes[i] = s.hash(l)
	}
	slices.Sort(hashes)
	s.collect()
	s.last = s.nextLast(max(hashes[s.maxKept()/4*3], 1) - 1)
	out := func(l uint64) bool { return s.hash(l) > s.last }
	order, rest = slices.DeleteFunc(order, out), slices.DeleteFunc(rest, out)
	s.stack.reset(s.sharing())
	s.split()
	if err := s.use(order); err != nil {
		return nil, err
	}
	s.stack.resetCounts()
	for _, g := range s.groups {
		g.resetCounts()
	}
	s.carriedLines = uint64(len(order))
	return rest, nil
}

// nextLast returns the new value of last. It does not fall below its target while that is not reached.
func (s *sampler) nextLast(to uint64) uint64 {
	if s.last > s.targetLast {
		return max(to, s.targetLast)
	}
	return to
}

// collect adds what was found at the current rate.
func (s *sampler) collect() {
	rate := s.rate()
	uses, cold := s.stack.Distances()
	s.found.add(uses, cold, rate)
	if s.varies() {
		s.found.coarsen()
	}
	for g, stack := range s.groups {
		uses, cold := stack.Distances()
		s.found.group[g].add(uses, cold, rate)
	}
}

// end fills d. The result is exact if all lines were kept.
func (s *sampler) end(d *Distances) error {
	if err := s.flush(); err != nil {
		return err
	}
	if s.last == math.MaxUint64 {
		d.setExact(s.stack)
		return nil
	}
	d.Rate = s.rate()
	for _, b := range s.bursts {
		b.finish()
	}
	if s.uses > 0 {
		s.collect()
		newEstimate(s).distances(d)
	}
	return nil
}
