// Package quanta cuts the run of a parallel program into quanta, as a parallel simulator
// with a fixed window would ([falsafi1997], sec. 3), and finds what a host processor would
// have to do in each: how long every processor executes, which of them are active, and
// what they do. Means and variances are those of all quanta; samples of whole
// quanta are kept, for tables and intervals.
//
// Time is that of the interleaved order ([analysis.Interleave]), in instructions: a
// processor waits at barriers and for locks, and only there. Quantum q is the time after
// q*Q up to (q+1)*Q; what happens at one instant belongs to the quantum that ends there.
// The processing time of a processor in a quantum is the time in it that it does not wait
// and has not ended, times the CPI; zeros count. The last quantum of a trace is as long as
// the rest.
//
// A processor is running in a quantum if it executes in it, and active if it is running
// or an event of its own happens in it, such as leaving a barrier.
//
// Differs: in the paper a target is also active when a message of the coherence protocol reaches
// it, of which a trace knows nothing.
//
// # Variance
//
// With x(q,i) the processing time of processor i of P in quantum q of n, the sum of squares
// about the mean is the one about the means of quanta and the one between quanta:
//
//	SST = sum (x(q,i) - mu)^2 = SSE + SSA
//	SSE = sum (x(q,i) - mean over i of x(q,i))^2
//
// and sigma_intra^2 = SSE / (n (P-1)), the mean square of the errors of a one-way analysis
// of variance, which is unbiased: the paper's [falsafi1997, sec. 3.1], after Jain. The same sum over
// n P would fall short by the factor (P-1)/P. Both [falsafi1997, eq. 1] and order statistics of a
// gamma distribution in its place need mu and sigma_intra.
//
// [falsafi1997] B. Falsafi, D. A. Wood: Modeling cost/performance of a parallel computer
// simulator. ACM Transactions on Modeling and Computer Simulation 7(1), 1997, pp. 104-130.
package quanta

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"spoor/analyze/analysis"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// MaxLength is the longest quantum.
const MaxLength unit.Instructions = 1 << 31

// Columns says what is in the table and the parameters.
const Columns = `Columns of quanta.arrow, for each processor in each quantum that was drawn, one in as many as the table's "every" says:
  time, active       cycles in which it executes; 1 if it executes or an event of it happens
  load, barrier, ... references and events of each kind that the trace has, and misses of --quanta-cache: miss
quanta.params.toml, of all quanta, with intervals from the drawn ones:
  mu, sigma_intra    mean processing time of a processor in a quantum, and its standard deviation within quanta
  sigma_inter        standard deviation between quanta of their mean processing time
  sigma, intra_share standard deviation of all processing times; share of their variation that is within quanta
  slowest            mean of the longest processing time of each quantum
  n_cxsw, n_fp       mean number of processors that are active, that execute
  sigma_cxsw, sigma_fp  standard deviation of that within quanta, of one processor
  per_quantum_*      references, events and misses of a processor in a quantum
  quanta, targets    how many quanta; of how many processors
`

// Cache is a private cache with LRU replacement, which loads and stores go through. Caches are not kept
// coherent, and a miss takes no time here. The zero Cache is none.
type Cache struct {
	Line       unit.Bytes
	Sets, Ways int64
}

// Analysis measures quanta.
type Analysis struct {
	Length unit.Instructions // of a quantum, from 1 to MaxLength
	CPI    float64           // cycles per instruction; 0 is 1
	Cache  Cache             // of every processor, whose misses are counted; none by default
	Seed   uint64            // of the choice of samples and of the intervals
	Source string            // of the numbers: name and digest of the trace
	Tool   string            // what makes the file
	Meta   []trace.Arg       // for the tables

	samples   int  // that are kept, for tests; 0 is maxSamples
	simulated bool // time is that of a simulation, in ps, and CPI cycles per ps
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name is "quanta".
func (a *Analysis) Name() string { return "quanta" }

// NewShard wants the interleaved order alone.
func (a *Analysis) NewShard(h trace.Header, p trace.Proc) analysis.Shard {
	if p != trace.Interleaved || h.Procs < 1 {
		return nil
	}
	return newShard(h, a.Length, a.Cache, newSamples(h.Procs, cmp.Or(a.samples, maxSamples), a.Seed))
}

// Merge makes the table of samples and the parameters.
func (a *Analysis) Merge(shards []analysis.Shard) (analysis.Result, error) {
	if len(shards) == 0 {
		return analysis.Result{}, errors.New("quanta: the trace has no processors, or not all of them were asked for")
	}
	s := shards[0].(*shard)
	if s.sums.quanta == 0 {
		return analysis.Result{}, errors.New("quanta: the trace counts no instructions, so that it has no time to be cut")
	}
	params := a.parameters(s)
	per := "cpi"
	if a.simulated {
		per = "cycles_per_ps"
	}
	meta := append(slices.Clone(a.Meta),
		trace.Arg{Key: "quantum", Value: strconv.FormatUint(uint64(a.Length), 10)},
		trace.Arg{Key: per, Value: strconv.FormatFloat(a.cpi(), 'g', -1, 64)},
		trace.Arg{Key: "every", Value: strconv.FormatUint(1<<s.samples.level, 10)},
		trace.Arg{Key: "seed", Value: strconv.FormatUint(a.Seed, 10)})
	table := s.samples.table(a.cpi(), s.present(), meta)
	return analysis.Result{
		Tables:   []*store.Table{table},
		Files:    []analysis.File{analysis.ParamFile("quanta", a.Tool, params)},
		Full:     table,
		Summary:  analysis.ParamTable("quanta", params, meta),
		Warnings: s.reservations(),
	}, nil
}

func (a *Analysis) cpi() float64 { return cmp.Or(a.CPI, 1) }

// present is which happenings the trace has at all.
func (s *shard) present() (out []happening) {
	for k, n := range s.totals {
		if n > 0 {
			out = append(out, happening(k))
		}
	}
	return out
}

// waits are events at which a program may wait, but time here does not.
var waits = []trace.Kind{trace.Recv, trace.Wait, trace.Probe, trace.WaitFlag, trace.Bcast, trace.Reduce, trace.AllReduce,
	trace.Scan, trace.Gather, trace.AllGather, trace.Scatter, trace.AllToAll, trace.Join}

func (s *shard) reservations() (out []error) {
	for _, k := range waits {
		if s.totals[ofEvent(k)] > 0 {
			out = append(out, fmt.Errorf("quanta: processors wait at barriers and locks only, not at the %ss of this trace, so that they come too early to what follows, and seem to be active more", k))
			break
		}
	}
	if s.hasTime {
		out = append(out, errors.New("quanta: the times that were recorded are not used, time is in instructions"))
	}
	if s.totals[ofEvent(trace.Compute)] > 0 && s.unit != trace.WorkInstr && s.unit != "" {
		out = append(out, fmt.Errorf("quanta: work in %s is no processing time here, instructions are", s.unit))
	}
	return out
}
