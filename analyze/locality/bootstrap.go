package locality

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"spoor/analyze/reuse"
)

// replicates of each bootstrap.
const replicates = 200

// enoughBlocks is how many blocks a bootstrap needs to say anything: four of nearly equal size.
const enoughBlocks = 3.5

// bootstrap is drawn blocks of a run. There are two ways in which runs of the same program could differ, and a block
// bootstrap for each: other phases (or stretches of equal length), with all processors, and other
// processors, with all their phases. Variances of the two add; what they have in common, that of
// drawing single phases of single processors, is taken off once, as in two-way clustered errors [cameron2011].
//
// Blocks are taken as exchangeable. A start that differs from the rest, with most of the first uses, might so come twice or not
// at all, and intervals are wide rather than narrow. They cover what another mix of phases, and other processors, would change, and
// neither another input nor that the law may not fit.
//
// An interval is the value, in logarithms, give or take Student's t times the standard deviation over replicates, with the
// degrees of freedom of Satterthwaite. Blocks of unequal size count as (sum)^2 / sum of squares blocks of equal size.
//
// [cameron2011] A. C. Cameron, J. B. Gelbach, D. L. Miller: Robust inference with multiway
// clustering. Journal of Business & Economic Statistics 29(2), 2011, pp. 238-249.
type bootstrap struct {
	phases, processors, cells drawing
	what                      string // the blocks, for the method
	seed                      uint64
}

// drawing is the replicates of one bootstrap.
type drawing struct {
	samples []sample // all that differ: few blocks are drawn alike again and again
	drawn   []int    // by replicate: its sample
	blocks  float64  // of equal size
}

// newBootstrap draws. It is nil if there are too few blocks.
func newBootstrap(programs []reuse.Segments, footprint int64, seed uint64) *bootstrap {
	b := &bootstrap{seed: seed}
	cells, unit := blocksOf(programs)
	var all, phases, processors []*sample
	for p, row := range cells {
		processors = append(processors, new(sample))
		for i := range row {
			if i == len(phases) {
				phases = append(phases, new(sample))
			}
			phases[i].addSample(&row[i], 1)
			processors[p].addSample(&row[i], 1)
			all = append(all, &row[i])
		}
	}
	var what []string
	b.phases = drawing{blocks: equalBlocks(phases)}
	b.processors = drawing{blocks: equalBlocks(processors)}
	if b.phases.blocks >= enoughBlocks {
		what = append(what, fmt.Sprintf("%d %s", len(phases), unit))
		b.phases.draw(footprint, phases, seed, 1)
	}
	if len(processors) > 1 && (b.phases.samples != nil || b.processors.blocks >= enoughBlocks) {
		what = append(what, fmt.Sprintf("%d processors", len(processors)))
		b.processors.draw(footprint, processors, seed, 2)
		if b.phases.samples != nil {
			b.cells.blocks = equalBlocks(all)
			b.cells.draw(footprint, all, seed, 3)
		}
	}
	if len(what) == 0 {
		return nil
	}
	b.what = strings.Join(what, " and ")
	return b
}

// blocksOf is the segments of each processor that has references: phases if there are enough of them, else even ones.
func blocksOf(programs []reuse.Segments) (cells [][]sample, unit string) {
	cut := func(segments func(*reuse.Segments) []reuse.Segment) (out [][]sample, enough bool) {
		enough = true
		for i := range programs {
			var row []sample
			var all []*sample
			for _, seg := range segments(&programs[i]) {
				row = append(row, sample{})
				row[len(row)-1].add(&seg, 1)
			}
			for j := range row {
				all = append(all, &row[j])
			}
			if n := equalBlocks(all); n > 0 {
				enough = enough && n >= enoughBlocks
				out = append(out, row)
			}
		}
		return out, enough
	}
	if cells, enough := cut(func(s *reuse.Segments) []reuse.Segment { return s.Phases }); enough {
		return cells, "phases between barriers"
	}
	cells, _ = cut(func(s *reuse.Segments) []reuse.Segment { return s.Even })
	return cells, "stretches of equal length"
}

// equalBlocks is how many blocks of equal size tell as much as these.
func equalBlocks(blocks []*sample) float64 {
	var sum, squares float64
	for _, s := range blocks {
		n := s.total()
		sum += n
		squares += n * n
	}
	if sum == 0 {
		return 0
	}
	return sum * sum / squares
}

// draw takes as many blocks as there are, with replacement, again and again.
func (d *drawing) draw(footprint int64, blocks []*sample, seed, stream uint64) {
	r := rand.New(rand.NewPCG(seed, stream))
	var all [][]float64 // by sample: how many times it has each block
	for range replicates {
		times := make([]float64, len(blocks))
		for range blocks {
			times[r.IntN(len(blocks))]++
		}
		at := slices.IndexFunc(all, func(other []float64) bool { return slices.Equal(times, other) })
		if at < 0 {
			at = len(all)
			all = append(all, times)
			d.samples = append(d.samples, mixture(footprint, blocks, times))
		}
		d.drawn = append(d.drawn, at)
	}
}

// mixture is a sample that has each block so many times.
func mixture(footprint int64, blocks []*sample, times []float64) sample {
	s := sample{footprint: footprint}
	for i, n := range times {
		if n > 0 {
			s.addSample(blocks[i], n)
		}
	}
	return s
}

// variance is that of a statistic, by coordinate. Replicates of which it cannot be told are left out.
func (d *drawing) variance(of func(*sample) ([]float64, error)) []float64 {
	told := make([][]float64, len(d.samples))
	for i := range d.samples {
		if v, err := of(&d.samples[i]); err == nil {
			told[i] = v
		}
	}
	var values [][]float64
	for _, i := range d.drawn {
		for j, x := range told[i] {
			if j == len(values) {
				values = append(values, nil)
			}
			values[j] = append(values[j], x)
		}
	}
	out := make([]float64, len(values))
	for j, x := range values {
		if len(x) > replicates/2 {
			out[j] = stat.Variance(x, nil) * d.blocks / max(d.blocks-1, 1) // drawing takes the share 1/blocks off
		} else {
			out[j] = math.Inf(1)
		}
	}
	return out
}

// widths is half the 95 % intervals of a statistic, each at most maxWidth.
func (b *bootstrap) widths(of func(*sample) ([]float64, error)) []float64 {
	phases, processors, cells := b.phases.variance(of), b.processors.variance(of), b.cells.variance(of)
	at := func(v []float64, i int) float64 {
		if i < len(v) {
			return v[i]
		}
		return 0
	}
	out := make([]float64, max(len(phases), len(processors)))
	for i := range out {
		x, y := at(phases, i), at(processors, i)
		if math.IsInf(x+y, 1) {
			out[i] = maxWidth
			continue
		}
		variance := max(x+y-at(cells, i), x, y)
		if variance == 0 {
			continue // all replicates are alike
		}
		free := (x + y) * (x + y) / (x*x/max(b.phases.blocks-1, 1) + y*y/max(b.processors.blocks-1, 1))
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: free}.Quantile(0.975)
		out[i] = min(t*math.Sqrt(variance), maxWidth)
	}
	return out
}

// method says how an interval was found.
func (b *bootstrap) method() string {
	return fmt.Sprintf("interval: bootstrap over %s, %d replicates, seed %d", b.what, replicates, b.seed)
}
