// Package locality sums the locality of a program up in three numbers: alpha and beta
// of the power law, and gamma, the share of instructions that refer to memory.
//
// [du2000] X. Du, X. Zhang, Z. Zhu: Memory hierarchy considerations for
// cost-effective cluster computing. IEEE Transactions on Computers 49(9), 2000,
// pp. 915-933.
//
// The power law P(x) = 1 - (x/beta + 1)^-(alpha-1) [du2000, eq. 2.1] is fitted to the
// cumulative distribution of stack distances as measured: each processor's own, pooled, cold uses
// included as misses of every size. The unit of x, which the paper does not state, is the memory line, of a size that the
// parameters name.
//
// Differs: the law never reaches 0, but a program does not touch more than its
// footprint. Besides the law as published there is one that falls from 1 to the cold
// misses and is capped at the footprint, with parameters named *_capped.
package locality

import (
	"errors"
	"fmt"
	"math"

	"spoor/analyze/analysis"
	"spoor/analyze/reuse"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Analysis fits the locality of the distances that Reuse finds at one of its line sizes.
type Analysis struct {
	Reuse  *reuse.Analysis
	Line   unit.Bytes
	Source string      // of the numbers: name and digest of the trace
	Tool   string      // what makes the file
	Meta   []trace.Arg // for the tables
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name is "locality".
func (a *Analysis) Name() string { return "locality" }

// NewShard shares the state of the reuse analysis: a processor's distances are found once.
func (a *Analysis) NewShard(h trace.Header, p trace.Proc) analysis.Shard {
	if p == trace.Interleaved {
		return nil
	}
	return a.Reuse.NewShard(h, p)
}

// pool is the distances of all processors together.
type pool struct {
	reuse.Distances
	instr      unit.Instructions
	refs       uint64
	processors int
	largest    uint64 // footprint of a processor, in lines
}

// Merge fits. A trace that has no locality to fit, or no instructions to relate its references
// to, is an error.
func (a *Analysis) Merge(shards []analysis.Shard) (analysis.Result, error) {
	all := pool{Distances: reuse.Distances{Line: a.Line}}
	for _, s := range shards {
		all.add(s.(*reuse.Shard))
	}
	params, warnings, err := all.parameters(a.Source)
	if err != nil {
		return analysis.Result{}, fmt.Errorf("fitting the locality: %w (other analyses can do without: see --run)", err)
	}
	table := analysis.ParamTable("locality", params, a.Meta)
	return analysis.Result{
		Files:    []analysis.File{analysis.ParamFile("locality", a.Tool, params)},
		Full:     table,
		Summary:  table,
		Warnings: warnings,
	}, nil
}

func (p *pool) add(s *reuse.Shard) {
	p.instr += s.Instr
	p.refs += s.Refs
	d := s.At(p.Line)
	p.Cold += d.Cold
	for len(p.Uses) < len(d.Uses) {
		p.Uses = append(p.Uses, 0)
	}
	for i, n := range d.Uses {
		p.Uses[i] += n
	}
	p.largest = max(p.largest, d.Footprint())
	if s.Refs > 0 {
		p.processors++
	}
}

// quarterOctaves are the sizes of the fit: as near to the powers of the fourth root of
// two as whole lines allow, up to the footprint, and the footprint itself.
func quarterOctaves(footprint uint64) []int64 {
	var out []int64
	for i := 0; ; i++ {
		x := math.Round(math.Exp2(float64(i) / 4))
		if x >= float64(footprint) {
			return append(out, int64(footprint))
		}
		if n := int64(x); len(out) == 0 || n > out[len(out)-1] {
			out = append(out, n)
		}
	}
}

// octaves are the sizes at which the fit is judged: the powers of two up to the
// first that holds the footprint.
func octaves(footprint uint64) []int64 {
	out := []int64{1}
	for c := int64(1); uint64(c) < footprint; {
		c *= 2
		out = append(out, c)
	}
	return out
}

// points is the measured curve at the given sizes.
func (p *pool) points(sizes []int64) []Point {
	total := float64(p.Total())
	out := make([]Point, len(sizes))
	for i, m := range p.Misses(sizes) {
		out[i] = Point{float64(sizes[i]), float64(m) / total}
	}
	return out
}

// parameters fits and counts. Distances, sizes and beta are in lines.
func (p *pool) parameters(source string) ([]analysis.Param, []error, error) {
	if p.refs == 0 {
		return nil, nil, errors.New("the trace has no loads or stores")
	}
	if p.instr == 0 {
		return nil, nil, errors.New("the trace counts no instructions, so that gamma, references per instruction, is not known")
	}
	fitted, warnings, err := p.fits(source)
	if err != nil {
		return nil, nil, err
	}
	gamma := float64(p.refs) / float64(p.instr)
	if gamma > 1 {
		warnings = append(warnings, fmt.Errorf("%.3g references per instruction: gamma above 1 is outside the model, which has one reference per instruction at most", gamma))
	}
	counted := func(name, what string, v float64, u string, n uint64) analysis.Param {
		return analysis.Exact(name, v, u, n, what, source)
	}
	return append(fitted,
		counted("gamma", "counted: loads and stores per instruction", gamma, "1", p.refs),
		counted("cold", "counted: first uses of a line per use", p.cold(), "1", p.Total()),
		counted("line", "chosen: the unit of beta and footprint", float64(p.Line), "B", 1),
		counted("footprint", "counted: distinct lines of the processor that has most", float64(p.largest), "lines", uint64(p.processors)),
		counted("instructions", "counted, all processors", float64(p.instr), "1", uint64(p.processors)),
		counted("references", "counted: loads and stores, all processors", float64(p.refs), "1", uint64(p.processors)),
		counted("processors", "counted: those with references", float64(p.processors), "1", uint64(p.processors)),
	), warnings, nil
}

// fits is the law of the paper, and the same law between the cold misses, which every
// size has, and the footprint, from which on there are no others:
//
//	1 - P(x) = cold + (1 - cold) (x/beta + 1)^-(alpha-1) for x < footprint, else cold
//
// with parameters alpha_capped and beta_capped. Without the second, a program that uses
// every line once has no fit but the first.
func (p *pool) fits(source string) ([]analysis.Param, []error, error) {
	points, all := p.points(quarterOctaves(p.largest)), p.points(octaves(p.largest))
	fit, err := FitLaw(points)
	if err != nil {
		return nil, nil, err
	}
	out := fit.params("", "the miss ratio", source, all, fit.Law().Miss)
	cold := p.cold()
	for i, q := range points {
		points[i].Ratio = min(max(0, (q.Ratio-cold)/(1-cold)), 1)
	}
	capped, err := FitLaw(points[:len(points)-1]) // the last is the footprint
	if err != nil {
		return out, append(fit.Warnings, fmt.Errorf("above the cold misses: %w", err)), nil
	}
	law := capped.Law()
	return append(out, capped.params("_capped", "the miss ratio above cold", source, all, func(x float64) float64 {
		if x >= float64(p.largest) {
			return cold
		}
		return cold + (1-cold)*law.Miss(x)
	})...), fit.Warnings, nil
}

// cold is the first uses per use.
func (p *pool) cold() float64 { return float64(p.Cold) / float64(p.Total()) }

// params is a fit of what and its error at the given points; suffix tells it from others.
func (f Fit) params(suffix, what, source string, all []Point, miss func(x float64) float64) []analysis.Param {
	mean, worst := judge(miss, all)
	method := fmt.Sprintf("least squares of %s at %d sizes, quarter octaves up to the footprint, equal weights; interval from the covariance of the linearised problem", what, f.N)
	judged := func(name, what string, v float64) analysis.Param {
		return analysis.Exact(name+suffix, v, "1", uint64(len(all)), what+" absolute error of the fitted miss ratio over all power-of-two sizes", source)
	}
	return []analysis.Param{
		{Name: "alpha" + suffix, Estimate: f.Alpha, Unit: "1", N: uint64(f.N), Method: method, Source: source},
		{Name: "beta" + suffix, Estimate: f.Beta, Unit: "lines", N: uint64(f.N), Method: method, Source: source},
		judged("fit_mean_error", "mean", mean),
		judged("fit_max_error", "maximum", worst),
	}
}

func judge(miss func(x float64) float64, points []Point) (mean, worst float64) {
	for _, q := range points {
		e := math.Abs(miss(q.X) - q.Ratio)
		mean += e / float64(len(points))
		worst = max(worst, e)
	}
	return mean, worst
}
