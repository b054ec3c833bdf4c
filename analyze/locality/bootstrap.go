package locality

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	boot "spoor/analyze/bootstrap"
	"spoor/analyze/reuse"
)

// replicates is the number of replicates of each bootstrap.
const replicates = 200

// enoughBlocks is the minimum of effective blocks of a bootstrap: four of nearly equal size.
const enoughBlocks = 3.5

// bootstrap resamples blocks of a run. Runs of the same program could differ in two ways, and each has a
// block bootstrap. The first resamples phases (or parts of equal length), with all processors. The second
// resamples processors, with all their phases. The two variances are added. The variance of resampling single
// phases of single processors is part of both, and is subtracted once, as in two-way clustered errors
// [cameron2011].
//
// Blocks are assumed exchangeable. A start that differs from the rest has most first uses. It may be drawn
// twice or not at all, which makes intervals too wide rather than too narrow. Intervals cover another mix of
// phases and other processors. They do not cover another input, or a law that does not fit.
//
// An interval is symmetric in the logarithm of the value. Its half width is Student's t times the standard
// deviation over replicates, with the degrees of freedom of Satterthwaite. Blocks of unequal size count as
// (sum)^2 / (sum of squares) blocks of equal size.
type bootstrap struct {
	phases, processors, cells resampling
	blocks                    string // description of the blocks, for the method
	seed                      uint64
}

// resampling holds the replicates of one bootstrap.
type resampling struct {
	samples     []sample // distinct replicates: few blocks are often drawn alike
	replicates  []int    // index in samples of each replicate
	equalBlocks float64  // number of blocks of equal size with the same error
}

// newBootstrap draws the replicates. It returns nil if there are too few blocks.
func newBootstrap(programs []reuse.Segments, footprint int64, seed uint64) *bootstrap {
	b := &bootstrap{seed: seed}
	cells, unit := blocksOf(programs)
	var cellSamples, phases, processors []*sample
	for p, row := range cells {
		processors = append(processors, new(sample))
		for i := range row {
			if i == len(phases) {
				phases = append(phases, new(sample))
			}
			phases[i].addSample(&row[i], 1)
			processors[p].addSample(&row[i], 1)
			cellSamples = append(cellSamples, &row[i])
		}
	}
	var blocks []string
	b.phases = resampling{equalBlocks: equalBlocks(phases)}
	b.processors = resampling{equalBlocks: equalBlocks(processors)}
	if b.phases.equalBlocks >= enoughBlocks {
		blocks = append(blocks, fmt.Sprintf("%d %s", len(phases), unit))
		b.phases.draw(footprint, phases, seed, 1)
	}
	if len(processors) > 1 && (b.phases.samples != nil || b.processors.equalBlocks >= enoughBlocks) {
		blocks = append(blocks, fmt.Sprintf("%d processors", len(processors)))
		b.processors.draw(footprint, processors, seed, 2)
		if b.phases.samples != nil {
			b.cells.equalBlocks = equalBlocks(cellSamples)
			b.cells.draw(footprint, cellSamples, seed, 3)
		}
	}
	if len(blocks) == 0 {
		return nil
	}
	b.blocks = strings.Join(blocks, " and ")
	return b
}

// blocksOf returns the segments of each processor that has references. These are phases if there are enough,
// else parts of equal length.
func blocksOf(programs []reuse.Segments) (cells [][]sample, unit string) {
	divide := func(segments func(*reuse.Segments) []reuse.Segment) (out [][]sample, enough bool) {
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
	if cells, enough := divide(func(s *reuse.Segments) []reuse.Segment { return s.Phases }); enough {
		return cells, "phases between barriers"
	}
	cells, _ = divide(func(s *reuse.Segments) []reuse.Segment { return s.Even })
	return cells, "stretches of equal length"
}

// equalBlocks returns the number of blocks of equal size that would have the same error.
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

// draw draws the replicates: as many blocks as there are, with replacement.
func (d *resampling) draw(footprint int64, blocks []*sample, seed, stream uint64) {
	r := rand.New(rand.NewPCG(seed, stream))
	var all [][]float64 // by sample: how often it contains each block
	for range replicates {
		times := boot.Draw[float64](r, len(blocks))
		at := slices.IndexFunc(all, func(other []float64) bool { return slices.Equal(times, other) })
		if at < 0 {
			at = len(all)
			all = append(all, times)
			d.samples = append(d.samples, mixture(footprint, blocks, times))
		}
		d.replicates = append(d.replicates, at)
	}
}

// mixture returns a sample that contains each block the given number of times.
func mixture(footprint int64, blocks []*sample, times []float64) sample {
	s := sample{footprint: footprint}
	for i, n := range times {
		if n > 0 {
			s.addSample(blocks[i], n)
		}
	}
	return s
}

// variance returns the variance of a statistic over replicates, by coordinate. It omits replicates for which
// the statistic returns an error.
func (d *resampling) variance(statistic func(*sample) ([]float64, error)) []float64 {
	results := make([][]float64, len(d.samples))
	for i := range d.samples {
		if v, err := statistic(&d.samples[i]); err == nil {
			results[i] = v
		}
	}
	var values [][]float64
	for _, i := range d.replicates {
		for j, x := range results[i] {
			if j == len(values) {
				values = append(values, nil)
			}
			values[j] = append(values[j], x)
		}
	}
	out := make([]float64, len(values))
	for j, x := range values {
		if len(x) > replicates/2 {
			out[j] = stat.Variance(x, nil) * d.equalBlocks / max(d.equalBlocks-1, 1) // corrects the bias of resampling, a share of 1/blocks
		} else {
			out[j] = math.Inf(1)
		}
	}
	return out
}

// widths returns the half widths of the 95 % intervals of a statistic, each at most maxWidth.
func (b *bootstrap) widths(statistic func(*sample) ([]float64, error)) []float64 {
	phases, processors, cells := b.phases.variance(statistic), b.processors.variance(statistic), b.cells.variance(statistic)
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
			continue // all replicates are equal
		}
		free := (x + y) * (x + y) / (x*x/max(b.phases.equalBlocks-1, 1) + y*y/max(b.processors.equalBlocks-1, 1))
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: free}.Quantile(0.975)
		out[i] = min(t*math.Sqrt(variance), maxWidth)
	}
	return out
}

// method describes how an interval was computed.
func (b *bootstrap) method() string {
	return fmt.Sprintf("interval: bootstrap over %s, %d replicates, seed %d", b.blocks, replicates, b.seed)
}
