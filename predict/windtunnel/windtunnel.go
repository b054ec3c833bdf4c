// Package windtunnel predicts what it takes to simulate a parallel computer of N target nodes
// on p host nodes, and whether that is worth its money, from a fully parallel run (p = N).
//
// The simulator is conservative with a fixed window, as the Wisconsin Wind Tunnel is: every
// host runs its K = N/p targets through one quantum after the other, and all hosts meet at a barrier at
// the end of each. So the time of a quantum is that of the slowest host,
//
//	T(K,p) = T_processing(K,p) + T_direct(K,p) + T_cache&TLB(K) + T_quantumoverhead   [falsafi1997, eq. 16]
//
// The first is about imbalance (eq. 1), the second about switches between targets (eq. 2, 3), and the third
// about what targets take from each other in caches (eq. 4-15). Costs (eq. 17-19) make cost/performance
// of it (eq. 20), whose minimum over K has an asymptotic form (eq. 21).
//
// # Models
//
// [Models] differ in the expected maximum over p hosts of the sum of K processing times, all from the same mean
// and standard deviation within a quantum:
//
//   - printed is eq. 1, of Kruskal and Weiss, and everything else as printed too;
//   - paper is the same with the slips in eq. 10, 12 and 14 corrected, which make interference
//     negative by all that a cache holds;
//   - gamma is the exact order statistic of sums that are gamma distributed, with interference of
//     shared blocks that have one place, and LRU replacement;
//   - bounded is the same with a beta distribution, for no processing time is longer than the quantum: where
//     time is instructions executed, a target executes for the whole quantum or waits;
//   - kinds is bounded for each of 16 kinds of quanta, from those in which nearly all targets wait to those in which nearly all
//     execute, and the mean of that. It needs samples of quanta;
//   - placed is the same of hosts that differ: of each kind of quanta it takes the mean and the variance of what each host has to do, with the targets
//     that it is given, and the correlations between hosts, which it takes to be those of a Gaussian copula [cario1997]. It is the default
//     where there are samples, for systems of the size that was measured; of other sizes nobody knows which targets share a host, and it is kinds.
//
// The paper's T_processing is that of a mean quantum. Where misses take time, quanta are not alike, and the expected
// maximum of a mixture is not that of its mean: one target that executes alone is the slowest, whatever the mean is.
//
// Other models than placed take hosts to be independent, although the times of a quantum are shared out among
// them. That is no error: sigma_intra is the standard deviation with N-1 degrees of
// freedom, and sums of K of N values, drawn without replacement, are p values with variance K sigma^2 (1-1/p)
// and correlation -1/(p-1), which is to say p independent ones with variance K sigma^2 less their mean. Taking away a mean
// that is fixed leaves the expected maximum as it is, if the sums are normal.
//
// # Interference
//
// The footprint of one quantum is not all that a target has in a host's cache: where quanta are short, pages and lines of
// earlier ones are lost too, so that misses are more than the projection that is lost. Arrays that
// programs align lie in the same sets of a direct-mapped cache, more than chance would have it. So gamma and
// bounded take the misses of a switch from what targets use of every set in spans of many quanta, where analyze has
// found them ([spoor/analyze/footprint], model_sets), and else from the footprints of a quantum. Compare
// shows how far off they are, and intervals include that, where misses have been simulated.
//
// # Units and symbols
//
// Times are in cycles of the host. mu and sigma_intra count cycles of the target, which is the same with direct
// execution. N is the number of targets, K of them on each of p hosts; F_S, F_avg, F_max are
// footprints in blocks (see [spoor/analyze/footprint]).
//
// [falsafi1997] B. Falsafi, D. A. Wood: Modeling cost/performance of a parallel computer
// simulator. ACM Transactions on Modeling and Computer Simulation 7(1), 1997, pp. 104-130.
//
// [cario1997] M. C. Cario, B. L. Nelson: Modeling and generating random vectors with arbitrary marginal distributions and correlation matrix.
// Northwestern University, 1997.
package windtunnel

import (
	"fmt"
	"strings"

	"spoor/analyze/footprint"
	"spoor/traces/unit"
)

// Paper is the key of the paper that the models are from.
const Paper = "falsafi1997"

// Parameters are the inputs of T(K,p): of the target program and of the host [falsafi1997, Table 1].
type Parameters struct {
	Targets int         // N of the run that was measured
	Mu      unit.Cycles // mean processing time of a target in a quantum, zeros included
	Sigma   unit.Cycles // sigma_intra
	Quantum unit.Cycles // which no processing time exceeds; 0 if they may
	Active  float64     // N_cxsw, targets that are switched to in a quantum
	Running float64     // N_fp, targets whose processor runs in a quantum
	// SigmaActive and SigmaRunning are standard deviations within a quantum of what is 1 for such a
	// target and 0 for the others; not a number if they are not known.
	SigmaActive, SigmaRunning float64

	Kinds   []QuantumKind // of quanta; none: all are alike
	Sampled *Samples      // what each target does in which quantum; nil: not known

	Switch     unit.Cycles // T_cxsw
	Underflows float64     // N_win, register window underflows of a switch
	Underflow  unit.Cycles // T_win, of one
	FloatingPt unit.Cycles // T_fp, to save and restore floating-point registers
	Overhead   unit.Cycles // T_quantumoverhead
	Cache, TLB Level
}

// Level is a cache or TLB of a host, and what targets leave in it.
type Level struct {
	Shape footprint.Shape
	Miss  unit.Cycles // T_cachemiss or T_TLBmiss; 0: misses cost nothing, and Shape and footprints are not needed
	Trace Footprints  // with blocks shared if several targets use them at any time: the paper's
	Turn  Footprints  // with blocks shared if several targets use them in the same quantum
	// Classes are quanta with such footprints, from small to large; none: all are alike.
	Classes []Class
	// PerSwitch are misses that a switch causes, by number of targets on a host, 2 at least, as package footprint finds
	// them from what targets use of every set; none: they are found from the footprints of a quantum.
	PerSwitch map[int]float64
}

// Class is quanta that resemble each other.
type Class struct {
	Weight          float64 // share of switches; all add up to 1
	Shared, Average float64 // F_S and F_avg in these, over the means of all classes
}

// Footprints are blocks that a target uses in a quantum.
type Footprints struct{ Shared, Average, Largest float64 } // F_S, F_avg, F_max

// Time is the time of a quantum by cause.
type Time struct {
	Work      unit.Cycles // K mu
	Imbalance unit.Cycles // the rest of T_processing
	Switch    unit.Cycles // T_direct
	Cache     unit.Cycles // T_cache&TLB: of the cache
	TLB       unit.Cycles
	Overhead  unit.Cycles // T_quantumoverhead
}

// Processing is T_processing.
func (t Time) Processing() unit.Cycles { return t.Work + t.Imbalance }

// Interference is T_cache&TLB.
func (t Time) Interference() unit.Cycles { return t.Cache + t.TLB }

// Total is T(K,p) [falsafi1997, eq. 16].
func (t Time) Total() unit.Cycles {
	return t.Processing() + t.Switch + t.Interference() + t.Overhead
}

// Limit is the name of the largest part, the first of equals.
func (t Time) Limit() string {
	name, most := "work", t.Work
	for _, part := range []struct {
		name string
		time unit.Cycles
	}{{"imbalance", t.Imbalance}, {"switch", t.Switch}, {"cache", t.Cache}, {"TLB", t.TLB}, {"overhead", t.Overhead}} {
		if part.time > most {
			name, most = part.name, part.time
		}
	}
	return name
}

// Model is a way to compute T(K,p).
type Model struct {
	Name string
	// longest is T_processing(K,p).
	longest func(w work, k, hosts int) float64
	// published says that all else is the paper's too: eq. 4-14, and how they are extrapolated; printed, with its slips.
	published, printed bool
	// bounded says that the model needs processing times that the quantum bounds, kinds that it needs samples of quanta, placed that it knows which
	// targets share a host.
	bounded, kinds, placed bool
}

// Models lists the models, from the published one to the most exact.
var Models = []Model{
	{Name: "printed", longest: kruskalWeiss, published: true, printed: true},
	{Name: "paper", longest: kruskalWeiss, published: true},
	{Name: "gamma", longest: gammaMaximum},
	{Name: "bounded", longest: boundedMaximum, bounded: true},
	{Name: "kinds", longest: boundedMaximum, bounded: true, kinds: true},
	{Name: "placed", longest: boundedMaximum, bounded: true, kinds: true, placed: true},
}

// Named is the model called name.
func Named(name string) (Model, error) {
	var names []string
	for _, m := range Models {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Model{}, fmt.Errorf("there is no model %q; there are %s", name, strings.Join(names, ", "))
}

// Places reports whether m knows which targets share a host.
func (m Model) Places() bool { return m.placed }

// Best is the last of Models that applies to p.
func (p *Parameters) Best() Model {
	best := Models[0]
	for _, m := range Models {
		if m.applies(p) == nil {
			best = m
		}
	}
	return best
}

func (m Model) applies(p *Parameters) error {
	if m.bounded && p.Quantum == 0 {
		return fmt.Errorf("model %s is for processing times that the quantum bounds, and these are longer, or the quantum is not known; take model gamma", m.Name)
	}
	if m.placed && p.Sampled == nil || m.kinds && len(p.Kinds) == 0 {
		return fmt.Errorf("model %s needs samples of quanta, which analyze --run quanta leaves as quanta.arrow; take model bounded", m.Name)
	}
	return nil
}
