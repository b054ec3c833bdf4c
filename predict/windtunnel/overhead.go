package windtunnel

import (
	"maps"
	"math"
	"slices"

	"spoor/analyze/footprint"
)

// mostActive is the expected maximum over p hosts of how many of the k targets of each are
// active, every one independently with this probability:
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

// mostWithin is the same if activity varies less within quanta than from one to the next, as where all targets wait for one: sums
// have a beta distribution between 0 and k, with variance k sigma^2. It is to mostActive what boundedMaximum is
// to kruskalWeiss.
//
// Differs: [falsafi1997, eq. 2] has a coin for each target, as if it did not matter what the others do.
func mostWithin(k int, probability, sigma float64, hosts int) float64 {
	return boundedMaximum(work{probability, sigma, 1}, k, hosts)
}

// direct is the time of switches, where active and running are the expected numbers
// on the critical path:
//
//	T_direct = active (T_cxsw + N_win T_win) + running T_fp   [falsafi1997, eq. 3]
func (p *Parameters) direct(active, running float64) float64 {
	return active*(float64(p.Switch)+p.Underflows*float64(p.Underflow)) + running*float64(p.FloatingPt)
}

// interference is the misses that k targets on a host cause each other in a
// quantum, all of which are active.
//
//	M(K) = I(F_S,F_max,(K-1)F_avg) + (K-1) I(F_S,F_avg,(K-2)F_avg+F_max)   [falsafi1997, eq. 14]
//
// Differs: others run one after the other, with LRU replacement and one place for each shared block ([footprint.Shape.Turns]);
// M(1) = 0; and a block is shared if others use it in the same quantum, for only then is it there because of
// them. Where all of the shared segment is used by all in every quantum, as the paper has it, the last is the same.
//
// Differs: if it is known what targets use of every set, that decides, and not footprints that are put there at random.
//
// Differs: if it is known how footprints vary from quantum to quantum, interference is the mean over classes of quanta,
// not that of the mean footprint: with LRU replacement there is none until all that targets use does not fit.
func (l *Level) interference(m Model, k int) (float64, error) {
	switch {
	case m.printed:
		return l.printed(k)
	case m.published:
		return footprint.Several(l.Shape.PaperInterference, k, l.Trace.Shared, l.Trace.Average, l.Trace.Largest)
	}
	if len(l.PerSwitch) > 0 {
		return float64(k) * l.perSwitch(k), nil
	}
	if len(l.Classes) == 0 {
		return l.Shape.Turns(k, l.Turn.Shared, l.Turn.Average, l.Turn.Largest)
	}
	sum := 0.0
	for _, c := range l.Classes {
		m, err := l.Shape.Turns(k, c.Shared*l.Turn.Shared, c.Average*l.Turn.Average, c.Average*l.Turn.Largest)
		if err != nil {
			return 0, err
		}
		sum += c.Weight * m
	}
	return sum, nil
}

// perSwitch is the misses of a switch between k targets. Between numbers that are known it is taken along the
// logarithm of k; beyond the largest it stays as it is, for a target cannot lose more than it has.
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

// printed is M(K) as printed, of one target too, with I of [falsafi1997, eq. 4-7] in a fully associative
// cache and of eq. 8-13 in a direct-mapped one, for which footprints are rounded to whole
// blocks; see [footprint.Printed].
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

// whole is a number of blocks, rounded; the largest are refused by whom they are for.
func whole(blocks float64) int { return int(math.Round(min(blocks, math.MaxInt32))) }
