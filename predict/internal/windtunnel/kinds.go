package windtunnel

import (
	"cmp"
	"math"
	"slices"

	"spoor/traces/unit"
)

// quantumKinds is the number of kinds of quanta. Four times as many change no speedup of the study by 1 %.
const quantumKinds = 16

// QuantumKind is a kind of quanta in which targets execute for similar times, relative to all quanta.
type QuantumKind struct {
	Weight                    float64 // share of quanta; all add up to 1
	Mu, Sigma                 float64 // relative to all quanta
	Active, Running           float64
	SigmaActive, SigmaRunning float64
}

// kinds divides the samples into kinds with equally many quanta each, by mean processing time.
func (s *Samples) kinds() (out []QuantumKind) {
	n := s.quanta()
	each, all := s.ordered()
	count := min(quantumKinds, n)
	for k := range count {
		from, to := k*n/count, (k+1)*n/count
		one := sums{}
		for _, q := range each[from:to] {
			one.add(q)
		}
		of := float64(to-from) / float64(n)
		mean := func(one, all float64) float64 { return quotient(one, all*of) }
		out = append(out, QuantumKind{Weight: of, Mu: mean(one.time, all.time), Sigma: math.Sqrt(mean(one.squares, all.squares)),
			Active: mean(one.active, all.active), Running: mean(one.running, all.running),
			SigmaActive: math.Sqrt(mean(one.activeSquares, all.activeSquares)), SigmaRunning: math.Sqrt(mean(one.runningSquares, all.runningSquares))})
	}
	return out
}

// ordered returns the sums of each quantum, by increasing time, and the sums of all.
func (s *Samples) ordered() (each []sums, all sums) {
	each = make([]sums, s.quanta())
	for q := range each {
		each[q] = s.sums(q)
		all.add(each[q])
	}
	slices.SortStableFunc(each, func(a, b sums) int { return cmp.Compare(a.time, b.time) })
	return each, all
}

// of returns p for the quanta of one kind.
func (k *QuantumKind) of(p *Parameters) *Parameters {
	q, n := *p, float64(p.Targets)
	q.Mu, q.Sigma = q.within(float64(p.Mu)*k.Mu), p.Sigma*unit.Cycles(k.Sigma)
	q.Active, q.Running = min(n, p.Active*k.Active), min(n, p.Running*k.Running)
	q.SigmaActive, q.SigmaRunning = min(1, p.SigmaActive*k.SigmaActive), min(1, p.SigmaRunning*k.SigmaRunning)
	return &q
}

// overKinds returns T(K,p) as the mean over all kinds of quanta. The slowest host of a quantum in which nearly
// all targets wait differs from that of a mean quantum.
func (c *calculator) overKinds(k, hosts int) (sum Time, err error) {
	for i := range c.Kinds {
		kind := &c.Kinds[i]
		one := calculator{model: c.model, Parameters: kind.of(c.Parameters), misses: c.misses}
		t, err := one.quantum(k, hosts)
		if err != nil {
			return Time{}, err
		}
		w := unit.Cycles(kind.Weight)
		sum.Work += w * t.Work
		sum.Imbalance += w * t.Imbalance
		sum.Switch += w * t.Switch
		sum.Cache += w * t.Cache
		sum.TLB += w * t.TLB
		sum.Overhead += w * t.Overhead
	}
	return sum, nil
}
