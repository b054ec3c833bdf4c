package reuse

import (
	"math"
	"math/bits"
	"slices"

	"spoor/analyze/lines"
)

// sampler finds the distances of a sample of the lines of a stream.
type sampler struct {
	Sampling
	seed   uint64 // mixed
	last   uint64 // hash of a kept line at most: T-1
	asked  uint64 // what that falls to, as there are lines enough
	uses   uint64 // of all lines
	full   *Stack
	groups []*Stack // of parts of the sample, nil while all lines are kept
	bursts []*burst
	found  sampled // by what was kept at higher rates
	old    uint64  // lines that the rate at hand began with
	since  int     // uses since there was a check for too many lines
	kept   []uint64
	parts  [groups][]uint64 // of kept lines
}

// keptLines is how many kept uses are looked at together.
const keptLines = 1 << 12

func newSampler(s Sampling) *sampler {
	t := &sampler{Sampling: s, seed: mix(s.Seed + 1), last: math.MaxUint64, asked: math.MaxUint64, full: NewStack(), kept: make([]uint64, 0, keptLines)}
	if r := s.asked(); r < 1 {
		t.asked = uint64(math.Ldexp(r, 64)) - 1
	}
	if s.least() == 0 && t.asked < t.last {
		t.last = t.asked
		t.full.reset(t.sharing())
		t.split()
	}
	for i, n := range burstKinds {
		t.bursts = append(t.bursts, newBurst(n, mix(t.seed+uint64(i))))
	}
	return t
}

// rate is the share of lines that are kept at present.
func (s *sampler) rate() float64 { return (float64(s.last) + 1) * 0x1p-64 }

const golden = 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio

// mix is as good as random.
func mix(x uint64) uint64 {
	x *= golden
	return (x ^ x>>32) * golden
}

// strataShift is of a stratum: so many neighbouring lines.
const strataShift = 10

// hash is of a line. Within a stratum of neighbours it goes in steps of the golden ratio, which
// spread as evenly as any; every stratum begins at random. So a sample has its
// share of every array, give or take a line for every stratum, where the share by independent hashes varies
// by the square root of the number of lines. The price: of programs that use every s-th line alone, with
// s a Fibonacci number, neighbours are kept or left together, and the share varies
// (2.2 R 1024)^(1/4) times as much as by independent hashes at worst, 2.2 times at a rate of 0.01. Strides of powers of two do not suffer.
func (s *sampler) hash(line uint64) uint64 { return mix(line>>strataShift^s.seed) + line*golden }

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

// fewKept is the last hash where few lines are kept: so few that it pays to look at several at once.
const fewKept = math.MaxUint64 / 32

// filter keeps the lines that are in the sample: there is room for all.
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

// filterEach keeps lines without a branch: which of them are kept is hard to predict.
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

// flush finds the distances of what was kept.
func (s *sampler) flush() error {
	kept := s.kept
	for len(kept) > 0 {
		n := len(kept)
		if s.most() > 0 {
			n = min(n, s.pace()-s.since)
		}
		if err := s.use(kept[:n]); err != nil {
			return err
		}
		kept = kept[n:]
		if s.since += n; s.most() > 0 && s.since == s.pace() {
			s.since = 0
			var err error
			if kept, err = s.limit(kept); err != nil {
				return err
			}
		}
	}
	s.kept = s.kept[:0]
	return nil
}

// use finds the distances of kept lines.
func (s *sampler) use(kept []uint64) error {
	if err := s.full.Touch(kept); err != nil || s.groups == nil {
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

// groups is the number of parts of a sample, whose differences tell its error.
const groups = 16

// group is of a kept line. Every group is itself a sample, at a rate that much lower.
func (s *sampler) group(line uint64) int { return int(s.hash(line) / (s.last/groups + 1)) }

// split begins with empty groups.
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

// sharing says how lines share pages: not, if few neighbours of a line are kept.
func (s *sampler) sharing() lines.Sharing {
	if s.last < math.MaxUint64/8 {
		return lines.Alone
	}
	return lines.Neighbours
}

// most is how many lines are kept at present, 0: as many as there are at the rate. Until the rate is as low as asked for, a quarter
// may go and the least is left.
func (s *sampler) most() int {
	if s.last > s.asked {
		return (s.least() + 2) / 3 * 4
	}
	return s.Lines
}

// pace is after how many uses of kept lines there is a check for too many.
func (s *sampler) pace() int { return s.most() / 16 }

// limit lowers the rate, if there might be too many lines before the next check, and filters what
// is still to be used.
func (s *sampler) limit(rest []uint64) ([]uint64, error) {
	if s.old+s.full.colds()+uint64(s.pace()) <= uint64(s.most()) {
		return rest, nil
	}
	order := s.full.order()
	hashes := make([]uint64, len(order))
	for i, l := range order {
		hashes[i] = s.hash(l)
	}
	slices.Sort(hashes)
	s.collect()
	s.last = s.lower(max(hashes[s.most()/4*3], 1) - 1)
	out := func(l uint64) bool { return s.hash(l) > s.last }
	order, rest = slices.DeleteFunc(order, out), slices.DeleteFunc(rest, out)
	s.full.reset(s.sharing())
	s.split()
	if err := s.use(order); err != nil {
		return nil, err
	}
	s.full.forget()
	for _, g := range s.groups {
		g.forget()
	}
	s.old = uint64(len(order))
	return rest, nil
}

// lower is what the hash of a kept line is at most after a step, which ends at what is asked for.
func (s *sampler) lower(to uint64) uint64 {
	if s.last > s.asked {
		return max(to, s.asked)
	}
	return to
}

// collect adds what was found at the present rate.
func (s *sampler) collect() {
	rate := s.rate()
	uses, cold := s.full.Distances()
	s.found.add(uses, cold, rate)
	if s.varies() {
		s.found.coarsen()
	}
	for g, stack := range s.groups {
		uses, cold := stack.Distances()
		s.found.group[g].add(uses, cold, rate)
	}
}

// end fills d. A sample of all lines is exact.
func (s *sampler) end(d *Distances) error {
	if err := s.flush(); err != nil {
		return err
	}
	if s.last == math.MaxUint64 {
		d.take(s.full)
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
