package quanta

import (
	"fmt"
	"math"

	"spoor/analyze/internal/paramfile"
)

// parameters returns the inputs of [falsafi1997] that a trace determines, and results to compare the model
// with. Times are in cycles.
func (a *Analysis) parameters(s *shard) []paramfile.Param {
	k, procs, n := &s.sums, s.samples.procs, s.sums.quanta
	b := s.samples.bootstrap(a.Seed)
	quanta := float64(n)
	count := float64(n) * float64(procs)
	sse, sst := k.sumsOfSquares(procs)
	var out []paramfile.Param
	estimate := func(name, unit string, value, scale float64, of statistic, what string) {
		lo, hi := b.interval(value, of)
		out = append(out, paramfile.Param{Name: name, Unit: unit, N: n, Source: a.Source, Method: what + "; " + b.method,
			Estimate: paramfile.Estimate{Value: value * scale, Lo: lo * scale, Hi: hi * scale}})
	}
	estimate("mu", "cycles", float64(k.time)/count, a.cpi(), mean, "mean processing time of a processor in a quantum, zeros included")
	if procs > 1 {
		estimate("sigma_intra", "cycles", math.Sqrt(sse/quanta/float64(procs-1)), a.cpi(), intra,
			"standard deviation of processing times within a quantum: root of the mean square about the means of quanta, n (P-1) degrees of freedom")
	}
	if count > 1 {
		estimate("sigma", "cycles", math.Sqrt(sst/(count-1)), a.cpi(), total, "standard deviation of all processing times")
	}
	if n > 1 {
		estimate("sigma_inter", "cycles", math.Sqrt(k.betweenQuanta(procs)/(quanta-1)), a.cpi(), inter,
			"standard deviation between quanta of their mean processing time")
	}
	if sst > 0 {
		what := "share of the variation of processing times that is within quanta: SSE/SST"
		out = append(out, paramfile.Exact("intra_share", sse/sst, "1", n, what, a.Source))
	}
	estimate("slowest", "cycles", float64(k.slowest)/quanta, a.cpi(), slowest, "mean over quanta of the longest processing time: what a model of K = 1 predicts")
	estimate("n_cxsw", "processors", float64(k.active)/quanta, 1, active, "mean number of processors active in a quantum")
	estimate("n_fp", "processors", float64(k.running)/quanta, 1, running, "mean number of processors that execute in a quantum")
	if procs > 1 {
		what := "standard deviation within a quantum of what is 1 for a processor that %s and 0 for one that does not; n (P-1) degrees of freedom"
		freedom := quanta * float64(procs-1)
		estimate("sigma_cxsw", "1", math.Sqrt(k.activeSquares.deviations(k.active, procs)/freedom), 1, intraActive, fmt.Sprintf(what, "is active"))
		estimate("sigma_fp", "1", math.Sqrt(k.runningSquares.deviations(k.running, procs)/freedom), 1, intraRunning, fmt.Sprintf(what, "executes"))
	}
	return append(out, a.counted(s)...)
}

// counted returns the parameters that are counts or were chosen.
func (a *Analysis) counted(s *shard) []paramfile.Param {
	procs, n := s.samples.procs, s.sums.quanta
	var out []paramfile.Param
	exact := func(name, unit string, value float64, what string) {
		out = append(out, paramfile.Exact(name, value, unit, n, what, a.Source))
	}
	for _, h := range s.present() {
		exact("per_quantum_"+h.String(), "1", float64(s.totals[h])/(float64(n)*float64(procs)), fmt.Sprintf("counted: %s per processor and quantum", h))
	}
	exact("targets", "processors", float64(procs), "counted")
	exact("quanta", "1", float64(n), "counted")
	exact("quantum", "cycles", float64(a.Length)*a.cpi(), "chosen")
	if !a.simulated {
		exact("cpi", "cycles", a.cpi(), "chosen: cycles per instruction")
	}
	return out
}

// quantumSums has the sums over quanta that statistics need. Processors count as often as they were drawn.
type quantumSums struct {
	time, squares, slowest, running, active float64
	between                                 float64 // sum of the squares of each quantum's total time
	runningSquares, activeSquares           float64 // sums of the squares of the numbers of running and active processors of each quantum
}

// statistic computes a parameter from a replicate.
type statistic func(k *replicate) float64

func mean(k *replicate) float64    { return k.time / k.n / k.procs }
func slowest(k *replicate) float64 { return k.slowest / k.n }
func active(k *replicate) float64  { return k.active / k.n }
func running(k *replicate) float64 { return k.running / k.n }

// intra corrects the bias of processors that were drawn twice, which takes the share 1/P off the expected
// squares.
func intra(k *replicate) float64 { return k.within(k.squares, k.between) }

// intraActive and intraRunning are for values of 0 or 1, which equal their squares.
func intraActive(k *replicate) float64  { return k.within(k.active, k.activeSquares) }
func intraRunning(k *replicate) float64 { return k.within(k.running, k.runningSquares) }

func (k *replicate) within(squares, between float64) float64 {
	square := max(0, difference(squares, k.procs, between, 1)) / k.procs / k.n / (k.procs - 1)
	if k.resampled {
		square *= k.procs / (k.procs - 1)
	}
	return math.Sqrt(square)
}

// inter computes the deviation between quanta from their sums over processors.
func inter(k *replicate) float64 {
	square := difference(k.between, k.n, k.time, k.time) / k.n / max(1, k.n-1)
	return math.Sqrt(max(0, square)) / k.procs
}

func total(k *replicate) float64 {
	count := k.n * k.procs
	return math.Sqrt(max(0, difference(k.squares, count, k.time, k.time)) / count / max(1, count-1))
}

// difference returns a*b - c*d without cancellation, by the method of Kahan. So equal values have a deviation
// of 0.
func difference(a, b, c, d float64) float64 {
	cd := c * d
	return math.FMA(a, b, -cd) + math.FMA(-c, d, cd)
}

// prefixSums gives the sums over consecutive quanta.
type prefixSums struct {
	*samples
	weights []uint32      // how often each processor counts
	prefix  []quantumSums // sums of the first i quanta
	exact   bool          // all sums are exact, and so are their differences
}

// prefixSums computes the prefix sums of the sampled quanta. It overwrites t unless t is nil.
func (s *samples) prefixSums(weights []uint32, t *prefixSums) *prefixSums {
	if t == nil {
		t = &prefixSums{samples: s, prefix: make([]quantumSums, len(s.number)+1)}
	}
	t.weights = weights
	var all quantumSums
	for i := range s.number {
		q := s.sums(i, weights)
		all.add(&q)
		t.prefix[i+1] = all
	}
	// Sums of squares are the largest, and all are whole numbers.
	t.exact = max(all.squares, all.between, all.runningSquares, all.activeSquares) < 1<<53
	return t
}

// add adds the quanta from from up to to.
func (k *replicate) add(t *prefixSums, from, to int) {
	k.n += float64(to - from)
	k.procs = float64(t.procs)
	if t.exact {
		k.addBetween(&t.prefix[from], &t.prefix[to])
		return
	}
	for i := from; i < to; i++ {
		q := t.sums(i, t.weights)
		k.quantumSums.add(&q)
	}
}

func (s *quantumSums) add(q *quantumSums) {
	s.time += q.time
	s.squares += q.squares
	s.slowest += q.slowest
	s.running += q.running
	s.active += q.active
	s.between += q.between
	s.runningSquares += q.runningSquares
	s.activeSquares += q.activeSquares
}

// addBetween adds the difference of two prefix sums.
func (s *quantumSums) addBetween(from, to *quantumSums) {
	s.time += to.time - from.time
	s.squares += to.squares - from.squares
	s.slowest += to.slowest - from.slowest
	s.running += to.running - from.running
	s.active += to.active - from.active
	s.between += to.between - from.between
	s.runningSquares += to.runningSquares - from.runningSquares
	s.activeSquares += to.activeSquares - from.activeSquares
}

// sums returns the sums of sampled quantum i. Every processor counts as often as its weight.
func (s *samples) sums(i int, weights []uint32) (q quantumSums) {
	times, actives := s.time[i*s.procs:][:s.procs], s.active[i*s.procs:][:s.procs]
	for p, w := range weights {
		x, f := float64(times[p]), float64(w)
		q.slowest = max(q.slowest, x)
		q.time += f * x
		q.squares += f * x * x
		q.active += f * float64(actives[p])
		if x > 0 {
			q.running += f
		}
	}
	q.between, q.runningSquares, q.activeSquares = q.time*q.time, q.running*q.running, q.active*q.active
	return q
}
