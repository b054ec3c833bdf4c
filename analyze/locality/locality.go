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
//
// Both laws are fitted to the curve by least squares, and to the uses by maximum likelihood (*_ml), where the k-th
// first use of a program is censored at the k-1 lines before it: see [likelihood].
//
// Intervals are those of a block bootstrap over phases between barriers (or stretches of equal length, without enough barriers)
// and over processors: see [bootstrap]. Where there are fewer than four of both, they are those of
// the linearised least squares, or of the observed information, both far too narrow because
// uses of one program depend on each other; the method of each parameter says which. An alpha or beta that ends at its bound has no
// interval (lo and hi are the value), and that of the other one is for it. Of a sample, intervals are of what that does not know of the
// trace, see [byCurves]. First uses count as misses of
// caches of every size in the law of the paper, so that alpha and beta of short streams are biased, and no interval
// covers that. Those of *_ml are not.
//
// [smith1978] A. J. Smith: A comparative study of set associative memory mapping algorithms and their use
// for cache and main memory. IEEE Trans. Software Engineering 4(2), 1978, pp. 121-130.
//
// [hill1989] M. D. Hill, A. J. Smith: Evaluating associativity in CPU caches. IEEE Trans. Computers
// 38(12), 1989, pp. 1612-1630.
//
// [All] lists these and the other models. Each is held to the exact curve at all
// power-of-two sizes: parameters fit_mean_error and fit_max_error, with the model's suffix,
// are absolute errors of the miss ratio.
package locality

import (
	"errors"
	"fmt"
	"math"

	"spoor/analyze/analysis"
	"spoor/analyze/reuse"
	"spoor/analyze/reusetime"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Columns says what is in the table and the parameters.
const Columns = `Columns of locality_curve.arrow, for fully associative LRU caches of quarter octaves and powers of two:
  lines, exact       size, and the measured miss ratio of all processors, each with a cache of its own; of a sample, its
                     estimate
  power, ...         what each model makes of it; hotl and aet, if reuse_time runs too: by average footprints and
                     by average eviction times, see there
locality.params.toml, with intervals, names of models at the end (none: the law of the paper):
  alpha, beta        power law; *_capped: between the cold misses and the footprint; *_ml: by maximum likelihood, which
                     is to be preferred for short traces: first uses do not bias it
                     one that ends at its bound has no interval: lo and hi are the value, and the other's interval is for it
  fit_mean_error, fit_max_error    absolute error of the miss ratio over all powers of two
  gamma, cold        references per instruction; first uses of a line per use
  What a trace cannot tell is left out, and a note says so: a law of lines that are not used twice or of two sizes of
  cache, gamma of no instructions or no references.
  line, footprint    unit of beta; distinct lines of the processor that has most
Columns of locality_assoc.arrow, for each cache of --assoc:
  full, corrected    miss ratio of a fully associative cache of the same size, and with Smith's correction for sets
                     P(miss | distance d) = P[Bin(d, 1/sets) >= ways]: lines fall into sets by chance
  simulated, error   miss ratio with the lines' own sets, and by how much the correction is above it
`

// Analysis fits the locality of the distances that Reuse finds at one of its line sizes.
type Analysis struct {
	Reuse  *reuse.Analysis
	Times  *reusetime.Analysis // nil: without the models that need reuse times
	Line   unit.Bytes
	Assoc  Associativity
	Seed   uint64      // of the bootstrap
	Source string      // of the numbers: name and digest of the trace
	Tool   string      // what makes the file
	Meta   []trace.Arg // for the tables
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name is "locality".
func (a *Analysis) Name() string { return "locality" }

// NewShard shares the state of the reuse analysis: a processor's distances are found once. With it
// goes what models need beside.
func (a *Analysis) NewShard(h trace.Header, p trace.Proc) analysis.Shard {
	if p == trace.Interleaved {
		return nil
	}
	s := a.Reuse.NewShard(h, p).(*reuse.Shard)
	s.KeepSegments(a.Line)
	j := &analysis.ShardGroup{Parts: []analysis.Shard{s}}
	if a.simulates() {
		j.Parts = append(j.Parts, newSimulation(a.Assoc.Shapes, a.Line, h.Procs))
	}
	for _, m := range a.models() {
		if m.Needs != nil {
			j.Parts = append(j.Parts, m.Needs(a, h, p))
		}
	}
	return j
}

func (a *Analysis) simulates() bool { return a.Assoc.Simulate && len(a.Assoc.Shapes) > 0 }

// Merge fits. What a trace cannot tell is left out, and a reservation says so: of one that uses no line twice, the power
// law; of one that counts no instructions, or has no loads and stores, gamma.
func (a *Analysis) Merge(shards []analysis.Shard) (analysis.Result, error) {
	m := Measured{Distances: reuse.Distances{Line: a.Line}, Source: a.Source}
	models := a.models()
	needs := make([][]analysis.Shard, len(models))
	var simulations []*simulation
	for _, s := range shards {
		parts := s.(*analysis.ShardGroup).Parts
		m.add(parts[0].(*reuse.Shard))
		parts = parts[1:]
		if a.simulates() {
			simulations = append(simulations, parts[0].(*simulation))
			parts = parts[1:]
		}
		for i := range models {
			if models[i].Needs != nil {
				needs[i] = append(needs[i], parts[0])
				parts = parts[1:]
			}
		}
	}
	r := a.fit(&m, needs)
	r.Warnings = append(r.Warnings, a.Reuse.Sampling.Warn(a.Name())...)
	if len(a.Assoc.Shapes) > 0 && m.Total() > 0 {
		t, warnings := a.Assoc.table(&m, simulations, a.Meta)
		r.Tables, r.Warnings = append(r.Tables, t), append(r.Warnings, warnings...)
	}
	return r, nil
}

// fit makes the results.
func (a *Analysis) fit(m *Measured, needs [][]analysis.Shard) (r analysis.Result) {
	var models []result
	switch {
	case m.refs == 0:
		r.Warnings = append(r.Warnings, errors.New("locality: the trace has no loads or stores: there is nothing to fit"))
	case m.Total() == 0:
		r.Warnings = append(r.Warnings, errors.New("locality: the sample has no line of the trace: there is nothing to fit; sample more of them"))
	default:
		m.prepare(a.Seed)
		models, r.Warnings = fitAll(m, a.models(), needs)
		r.Tables = append(r.Tables, curve(m, models, a.Meta))
	}
	var params []analysis.Param
	for _, f := range models {
		params = append(params, f.Params...)
	}
	counted, warnings := m.counted()
	r.Warnings = append(r.Warnings, warnings...)
	params = append(params, counted...)
	r.Files = []analysis.File{analysis.ParamFile("locality", a.Tool, params)}
	r.Full = analysis.ParamTable("locality", params, a.Meta)
	r.Summary = summary(models, counted, a.Meta)
	return r
}

// counted is what is not of models, gamma first, as far as the trace tells it.
func (m *Measured) counted() (params []analysis.Param, warnings []error) {
	counted := func(name, what string, v float64, u string, n uint64) {
		params = append(params, analysis.Exact(name, v, u, n, what, m.Source))
	}
	switch {
	case m.refs == 0: // the model has 1/gamma; that there are none says more of the trace than of the program
	case m.instr == 0:
		warnings = append(warnings, errors.New("locality: the trace counts no instructions, so that gamma, references per instruction, is left out"))
	default:
		gamma := m.gamma()
		params = append(params, gamma)
		if gamma.Value > 1 {
			warnings = append(warnings, fmt.Errorf("%.3g references per instruction: gamma above 1 is outside the model, which has one reference per instruction at most", gamma.Value))
		}
	}
	procs := uint64(m.processors)
	colds := func(name, what string, v float64, u string, n uint64) {
		p := analysis.Exact(name, v, u, n, "counted: "+what, m.Source)
		if m.uncertain != nil {
			p.Estimate, p.Method = m.uncertain.share(v), "estimated of a sample: "+what+"; "+byCurves
		}
		params = append(params, p)
	}
	if m.Total() > 0 {
		colds("cold", "first uses of a line per use", m.ColdRatio(), "1", m.Total())
	}
	counted("line", "chosen: size of a line", float64(m.Line), "B", 1)
	colds("footprint", "distinct lines of the processor that has most", float64(m.Footprint), "lines", procs)
	counted("instructions", "counted, all processors", float64(m.instr), "1", procs)
	counted("references", "counted: loads and stores, all processors", float64(m.refs), "1", procs)
	counted("processors", "counted: those with references", float64(m.processors), "1", procs)
	return params, warnings
}

// gamma is references per instruction; another run may have others.
func (m *Measured) gamma() analysis.Param {
	v := float64(m.refs) / float64(m.instr)
	p := analysis.Exact("gamma", v, "1", m.refs, "counted: loads and stores per instruction", m.Source)
	if m.bootstrap != nil {
		width := m.bootstrap.widths(func(s *sample) ([]float64, error) {
			if s.instr == 0 || s.refs == 0 {
				return nil, errors.New("nothing was drawn")
			}
			return []float64{math.Log(s.refs / s.instr)}, nil
		})
		p.Lo, p.Hi = v*math.Exp(-width[0]), v*math.Exp(width[0])
		p.Method += "; " + m.bootstrap.method()
	}
	return p
}
