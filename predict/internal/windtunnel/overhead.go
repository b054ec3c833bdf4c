package windtunnel

import (
	"maps"
	"math"
	"slices"

	"spoor/analyze/footprint"
)

// mostActive returns the expected maximum over p hosts of the number of active targets. Each host has k
// targets, and each target is active independently with this probability:
//
//	E[max of p B(k,P)] = sum_{x=0}^{k} (1 - P{B(k,P) <= x}^p)   [falsafi1997, eq. 2]
func mostActive(k int, probability float64, hosts int) float64 {
	n := float64(k)
	if probability >= 1 {
		return n
	}
	sum, cdf := 0.0, 0.0
	odds := math.Log(probability) - math.Log1p(-probability)
	at := n * math.Log1p(-probability) // log P{B = x}
	for x := 0.0; x < n; x++ {
		cdf = min(1, cdf+math.Exp(at))
		sum += -math.Expm1(float64(hosts) * math.Log(cdf))
		at += odds + math.Log((n-x)/(x+1))
	}
	return sum
}

// boundedActive is the same if activity varies less within quanta than between them, for example if all
// targets wait for one. Sums have a beta distribution between 0 and k, with variance k sigma^2. It is to
// mostActive as boundedMaximum is to kruskalWeiss.
//
// Differs: [falsafi1997, eq. 2] assumes that targets are active independently.
func boundedActive(k int, probability, sigma float64, hosts int) float64 {
	return boundedMaximum(work{probability, sigma, 1}, k, hosts)
}

// direct returns the time of switches. Here active and running are the expected numbers on the critical path:
//
//	T_direct = active (T_cxsw + N_win T_win) + running T_fp   [falsafi1997, eq. 3]
func (p *Parameters) direct(active, running float64) float64 {
	return active*(float64(p.Switch)+p.Underflows*float64(p.Underflow)) + running*float64(p.FloatingPt)
}

// interference returns the misses that k targets on a host cause each other in a quantum, if all are active:
//
//	M(K) = I(F_S,F_max,(K-1)F_avg) + (K-1) I(F_S,F_avg,(K-2)F_avg+F_max)   [falsafi1997, eq. 14]
//
// Differs: other targets run one after the other, with LRU replacement and one place for each shared block
// ([footprint.Shape.Turns]), and M(1) = 0. A block is shared if others use it in the same quantum, because
// only then is it in the cache because of them. If all targets use all of the shared segment in every quantum,
// as the paper assumes, both definitions of shared are equal.
//
// Differs: if the sets that targets use are known, these decide, not randomly placed footprints.
//
// Differs: if the variation of footprints between quanta is known, interference is the mean over classes of
// quanta, not that of the mean footprint. With LRU replacement there is no interference as long as the data of
// all targets fits.
func (l *Level) interference(m Model, k int) (float64, error) {
	switch {
	case m.printed:
		return l.printed(k)
	case m.published:
		return footprint.TurnInterference(l.Shape.PaperInterference, k, l.Trace.Shared, l.Trace.Average, l.Trace.Largest)
	}
	if len(l.PerSwitch) > 0 {
		return float64(k) * l.perSwitch(k), nil
	}
	if len(l.Classes) == 0 {
		return l.Shape.TurnInterference(k, l.Turn.Shared, l.Turn.Average, l.Turn.Largest)
	}
	sum := 0.0
	for _, c := range l.Classes {
		m, err := l.Shape.TurnInterference(k, c.Shared*l.Turn.Shared, c.Average*l.Turn.Average, c.Average*l.Turn.Largest)
		if err != nil {
			return 0, err
		}
		sum += c.Weight * m
	}
	return sum, nil
}

// perSwitch returns the misses of a switch between k targets. Between known numbers it interpolates over the
// logarithm of k. Beyond the largest it stays constant, because a target cannot lose more than it has.
func (l *Level) perSwitch(k int) float64 {
	if k < 2 {
		return 0
	}
	known := slices.Sorted(maps.Keys(l.PerSwitch))
	i, found := slices.BinarySearch(known, k)
	switch {
	case found || i == 0:
		return l.PerSwitch[known[i]]
	case i == len(known):
		return l.PerSwitch[known[i-1]]
	}
	a, b := known[i-1], known[i]
	part := math.Log(float64(k)/float64(a)) / math.Log(float64(b)/float64(a))
	return l.PerSwitch[a] + part*(l.PerSwitch[b]-l.PerSwitch[a])
}

// printed returns M(K) as printed, also for one target. I is [falsafi1997, eq. 4-7] in a fully associative
// cache and eq. 8-13 in a direct-mapped one. There, footprints are rounded to whole blocks; see
// [footprint.Printed].
func (l *Level) printed(k int) (float64, error) {
	i := l.Shape.PaperInterference
	if l.Shape.Sets > 1 && l.Shape.Ways == 1 {
		i = func(fs, fa, fb float64) (float64, error) {
			return footprint.Printed{}.Interference(l.Shape.Sets, whole(fs), whole(fa), whole(fb))
		}
	}
	f, others := l.Trace, float64(k-1)
	first, err := i(f.Shared, f.Largest, others*f.Average)
	if err != nil || k == 1 {
		return first, err
	}
	rest, err := i(f.Shared, f.Average, (others-1)*f.Average+f.Largest)
	return first + others*rest, err
}

// whole rounds a number of blocks, with an upper limit. The callee refuses the largest numbers.
func whole(blocks float64) int { return int(math.Round(min(blocks, math.MaxInt32))) }
