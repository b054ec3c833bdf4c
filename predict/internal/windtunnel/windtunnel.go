// Package windtunnel predicts the time and cost of simulating a parallel computer of N target nodes on p host
// nodes. Its input is one fully parallel run (p = N).
//
// The simulator is conservative with a fixed window, like the Wisconsin Wind Tunnel. Every host runs its K =
// N/p targets through one quantum after the other. All hosts meet at a barrier at the end of each quantum. So
// the time of a quantum is that of the slowest host:
//
//	T(K,p) = T_processing(K,p) + T_direct(K,p) + T_cache&TLB(K) + T_quantumoverhead   [falsafi1997, eq. 16]
//
// The first term includes imbalance (eq. 1), the second the switches between targets (eq. 2, 3), and the third
// the interference of targets in caches (eq. 4-15). With costs (eq. 17-19) it gives cost/performance (eq. 20),
// whose minimum over K has an asymptotic form (eq. 21).
//
// # Models
//
// [Models] differ in the expected maximum over p hosts of the sum of K processing times. All use the same mean
// and standard deviation within a quantum:
//
//   - printed is eq. 1, of Kruskal and Weiss, with all other equations as printed.
//   - paper is the same, but corrects the slips in eq. 10, 12 and 14. With the slips, interference is negative by the size of the cache.
//   - gamma is the exact order statistic of gamma-distributed sums. Its interference has one place for each shared block, and LRU
//     replacement.
//   - bounded is the same with a beta distribution, because no processing time exceeds the quantum: if time is instructions executed, a
//     target executes for the whole quantum or waits.
//   - kinds applies bounded to each of 16 kinds of quanta and takes the mean. The kinds range from quanta in which nearly all targets
//     wait to those in which nearly all execute. It needs samples of quanta.
//   - placed is the same with hosts that differ. For each kind of quanta it uses the mean and variance of the work of each host, with the
//     targets on it, and the correlations between hosts, as a Gaussian copula [cario1997]. It is the default if there are samples, for
//     systems of the measured size. For other sizes it is not known which targets share a host, so the model is kinds.
//
// The paper's T_processing is that of a mean quantum. If misses take time, quanta differ, and the expected
// maximum of a mixture is not that of its mean: one target that executes alone is the slowest for any mean.
//
// Models other than placed assume independent hosts, although the times of a quantum are divided among them.
// That is exact if the sums are normal. sigma_intra is the standard deviation with N-1 degrees of freedom.
// Sums of K of N values, drawn without replacement, are p values with variance K sigma^2 (1-1/p) and
// correlation -1/(p-1). These are p independent values with variance K sigma^2 less their mean, and
// subtracting a fixed mean does not change the expected maximum.
//
// # Interference
//
// A target has more in a host's cache than the footprint of one quantum. If quanta are short, it also loses
// pages and lines of earlier quanta, so the misses exceed the lost projection. Arrays that programs align use
// the same sets of a direct-mapped cache more often than random ones. So gamma and bounded take the misses of
// a switch from the sets that targets use over many quanta, if analyze has counted them
// ([spoor/analyze/footprint], model_sets). Otherwise they take them from the footprints of a quantum. Compare
// reports their errors. Intervals include these errors if misses were simulated.
//
// # Units and symbols
//
// Times are in cycles of the host. mu and sigma_intra count cycles of the target, which are the same with
// direct execution. N is the number of targets, K of them on each of p hosts. F_S, F_avg and F_max are
// footprints in blocks (see [spoor/analyze/footprint]).
package windtunnel

import (
	"fmt"

	"spoor/analyze/footprint"
	"spoor/traces/lookup"
	"spoor/traces/unit"
)

// Parameters are the inputs of T(K,p), for the target program and the host [falsafi1997, Table 1].
type Parameters struct {
	Targets int         // N of the measured run
	Mu      unit.Cycles // mean processing time of a target in a quantum, zeros included
	Sigma   unit.Cycles // sigma_intra
	Quantum unit.Cycles // upper bound of processing times; 0: none
	Active  float64     // N_cxsw, targets that a host switches to in a quantum
	Running float64     // N_fp, targets whose processor runs in a quantum
	// SigmaActive and SigmaRunning are standard deviations within a quantum of the indicator that a target is
	// active or runs. They are NaN if not known.
	SigmaActive, SigmaRunning float64

	Kinds   []QuantumKind // kinds of quanta; none: all quanta are alike
	Sampled *Samples      // work of each target in each quantum; nil: not known

	Switch     unit.Cycles // T_cxsw
	Underflows float64     // N_win, register window underflows of a switch
	Underflow  unit.Cycles // T_win, time of one underflow
	FloatingPt unit.Cycles // T_fp, time to save and restore floating-point registers
	Overhead   unit.Cycles // T_quantumoverhead
	Cache, TLB Level
}

// Level is a cache or TLB of a host, with the footprints of targets in it.
type Level struct {
	Shape footprint.Shape
	Miss  unit.Cycles // T_cachemiss or T_TLBmiss; 0: misses cost nothing, and Shape and footprints are not needed
	Trace Footprints  // footprints of the paper: a block is shared if several targets use it at any time
	Turn  Footprints  // a block is shared only if several targets use it in the same quantum
	// Classes are classes of quanta by footprint, from small to large; none: all quanta are alike.
	Classes []Class
	// PerSwitch is the misses of a switch, by number of targets on a host (2 or more). Package footprint computes
	// them from the sets that targets use; none: they follow from the footprints of a quantum.
	PerSwitch map[int]float64
}

// Class is a class of quanta with similar footprints.
type Class struct {
	Weight          float64 // share of switches; all add up to 1
	Shared, Average float64 // F_S and F_avg of the class, relative to the means of all classes
}

// Footprints counts the blocks that a target uses in a quantum.
type Footprints struct{ Shared, Average, Largest float64 } // F_S, F_avg, F_max

// Time is the time of a quantum by cause.
type Time struct {
	Work      unit.Cycles // K mu
	Imbalance unit.Cycles // rest of T_processing
	Switch    unit.Cycles // T_direct
	Cache     unit.Cycles // part of the cache in T_cache&TLB
	TLB       unit.Cycles // part of the TLB in T_cache&TLB
	Overhead  unit.Cycles // T_quantumoverhead
}

// processing returns T_processing.
func (t Time) processing() unit.Cycles { return t.Work + t.Imbalance }

// Interference returns T_cache&TLB.
func (t Time) Interference() unit.Cycles { return t.Cache + t.TLB }

// total returns T(K,p) [falsafi1997, eq. 16].
func (t Time) total() unit.Cycles {
	return t.processing() + t.Switch + t.Interference() + t.Overhead
}

// Limit returns the name of the largest part, or the first of equal parts.
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

// Model is a method to compute T(K,p).
type Model struct {
	Name string
	Doc  string // one line for help texts
	// longest returns T_processing(K,p).
	longest func(w work, k, hosts int) float64
	// published: eq. 4-14 and their extrapolation are the paper's too. printed: they include its slips.
	published, printed bool
	// bounded: processing times must be at most the quantum. kinds: the model needs samples of quanta.
	// placed: the model uses which targets share a host.
	bounded, kinds, placed bool
}

// Models lists the models, from the published one to the most exact.
var Models = []Model{
	{Name: "printed", Doc: "all equations as printed; --as-printed selects it", longest: kruskalWeiss, published: true, printed: true},
	{Name: "paper", Doc: "the same with the slips in equations 10, 12 and 14 corrected", longest: kruskalWeiss, published: true},
	{Name: "gamma", Doc: "order statistics of gamma distributions, and interference as in simulations", longest: gammaMaximum},
	{Name: "bounded", Doc: "the same with processing times of at most the quantum; the default if that holds", longest: boundedMaximum, bounded: true},
	{Name: "kinds", Doc: "bounded for each of 16 kinds of quanta; needs samples of quanta", longest: boundedMaximum, bounded: true, kinds: true},
	{Name: "placed", Doc: "kinds with the targets that --placement puts on each host; the default with samples", longest: boundedMaximum, bounded: true, kinds: true, placed: true},
}

// Named returns the model called name.
func Named(name string) (Model, error) {
	var names []string
	for _, m := range Models {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Model{}, lookup.Unknown("model", name, names)
}

// Places reports whether m uses which targets share a host.
func (m Model) Places() bool { return m.placed }

// Best returns the last of Models that applies to p.
func (p *Parameters) Best() Model {
	best := Models[0]
	for _, m := range Models {
		if m.applies(p) == nil {
			best = m
		}
	}
	return best
}

// applies returns an error if m cannot be used with p.
func (m Model) applies(p *Parameters) error {
	if m.bounded && p.Quantum == 0 {
		return fmt.Errorf("model %s needs processing times of at most a known quantum; use model gamma", m.Name)
	}
	if m.placed && p.Sampled == nil || m.kinds && len(p.Kinds) == 0 {
		return fmt.Errorf("model %s needs samples of quanta (quanta.arrow of analyze --run quanta); use model bounded", m.Name)
	}
	return nil
}
