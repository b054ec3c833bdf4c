package reuse

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/definition"
	"spoor/traces/store"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// sampleOf is the distances of a sample of lines, which come so many at a time.
func sampleOf(t testing.TB, s Sampling, lines []uint64, chunk int) *Distances {
	t.Helper()
	d, sampler := new(Distances), newSampler(s)
	for part := range slices.Chunk(lines, chunk) {
		if err := sampler.Touch(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := sampler.end(d); err != nil {
		t.Fatal(err)
	}
	return d
}

func exactly(t testing.TB, lines []uint64) *Distances {
	t.Helper()
	s, d := NewStack(), new(Distances)
	if err := s.Touch(lines); err != nil {
		t.Fatal(err)
	}
	d.setExact(s)
	return d
}

// checkSample holds what was found at all rates to the definition.
func checkSample(t testing.TB, s Sampling, lines []uint64, chunk int) {
	t.Helper()
	fast := newSampler(s)
	naive := naiveSample{Hash: fast.hash, Last: fast.last, Asked: fast.targetLast, Least: s.least(), Lines: s.Lines, Uses: map[uint64]float64{}}
	for _, l := range lines {
		naive.Touch(l)
	}
	for part := range slices.Chunk(lines, chunk) {
		if err := fast.Touch(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := fast.flush(); err != nil {
		t.Fatal(err)
	}
	fast.collect()
	if fast.last != naive.Last || fast.uses != uint64(len(lines)) || math.Abs(fast.found.cold-naive.Cold) > 1e-9*naive.Cold {
		t.Fatalf("%v: last hash %#x, %d uses, cold %v; want %#x, %d, %v", s, fast.last, fast.uses, fast.found.cold, naive.Last, len(lines), naive.Cold)
	}
	got, want := map[uint64]float64{}, map[uint64]float64{}
	for _, f := range fast.found.far {
		got[f.distance] += f.uses
	}
	for d, n := range naive.Uses {
		if s.varies() && bits.Len64(d) > significantBits {
			d = d >> (bits.Len64(d) - significantBits) << (bits.Len64(d) - significantBits)
		}
		want[d] += n
	}
	if len(got) != len(want) {
		t.Fatalf("%v: %d distances, want %d", s, len(got), len(want))
	}
	for d, n := range want {
		if math.Abs(got[d]-n) > 1e-9*n {
			t.Fatalf("%v: %v uses at distance %d, want %v", s, got[d], d, n)
		}
	}
	if !s.varies() && fast.groups != nil {
		checkGroups(t, fast, lines)
	}
}

// checkGroups holds the groups of a sample to samples of their own, at the sixteenth part of the rate.
func checkGroups(t testing.TB, s *sampler, lines []uint64) {
	t.Helper()
	for g, got := range s.found.group {
		n := naiveSample{Hash: s.hash, Last: s.last, Uses: map[uint64]float64{}}
		var want cellCounts
		for _, l := range lines {
			if s.hash(l) > s.last || s.group(l) != g {
				continue
			}
			if d := n.Stack.Touch(l); d == Cold {
				want[cells] += 1 / s.rate()
			} else {
				want[cellOf(uint64(float64(d)/(s.rate()/groups)))] += 1 / s.rate()
			}
		}
		for c := range want {
			if math.Abs(got[c]-want[c]) > 1e-9*want[c] {
				t.Fatalf("group %d, cell %d: %v uses, want %v", g, c, got[c], want[c])
			}
		}
	}
}

func TestSampleIsNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for _, s := range []Sampling{{Rate: 0.5}, {Rate: 0.1, Seed: 7}, {Rate: minRate}, {Lines: minLines}, {Lines: 200, Seed: 3}, {Rate: 0.3, Lines: 100}, {Rate: 0.01, Lines: 1 << 20},
		{Rate: 0.01, Least: 100}, {Rate: 0.3, Least: minLines, Seed: 3}, {Rate: 0.5, Least: 1 << 20}, {Rate: 0.1, Least: 100, Lines: 150}, {Rate: 0.01, Least: 100, Lines: minLines}, {Least: 200, Lines: 300}} {
		for _, stride := range []uint64{1, 610, 1 << 20} {
			lines := make([]uint64, testsize.Cases(30_000, 3000))
			for i := range lines {
				lines[i] = math.MaxUint64 - r.Uint64N(1+r.Uint64N(min(3000, uint64(i)/4+1)))*stride
			}
			for _, chunk := range []int{1, 1000, 1 << 20} {
				checkSample(t, s, lines, chunk)
			}
		}
	}
}

func FuzzSampleIsNaive(f *testing.F) {
	f.Add([]byte("abcabcaabbccxyzabc"), uint16(3), uint64(1), uint16(0), uint16(10))
	f.Add([]byte("a stream with more lines than the sample holds"), uint16(500), uint64(2), uint16(64), uint16(200))
	f.Add([]byte("few lines"), uint16(3), uint64(1), uint16(57), uint16(10))
	f.Fuzz(func(t *testing.T, data []byte, chunk uint16, seed uint64, limit, repeat uint16) {
		s := Sampling{Rate: 1 / float64(1+seed%64), Seed: seed}
		if limit > 0 {
			s.Lines = minLines + int(limit)
		}
		if limit%3 == 0 {
			s.Least = minLines + int(limit%1000)
		}
		var lines []uint64
		for i := range uint64(repeat%512) + 1 {
			for j, b := range data[:min(len(data), 256)] {
				lines = append(lines, uint64(b)*(i%uint64(1+limit))<<(j%50))
			}
		}
		lines = lines[:min(len(lines), 1<<13)] // the definition is slow
		checkSample(t, s, lines, int(chunk)+1)
		checkLaws(t, s, lines, int(chunk)+1)
	})
}

// checkLaws holds estimates to what all distances obey.
func checkLaws(t testing.TB, s Sampling, lines []uint64, chunk int) {
	t.Helper()
	d := sampleOf(t, s, lines, chunk)
	if d.Total() != uint64(len(lines)) || d.Cold > d.Total() || d.Cold == 0 && len(lines) > 0 {
		t.Fatalf("%v: %d uses, %d cold, of %d", s, d.Total(), d.Cold, len(lines))
	}
	last := int64(len(d.Uses)) - 1
	for _, f := range d.Far {
		if f.Distance <= last || f.Uses == 0 || f.Uses > d.Total() {
			t.Fatalf("%v: %d uses at %d, after %d", s, f.Uses, f.Distance, last)
		}
		last = f.Distance
	}
	var capacities []int64
	for c := range min(d.Footprint(), 1<<12) {
		capacities = append(capacities, int64(c+1))
	}
	for i, m := range d.Misses(capacities) {
		ratio := float64(m) / float64(d.Total())
		if lo, hi := d.Interval(capacities[i], ratio); !(0 <= lo && lo <= ratio && ratio <= hi && hi <= 1) {
			t.Fatalf("%v: capacity %d: ratio %v from %v to %v", s, capacities[i], ratio, lo, hi)
		}
	}
}

// A sample of all lines is exact, to the last count.
func TestSampleOfAllIsExact(t *testing.T) {
	for name, lines := range map[string][]uint64{"zipf": zipf(200_000, 5000), "uniform": uniform(50_000, 300), "nothing": nil, "one": {5, 5, 5}} {
		t.Run(name, func(t *testing.T) {
			exact := exactly(t, lines)
			exact.Rate = 0
			if got := sampleOf(t, Sampling{Rate: 1, Lines: 8000}, lines, 1000); !reflect.DeepEqual(got, exact) {
				t.Errorf("%v, want %v", got, exact)
			}
		})
	}
}

// As a mean over seeds, a sample has its share of uses and lines: four standard errors allow for chance.
func TestSampleIsFair(t *testing.T) {
	lines := zipf(20_000, 2000)
	for i := range lines {
		lines[i] *= 37 // several strata
	}
	exact := exactly(t, lines)
	const rate = 0.05
	seeds := testsize.Cases(600, 100)
	uses, cold := make([]float64, seeds), make([]float64, seeds)
	for seed := range seeds {
		s := newSampler(Sampling{Rate: rate, Seed: uint64(seed)})
		if err := s.Touch(lines); err != nil {
			t.Fatal(err)
		}
		if err := s.flush(); err != nil {
			t.Fatal(err)
		}
		s.collect()
		s.found.sum()
		cold[seed], uses[seed] = s.found.cold, s.found.misses(0)
	}
	for name, c := range map[string]struct {
		got  []float64
		want uint64
	}{"uses": {uses, exact.Total()}, "lines": {cold, exact.Cold}} {
		mean, square := 0.0, 0.0
		for _, x := range c.got {
			mean += x / float64(seeds)
			square += x * x / float64(seeds)
		}
		if se := math.Sqrt((square - mean*mean) / float64(seeds)); math.Abs(mean-float64(c.want)) > 4*se {
			t.Errorf("%s: %v on average, standard error %v, want %d", name, mean, se, c.want)
		}
	}
}

// A sample has its share of every array, whatever the stride: nearly exactly, if all its lines are used.
func TestHashIsEven(t *testing.T) {
	for _, stride := range []uint64{1, 2, 3, 7, 13, 21, 34, 55, 64, 89, 610, 987, 1024, 4096, 1 << 20} {
		t.Run(fmt.Sprint(stride), func(t *testing.T) {
			for seed := range testsize.Cases[uint64](20, 5) {
				s := newSampler(Sampling{Rate: 0.05, Seed: seed})
				const n = 100_000
				kept := 0
				for i := range uint64(n) {
					if s.hash(i*stride) <= s.last {
						kept++
					}
				}
				// A stratum has a line more or less. With strides, see hash: independent ones would vary by
				// sqrt(n R (1-R)) = 69.
				most := 4 * 0.5 * math.Sqrt(n>>stratumShift)
				if stride > 1 {
					most = 4 * 69 * math.Pow(2.24*0.05*(1<<stratumShift), 0.25)
				}
				if off := math.Abs(float64(kept) - n*0.05); off > most {
					t.Errorf("stride %d, seed %d: %d of %d lines", stride, seed, kept, n)
				}
			}
		})
	}
}

// Memory of a limited sample does not grow with the trace.
func TestSampleIsLimited(t *testing.T) {
	const limit = 1000
	s := newSampler(Sampling{Lines: limit})
	lines := make([]uint64, 1<<14)
	for i := range uint64(300) {
		for j := range lines {
			lines[j] = (i*uint64(len(lines)) + uint64(j)) / 2 * 5 % (1 << 20)
		}
		if err := s.Touch(lines); err != nil {
			t.Fatal(err)
		}
		if err := s.flush(); err != nil {
			t.Fatal(err)
		}
		if n := s.carriedLines + s.stack.coldUses(); n > limit {
			t.Fatalf("%d lines, more than %d", n, limit)
		}
	}
	if most := 1 << significantBits * 20; len(s.found.far) > most || s.rate()*(1<<20) > limit {
		t.Errorf("rate %v, %d distances, more than %d", s.rate(), len(s.found.far), most)
	}
	d := new(Distances)
	if err := s.end(d); err != nil {
		t.Fatal(err)
	}
	if got, want := float64(d.Cold), 1.0*(1<<20); math.Abs(got-want) > 0.1*want { // of 750 lines, give or take their square root
		t.Errorf("%v lines, want %v", got, want)
	}
}

// Bursts against naive stacks over the same stretches.
func TestBurstIsNaive(t *testing.T) {
	for _, lines := range [][]uint64{zipf(400_000, 3000), uniform(400_000, 3000), uniform(400_000, 3)} {
		checkBurst(t, lines)
		b := newBurst(burstKind{1 << 9, 24, 8}, 5)
		b.touch(lines[:300_000])
		checkBurst(t, lines[:b.now.block<<9+100]) // ends in a block that is measured
	}
}

// How many blocks the first strata have: one for four strata, then two, and so on; after the slow ones two more each. The longest
// blocks have strata that grow by one and a half from the start. All end at the densest.
func TestStrataGrow(t *testing.T) {
	for i, want := range map[int][]uint64{
		0: {1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 9, 11, 13, 15, 16, 16},
		2: {1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 16},
	} {
		b := newBurst(burstKinds[i], 1)
		got := []uint64{b.now.blocks, b.next.blocks}
		for len(got) < len(want) {
			got = append(got, b.draw().blocks)
		}
		if !slices.Equal(got, want) {
			t.Errorf("kind %d: strata of %v blocks, want %v", i, got, want)
		}
	}
}

// In half of the 16 groups x is 9 and in the others 11; in half of either, y is off above the line base + slope x, and below it in the rest.
// So off^2 (16/14) is the variance of one that is left of a fitted line, and off^2/14 that of the slope.
func TestRegressIsLeastSquares(t *testing.T) {
	for _, c := range []struct {
		base, slope, off float64
		on               int
		want             float64 // slope, less the share of its square that is its variance
	}{
		{2, 0.5, 0.5, 3, 0.5 * 13 / 14},
		{2, 0.5, 0, 3, 0.5},
		{2, 0.1, 0.5, 3, 0},          // may be chance
		{20, -1, 0.1, 3, 0},          // no less than no correction
		{-10, 2, 0, 3, 1. * 13 / 14}, // no more than in proportion, 10/10
		{2, 0.5, 0.5, -1, 0},
	} {
		t.Run(fmt.Sprintf("%v %v", c.slope, c.want), func(t *testing.T) {
			var f sampled
			for g := range f.group {
				x, e := 11-float64(g%2*2), 1-float64(g/2%2*2)
				f.group[g][3], f.group[g][5] = x, c.base+c.slope*x+c.off*e
			}
			slope, rest := f.regress(5, c.on, 0)
			left := square(c.off) + square(c.slope-c.want)
			if want := math.Sqrt(16 * left * 16 / 14); math.Abs(slope-c.want) > 1e-9 || math.Abs(rest-want) > 1e-9 {
				t.Errorf("%+v: slope %v and rest %v, want %v and %v", c, slope, rest, c.want, want)
			}
		})
	}
}

// Of 16 groups that a line has been fitted to, 14 degrees of freedom are left: Student's t at 97.5 % is 2.1448.
func TestIntervalIsStudents(t *testing.T) {
	d := &Distances{Far: []Far{{1000, 500}}, Cold: 500}
	e := estimate{uses: 1000, rate: 0.1}
	for c := range e.residual {
		e.residual[c] = 10
	}
	e.intervals(d)
	const capacity, width = 1 << 30, 2.1448 * 10 / 1000
	if lo, hi := d.Interval(capacity, 0.5); math.Abs(0.5-width-lo) > 1e-6 || math.Abs(0.5+width-hi) > 1e-6 {
		t.Errorf("%v to %v, want 0.5 give or take %v", lo, hi, width)
	}
}

// Between capacities that are known, 8 and 10, the ratio is no more than at the former and no less than at the latter.
func TestIntervalInBetween(t *testing.T) {
	d := &Distances{Within: make([]Bounds, cells)}
	d.Within[cellOf(8)], d.Within[cellOf(10)] = Bounds{0.5, 0.6}, Bounds{0.3, 0.4}
	for capacity, want := range map[int64]Bounds{8: {0.5, 0.6}, 9: {0.3, 0.6}, 10: {0.3, 0.4}} {
		t.Run(fmt.Sprint(capacity), func(t *testing.T) {
			if lo, hi := d.Interval(capacity, 0.45); (Bounds{lo, hi}) != want {
				t.Errorf("capacity %d: %v to %v, want %v", capacity, lo, hi, want)
			}
		})
	}
}

func checkBurst(t *testing.T, lines []uint64) {
	t.Helper()
	const block = 1 << 9
	b := newBurst(burstKind{block, 24, 8}, 5)
	places := []sampledBlock{b.now}
	for at := range lines {
		if b.touch(lines[at : at+1]); b.now != places[len(places)-1] {
			places = append(places, b.now)
		}
	}
	b.finish()
	var sum, doubt float64
	misses := make([]float64, len(b.shares)+1)
	for _, p := range places {
		var naive definition.Stack
		first := int(p.block) * block
		for _, l := range lines[min(len(lines), max(0, first-block)):min(len(lines), first)] {
			naive.Touch(l)
		}
		warm := len(naive.Order)
		for _, l := range lines[min(len(lines), first):min(len(lines), first+block)] {
			d := naive.Touch(l)
			sum += float64(p.blocks)
			if d == Cold && warm < 64 && p.block > 1 {
				doubt += float64(p.blocks)
			}
			for c := range misses {
				if d == Cold || d >= int64(c) {
					misses[c] += float64(p.blocks)
				}
			}
		}
	}
	if len(places) < 40 || b.sum != sum || math.Abs(b.doubt[cellOf(64)]-doubt) > 1e-9*doubt {
		t.Fatalf("%d stretches, weight %v, doubt %v; want %v, %v", len(places), b.sum, b.doubt[cellOf(64)], sum, doubt)
	}
	ratios := b.ratios()
	for c := range misses {
		if got, want := ratios[c], misses[c]/sum; math.Abs(got-want) > 1e-9 {
			t.Errorf("capacity %d: ratio %v, want %v", c, got, want)
		}
	}
}

// Every use stands for itself as a mean over seeds, the first ones and the last ones as well: five standard errors allow for chance.
func TestBurstIsFair(t *testing.T) {
	const block, blocks = 1 << 6, 150
	seeds := testsize.Cases(10_000, 2000)
	lines := make([]uint64, block*blocks-block/2) // the last block is not whole
	stands := make([]float64, blocks)
	for seed := range uint64(seeds) {
		b := newBurst(burstKind{block, 24, 8}, mix(seed))
		for now := (sampledBlock{}); len(lines) > int(b.uses); {
			if b.now != now {
				now = b.now
				if now.block < blocks {
					stands[now.block] += float64(now.blocks) / float64(seeds)
				}
			}
			b.touch(lines[b.uses:min(len(lines), int(b.uses)+block)])
		}
	}
	most := 5 * math.Sqrt((minStratumBlocks-1.)/float64(seeds)) // of strata of so many blocks
	for i, n := range stands {
		if math.Abs(n-1) > most {
			t.Errorf("block %d stands for %v", i, n)
		}
	}
}

// The exact curve is within the 95 % interval about 95 times of 100, over capacities and seeds, for programs
// of different kinds. Intervals are wider than necessary in two cases: where the curve falls steeply, and
// where arrays are sampled more evenly than the groups of the sample show.
func TestIntervalsCover(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const seeds = 20
	for name, c := range map[string]struct {
		lines []uint64
		s     Sampling
		least float64 // share of intervals: chance, and programs whose uses depend on each other, take from 0.95
		worst float64 // error of a ratio, over all capacities and seeds
	}{
		"zipf":    {zipf(1_000_000, 1<<15), Sampling{Rate: 0.1}, 0.93, 0.02},
		"uniform": {uniform(1_000_000, 1<<14), Sampling{Rate: 0.1}, 0.93, 0.02},
		"matmul":  {matmul(80), Sampling{Rate: 0.1}, 0.90, 0.02},   // its curve is flat but for steps, and its stretches are alike: intervals are narrow
		"fallen":  {matmul(80), Sampling{Lines: 1000}, 0.93, 0.02}, // the rate falls on the way, to what is not a power of two
		"phases":  {phased(1_000_000), Sampling{Rate: 0.1}, 0.93, 0.05},
		"limited": {zipf(1_000_000, 1<<15), Sampling{Lines: 4000}, 0.93, 0.02},
		"least":   {zipf(1_000_000, 1<<15), Sampling{Rate: 0.01, Least: enoughLines}, 0.93, 0.02},
	} {
		t.Run(name, func(t *testing.T) {
			var capacities []int64
			for size := int64(1); size < int64(exactly(t, c.lines).Cold); size *= 2 {
				capacities = append(capacities, size)
			}
			covered, worst := 0, 0.0
			excess := 0.0
			for _, j := range judge(t, c.s, c.lines, capacities, seeds) {
				covered += j.covered
				worst = max(worst, j.worst)
				excess = max(excess, j.ours-j.plain)
			}
			share := float64(covered) / float64(seeds*len(capacities))
			t.Logf("%.3f covered, worst error %.4f; root mean square at most %.4f above that of SHARDS-adj", share, worst, excess)
			if share < c.least || worst > c.worst {
				t.Errorf("%.3f of intervals have the exact ratio, worst error %v; want %v and %v", share, worst, c.least, c.worst)
			}
		})
	}
}

// judgement is of what samples say of a capacity.
type judgement struct {
	covered     int     // intervals with the exact ratio
	worst       float64 // error
	ours, plain float64 // root mean square errors: of curves, and by SHARDS-adj from the same lines
}

// judge compares curves of so many seeds with the exact one.
func judge(t *testing.T, s Sampling, lines []uint64, capacities []int64, seeds int) []judgement {
	t.Helper()
	out := make([]judgement, len(capacities))
	want, uses := exactly(t, lines).Misses(capacities), float64(len(lines))
	for seed := range seeds {
		s.Seed = uint64(seed)
		sampler, d := newSampler(s), new(Distances)
		if err := cmp.Or(sampler.Touch(lines), sampler.end(d)); err != nil {
			t.Fatal(err)
		}
		for i, m := range d.Misses(capacities) {
			j, ratio, truth := &out[i], float64(m)/uses, float64(want[i])/uses
			if lo, hi := d.Interval(capacities[i], ratio); lo <= truth && truth <= hi {
				j.covered++
			}
			j.worst = max(j.worst, math.Abs(ratio-truth))
			j.ours += square(ratio-truth) / float64(seeds)
			j.plain += square(sampler.found.misses(float64(capacities[i]))/uses-truth) / float64(seeds)
		}
	}
	for i := range out {
		out[i].ours, out[i].plain = math.Sqrt(out[i].ours), math.Sqrt(out[i].plain)
	}
	return out
}

// Few and unlike phases: 95 % intervals hold the exact ratio at every capacity, and curves are no worse than those of SHARDS-adj from
// the same lines.
func TestScansAreSeen(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many samples of a long stream")
	}
	lines := zipf(400_000, 1<<15)
	for i := range lines {
		if i/20_000%4 == 3 {
			lines[i] = 1<<15 + uint64(i%9000)
		}
	}
	capacities := []int64{32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384}
	for _, s := range []Sampling{{Rate: 0.05}, {Lines: 1000}} {
		const seeds = 40
		least, most := 1.0, 0.0
		for i, j := range judge(t, s, lines, capacities, seeds) {
			share, error := float64(j.covered)/float64(seeds), j.ours/j.plain
			if share < 0.9 || error > 1.1 {
				t.Errorf("%v: capacity %d: %.3f of intervals have the exact ratio, error %.2f of that of SHARDS-adj", s, capacities[i], share, error)
			}
			least, most = min(least, share), max(most, error)
		}
		t.Logf("%v: %.3f covered at least, error %.2f of that of SHARDS-adj at most", s, least, most)
	}
}

// phased goes from one working set to the next, each larger and elsewhere.
func phased(n int) []uint64 {
	r := rand.New(rand.NewPCG(2, 2))
	out := make([]uint64, n)
	for i := range out {
		phase := uint64(i * 16 / n)
		if i%3 == 0 {
			out[i] = uint64(i/3) % (phase + 1) << 30
		} else {
			out[i] = phase<<32 + r.Uint64N(1+r.Uint64N(200<<(phase%8)))
		}
	}
	return out
}

// Results of a sample do not depend on how the trace is read, nor on whether shards were kept meanwhile;
// its tables say that it is one.
func TestSampledTables(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	m := &trace.Memory{Head: trace.Header{Procs: 2}}
	for p := range 2 {
		refs := trace.Refs{Proc: trace.Proc(p)}
		for range testsize.Cases(60_000, 10_000) {
			refs.Append(uint32(r.IntN(4)), r.Uint64N(1+r.Uint64N(1<<20)), uint16(1+r.IntN(100)), trace.Ops[r.IntN(int(trace.Ifetch))])
		}
		m.RefsOf = append(m.RefsOf, refs)
	}
	for _, s := range []Sampling{{Rate: 0.2, Seed: 5}, {Lines: 500}} {
		var first analysis.Result
		for i, n := range []int{0, 7, 1000} {
			a := &Analysis{Lines: []unit.Bytes{32, 64}, Interleaved: true, Sampling: s}
			got := runIt(t, m.InBatches(n), a)
			if i == 0 {
				first = got
			}
			if !reflect.DeepEqual(got, first) {
				t.Errorf("%v: batches of %d make a difference", s, n)
			}
			if kept := keptAndRead(t, a); !reflect.DeepEqual(kept.Tables, first.Tables) {
				t.Errorf("%v: keeping shards makes a difference", s)
			}
		}
		results, err := analysis.Run(context.Background(), m, analysis.Options{}, &Analysis{Lines: []unit.Bytes{32, 64}, Interleaved: true, Sampling: s}, asker{64})
		if err != nil || !reflect.DeepEqual(results[0], first) {
			t.Errorf("%v: one who asks for uses makes a difference: %v", s, err)
		}
		full := first.Tables[0]
		if full.Fact("sample_rate") == "" || full.Fact("sample_seed") != fmt.Sprint(s.Seed) || len(first.Warnings) == 0 {
			t.Errorf("%v: facts %v, warnings %v", s, full.Meta, first.Warnings)
		}
	}
	exact := runIt(t, m, &Analysis{Lines: []unit.Bytes{64}})
	ratio, _ := store.Data[float64](exact.Tables[1], "ratio")
	lo, _ := store.Data[float64](exact.Tables[1], "lo")
	hi, err := store.Data[float64](exact.Tables[1], "hi")
	if err != nil || !slices.Equal(ratio, lo) || !slices.Equal(ratio, hi) || exact.Tables[0].Fact("sample_rate") != "" || len(exact.Warnings) > 0 {
		t.Errorf("exact: intervals %v to %v of %v, %v, %v", lo, hi, ratio, exact.Tables[0].Meta, err)
	}
}

// keptAndRead merges shards that went through JSON.
func keptAndRead(t *testing.T, a *Analysis) analysis.Result {
	t.Helper()
	fresh := &Analysis{Lines: a.Lines, Interleaved: a.Interleaved, Sampling: a.Sampling}
	var shards []analysis.Shard
	for _, p := range []trace.Proc{trace.Interleaved, 0, 1} {
		text, err := json.Marshal(a.shards[p])
		if err != nil {
			t.Fatal(err)
		}
		s := fresh.NewShard(trace.Header{Procs: 2}, p)
		if err := json.Unmarshal(text, s); err != nil {
			t.Fatal(err)
		}
		shards = append(shards, s)
	}
	result, err := fresh.Merge(shards)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestSamplingCheck(t *testing.T) {
	for _, s := range []Sampling{{Rate: -1}, {Rate: 1.5}, {Rate: math.NaN()}, {Rate: minRate / 2}, {Lines: minLines - 1}, {Lines: -1}, {Least: minLines - 1}, {Least: -1}, {Lines: 1 << 41}} {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			if s.check() == nil {
				t.Errorf("%+v passes", s)
			}
		})
	}
	for _, s := range []Sampling{{}, {Rate: 1}, {Rate: minRate}, {Lines: minLines}, {Least: minLines}} {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			if err := s.check(); err != nil {
				t.Errorf("%+v: %v", s, err)
			}
		})
	}
}

// naiveSample is the definition of sampled distances. Only lines whose hash is at most a limit are used. Each
// use counts 1/rate times. Tests compare [Sampling] without bursts with it.
type naiveSample struct {
	definition.Stack
	Hash  func(line uint64) uint64
	Last  uint64 // largest hash of a kept line
	Asked uint64 // the lowest value of Last while there are Least lines
	Least int    // 0: Last is constant
	Lines int    // at most this many kept lines; 0: no limit
	Uses  map[uint64]float64
	Cold  float64

	since int // kept uses since the last check of the number of lines
}

// Touch uses a line.
func (n *naiveSample) Touch(line uint64) {
	if n.Hash(line) > n.Last {
		return
	}
	rate := (float64(n.Last) + 1) / (1 << 64)
	if d := n.Stack.Touch(line); d == Cold {
		n.Cold += 1 / rate
	} else {
		n.Uses[uint64(float64(d)/rate)] += 1 / rate
	}
	most, end := n.Lines, uint64(0)
	if n.Last > n.Asked {
		most, end = (n.Least+2)/3*4, n.Asked
	}
	pace := most / 16
	if n.since++; most == 0 || n.since < pace {
		return
	}
	n.since = 0
	if len(n.Order)+pace <= most {
		return
	}
	var hashes []uint64
	for _, l := range n.Order {
		hashes = append(hashes, n.Hash(l))
	}
	slices.Sort(hashes)
	n.Last = max(hashes[most/4*3]-1, end)
	n.Order = slices.DeleteFunc(n.Order, func(l uint64) bool { return n.Hash(l) > n.Last })
}
