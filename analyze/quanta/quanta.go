// Package quanta divides the run of a parallel program into quanta, like a parallel simulator with a fixed
// window ([falsafi1997], sec. 3). For each quantum it computes the work of a host processor: how long every
// processor executes, which of them are active, and what they do. Means and variances cover all quanta.
// Samples of whole quanta are kept for tables and intervals.
//
// Time is that of the interleaved order ([analysis.Interleave]), in instructions. A processor waits only at
// barriers and for locks. Quantum q is the time after q*Q up to (q+1)*Q. An event at the end of a quantum
// belongs to that quantum. The processing time of a processor in a quantum is the time in which it does not
// wait and has not ended, times the CPI. Zeros count. The last quantum of a trace is as long as the rest.
//
// A processor is running in a quantum if it executes in it. It is active if it is running, or if it has an
// event of its own in the quantum, such as leaving a barrier.
//
// Differs: in the paper a target is also active when a message of the coherence protocol reaches it. A trace
// does not contain these messages.
//
// # Variance
//
// Let x(q,i) be the processing time of processor i of P in quantum q of n. The sum of squares about the mean
// is the sum about the means of quanta, plus the sum between quanta:
//
//	SST = sum (x(q,i) - mu)^2 = SSE + SSA
//	SSE = sum (x(q,i) - mean over i of x(q,i))^2
//
// Then sigma_intra^2 = SSE / (n (P-1)), the mean square of the errors of a one-way analysis of variance, is
// unbiased. This is the definition of the paper [falsafi1997, sec. 3.1], after Jain. Dividing by n P would be
// too small by the factor (P-1)/P. Both [falsafi1997, eq. 1] and order statistics of a gamma distribution
// need mu and sigma_intra.
package quanta

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/paramfile"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// maxLength is the maximum length of a quantum.
const maxLength unit.Instructions = 1 << 31

// Cache is a private cache with LRU replacement for loads and stores. Caches are not kept coherent, and
// misses take no time. The zero Cache is no cache.
type Cache struct {
	Line       unit.Bytes
	Sets, Ways int64
}

// Analysis measures quanta.
type Analysis struct {
	Length unit.Instructions // of a quantum, from 1 to maxLength
	CPI    float64           // cycles per instruction; 0 is 1
	Cache  Cache             // private cache of every processor, whose misses are counted; zero: none
	Refs   trace.OpSet       // references that use lines of the cache; zero: loads and stores
	Seed   uint64            // of the choice of samples and of the intervals
	Source string            // source of the parameters: name and digest of the trace
	Tool   string            // command that writes the file
	Meta   []trace.Arg       // metadata of the tables

	samples   int  // maximum number of samples, for tests; 0: maxSamples
	simulated bool // time is that of a simulation in ps, and CPI is cycles per ps
}

var _ analysis.Analysis = (*Analysis)(nil)

// Name returns "quanta".
func (a *Analysis) Name() string { return "quanta" }

// NewShard returns a shard for the interleaved order only.
func (a *Analysis) NewShard(h trace.Header, p trace.Proc) analysis.Shard {
	if p != trace.Interleaved || h.Procs < 1 {
		return nil
	}
	return newShard(h, a.Length, a.Cache, a.Refs, newSamples(h.Procs, cmp.Or(a.samples, maxSamples), a.Seed))
}

// Merge returns the table of samples and the parameters.
func (a *Analysis) Merge(shards []analysis.Shard) (analysis.Result, error) {
	if len(shards) == 0 {
		return analysis.Result{}, errors.New("quanta: the trace has no processors, or some were not selected; analyze all processors")
	}
	s := shards[0].(*shard)
	if s.sums.quanta == 0 {
		return analysis.Result{}, errors.New("quanta: the trace counts no instructions, so that it has no time to divide into quanta")
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
		Files:    []analysis.File{paramfile.File("quanta", a.Tool, params)},
		Full:     table,
		Summary:  paramfile.Table("quanta", params, meta),
		Warnings: s.warnings(),
	}, nil
}

func (a *Analysis) cpi() float64 { return cmp.Or(a.CPI, 1) }

// present returns the events that occur in the trace.
func (s *shard) present() (out []countedEvent) {
	for k, n := range s.totals {
		if n > 0 {
			out = append(out, countedEvent(k))
		}
	}
	return out
}

// waitingEvents are events at which a program may wait, but here takes no time.
var waitingEvents = []trace.Kind{trace.Recv, trace.Wait, trace.Probe, trace.WaitFlag, trace.Bcast, trace.Reduce, trace.AllReduce,
	trace.Scan, trace.Gather, trace.AllGather, trace.Scatter, trace.AllToAll, trace.Join}

func (s *shard) warnings() (out []error) {
	for _, k := range waitingEvents {
		if s.totals[traceEvent(k)] > 0 {
			out = append(out, fmt.Errorf("quanta: processors wait only at barriers and locks, not at the %ss of this trace; they appear more active than they are", k))
			break
		}
	}
	if s.hasTime {
		out = append(out, errors.New("quanta: recorded times are not used; time is in instructions"))
	}
	if s.totals[traceEvent(trace.Compute)] > 0 && s.unit != trace.WorkInstr && s.unit != "" {
		out = append(out, fmt.Errorf("quanta: work in %s does not count as processing time, only instructions do", s.unit))
	}
	return out
}
