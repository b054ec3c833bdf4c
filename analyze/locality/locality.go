// Package locality describes the locality of a program by three numbers: alpha and beta of the power law, and
// gamma, the share of instructions that refer to memory.
//
// The power law P(x) = 1 - (x/beta + 1)^-(alpha-1) [du2000, eq. 2.1] is fitted to the measured cumulative
// distribution of stack distances. It pools the distances of all processors, each in its own order. First
// uses count as misses at every size. The paper does not state the unit of x. Here it is the memory line,
// whose size is among the parameters.
//
// Differs: the law never reaches 0, but a program uses no more lines than its footprint. A second law falls
// from 1 to the ratio of first uses, and is capped at the footprint. Its parameters are named *_capped.
//
// Both laws are fitted in two ways: to the curve by least squares, and to the uses by maximum likelihood
// (*_ml). In the second, the k-th first use of a program is censored at the k-1 lines before it, see
// [likelihood].
//
// The published law is also fitted to the logarithm of the curve at the sizes of caches and memories (*_log), see
// [logPoints]. That is the law with small errors there: the other fits are dominated by distances below a
// kilobyte.
//
// Intervals come from a block bootstrap over processors and over phases between barriers, see [bootstrap].
// With too few barriers, phases are replaced by parts of equal length. With fewer than four of both,
// intervals are those of the linearised least squares, or of the observed information. Both are far too
// narrow, because uses of one program depend on each other. The method of each parameter says which was used.
// An alpha or beta at its bound has no interval (lo = hi = value), and the interval of the other parameter is
// conditional on that value. Intervals of a sample of lines cover the sampling error only, see
// [sampledInterval].
//
// Limitation: in the law of the paper, first uses count as misses of caches of every size. Therefore alpha
// and beta of short streams are biased, and no interval covers the bias. Parameters *_ml have no such bias.
//
// all lists these and the other models. Each is compared with the exact curve at all power-of-two sizes.
// Parameters fit_mean_error and fit_max_error, with the model's suffix, are absolute errors of the miss
// ratio.
package locality

import (
	"errors"
	"fmt"
	"math"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/paramfile"
	"spoor/analyze/internal/reusetime"
	"spoor/analyze/reuse"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Analysis fits the locality to the distances that Reuse measures at one of its line sizes.
type Analysis struct {
	Reuse  *reuse.Analysis
	Times  *reusetime.Analysis // nil: omit the models that need reuse times
	Line   unit.Bytes
	Assoc  Associativity
	Seed   uint64 // of the bootstrap
	Source string // source of the parameters: name and digest of the trace
	// Messages says whether the trace passes messages; nil if that is unknown.
	Messages *bool
	Tool     string      // command that writes the file
	Meta     []trace.Arg // metadata of the tables
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name returns "locality".
func (a *Analysis) Name() string { return "locality" }

// NewShard returns the shard of the reuse analysis, so that a processor's distances are measured once. It
// adds the shards that other models need.
func (a *Analysis) NewShard(h trace.Header, p trace.Proc) analysis.Shard {
	if p == trace.Interleaved {
		return nil
	}
	s := a.Reuse.NewShard(h, p).(*reuse.Shard)
	s.KeepSegments(a.Line)
	j := &analysis.ShardGroup{Parts: []analysis.Shard{s}}
	if a.simulates() {
		j.Parts = append(j.Parts, newSimulation(a.Assoc.Shapes, a.Line, a.Reuse.Refs, h.Procs))
	}
	for _, m := range a.models() {
		if m.Needs != nil {
			j.Parts = append(j.Parts, m.Needs(a, h, p))
		}
	}
	return j
}

func (a *Analysis) simulates() bool { return a.Assoc.Simulate && len(a.Assoc.Shapes) > 0 }

// Merge fits the models. It omits parameters that the trace does not determine, with a warning. These are the
// power law if no line is used twice, and gamma if there are no instructions, or no loads and stores.
func (a *Analysis) Merge(shards []analysis.Shard) (analysis.Result, error) {
	m := measured{Distances: reuse.Distances{Line: a.Line}, Source: a.Source}
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

// fit returns the results.
func (a *Analysis) fit(m *measured, needs [][]analysis.Shard) (r analysis.Result) {
	var models []result
	switch {
	case m.refs == 0:
		r.Warnings = append(r.Warnings, errors.New("locality: the trace has no loads or stores: there is nothing to fit"))
	case m.Total() == 0:
		r.Warnings = append(r.Warnings, errors.New("locality: the sample has no line of the trace: there is nothing to fit; increase --sample or --sample-least"))
	default:
		m.prepare(a.Seed)
		models, r.Warnings = fitAll(m, a.models(), needs)
		r.Tables = append(r.Tables, curve(m, models, a.Meta))
	}
	var params []paramfile.Param
	for _, f := range models {
		params = append(params, f.Params...)
	}
	counted, warnings := m.counted()
	r.Warnings = append(r.Warnings, warnings...)
	params = append(params, counted...)
	params = append(params, m.hasBarriers())
	if a.Messages != nil {
		params = append(params, passesMessages(*a.Messages, a.Source))
	}
	r.Files = []analysis.File{paramfile.File("locality", a.Tool, params)}
	r.Full = paramfile.Table("locality", params, a.Meta)
	r.Summary = summary(models, counted, a.Meta)
	return r
}

// MessagesParam is the parameter that says whether the trace passes messages. It is 1 or 0.
const MessagesParam = "passes_messages"

// BarriersParam is the parameter that says whether all processors of the trace meet at barriers. It is 1 or 0.
const BarriersParam = "has_barriers"

// hasBarriers returns [BarriersParam]. Members of a group that meet each other only do not count.
func (m *measured) hasBarriers() paramfile.Param {
	v := 0.0
	for _, p := range m.paths {
		if p.Every > 0 {
			v = 1
		}
	}
	return paramfile.Exact(BarriersParam, v, "1", uint64(len(m.paths)), "found: 1 if all processors meet at barriers, else 0", m.Source)
}

// CriticalInstr and CriticalRefs are the parameters of the critical path: see [reuse.Critical].
const (
	CriticalInstr = "critical_instructions"
	CriticalRefs  = "critical_references"
)

func passesMessages(passes bool, source string) paramfile.Param {
	v := 0.0
	if passes {
		v = 1
	}
	return paramfile.Exact(MessagesParam, v, "1", 1, "found: 1 if the trace passes messages, else 0", source)
}

// counted returns the parameters that belong to no model, gamma first, if the trace determines them.
func (m *measured) counted() (params []paramfile.Param, warnings []error) {
	counted := func(name, what string, v float64, u string, n uint64) {
		params = append(params, paramfile.Exact(name, v, u, n, what, m.Source))
	}
	switch {
	case m.refs == 0: // the model uses 1/gamma; a trace without references says nothing about the program
	case m.instr == 0:
		warnings = append(warnings, errors.New("locality: the trace counts no instructions, so that gamma (references per instruction) is omitted"))
	default:
		gamma := m.gamma()
		params = append(params, gamma)
		if gamma.Value > 1 {
			warnings = append(warnings, fmt.Errorf("gamma is %.3g references per instruction, but the model assumes at most 1", gamma.Value))
		}
	}
	procs := uint64(m.processors)
	colds := func(name, what string, v float64, u string, n uint64) {
		p := paramfile.Exact(name, v, u, n, "counted: "+what, m.Source)
		if m.intervals != nil {
			p.Estimate, p.Method = m.intervals.share(v), "estimated from a sample: "+what+"; "+sampledInterval
		}
		params = append(params, p)
	}
	if m.Total() > 0 {
		colds("cold", "first uses of a line per use", m.coldRatio(), "1", m.Total())
	}
	counted("line", "chosen: size of a line", float64(m.Line), "B", 1)
	colds("footprint", "distinct lines of the processor that has most", float64(m.Footprint), "lines", procs)
	counted("instructions", "counted, all processors", float64(m.instr), "1", procs)
	counted("references", "counted: loads and stores, all processors", float64(m.refs), "1", procs)
	counted("processors", "counted: those with references", float64(m.processors), "1", procs)
	if w, known := reuse.Critical(m.paths); known {
		counted(CriticalInstr, "counted: most instructions of a processor between barriers, summed", float64(w.Instr), "1", procs)
		counted(CriticalRefs, "counted: loads and stores of the same processors", float64(w.Refs), "1", procs)
	}
	return params, warnings
}

// gamma returns references per instruction. Its interval covers other runs.
func (m *measured) gamma() paramfile.Param {
	v := float64(m.refs) / float64(m.instr)
	p := paramfile.Exact("gamma", v, "1", m.refs, "counted: loads and stores per instruction", m.Source)
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
