// Package synthetic makes timings of hosts with known parameters, for tests: a fit must find the parameters again.
// Timings have the disturbances of real hosts: noise of samples and of launches, outliers, and a state that
// changes during a measurement.
package synthetic

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/packing"
	"spoor/traces/unit"
)

// State is a state of the host.
type State struct {
	Name     string
	Factor   float64 // multiplies all coefficients
	Sentinel unit.Seconds
}

// Noise is the disturbance of times. Each factor is 1 + a normal deviate of the given standard deviation.
type Noise struct {
	Sample, Launch float64
	Outliers       float64 // share of samples that take up to ten times as long
	Switch         float64 // probability that the state changes before the next sample
}

// Host is a simulated host.
type Host struct {
	States []State // one at least
	Noise  Noise
	// Launches of the program, and repetitions in each of them.
	Launches, Reps int
	Line, Page     unit.Bytes
	// Run is the number of the run of the same measurements. Each run has other noise.
	Run uint64
	// Exchanges adds exchanges to fit; without it exchanges are test points only.
	Exchanges bool
}

// Usual returns a typical host: it changes between three states, as far apart as two virtual processors can be.
func Usual() Host {
	return Host{
		States: []State{{"near", 1, 110e-9}, {"mid", 1.6, 220e-9}, {"far", 4.5, 780e-9}},
		Noise:  Noise{Sample: 0.01, Launch: 0.003, Outliers: 0.03, Switch: 0.05}, Launches: 5, Reps: 30, Line: 64, Page: 4096,
	}
}

// measure times every point in every launch, in shuffled order. law gives the time of a point if all work of the
// host takes factor times as long. Pauses are exact.
func (h *Host) measure(points []packing.Point, law func(p *packing.Point, factor float64) float64, seed uint64) *timing.Data {
	r := rand.New(rand.NewPCG(seed, 1000+h.Run))
	d := &timing.Data{Line: h.Line, Page: h.Page, Timings: make([]timing.Timing, 0, len(points)*h.Reps*h.Launches)}
	state := 0
	for launch := range h.Launches {
		off := 1 + h.Noise.Launch*r.NormFloat64()
		reps := map[[2]int]int{}
		for i := range len(points) * h.Reps {
			p := r.IntN(len(points))
			if i < len(points) {
				p = i
			}
			if r.Float64() < h.Noise.Switch {
				state = r.IntN(len(h.States))
			}
			s := &h.States[state]
			pause := float64(points[p].Count-1) * float64(points[p].Delay)
			t := (law(&points[p], s.Factor) - pause) * off * (1 + h.Noise.Sample*r.NormFloat64())
			if r.Float64() < h.Noise.Outliers {
				t *= 1 + 9*r.Float64()
			}
			t += pause
			one := timing.Timing{Point: points[p], Launch: launch, Rep: reps[[2]int{p, state}], Time: unit.Seconds(t)}
			reps[[2]int{p, state}]++
			if len(h.States) > 1 {
				one.State = s.Name
				one.Sentinel = unit.Seconds(float64(s.Sentinel) * (1 + 0.05*r.Float64()))
			}
			d.Timings = append(d.Timings, one)
		}
	}
	return d
}

// Transfers returns timings of blocks of matrices of at most most x most items of 4 bytes, of up to 200 rows or
// columns. It draws as many training as test points, in the same way [hur1999, sec. 4.5]. coef are the
// coefficients of m.
func (h *Host) Transfers(m *packing.Model, coef []float64, points int, most int64, seed uint64) (*timing.Data, error) {
	r := rand.New(rand.NewPCG(seed, 11))
	var all []packing.Point
	for i := range 2 * points {
		p := block(r, i%2 == 0, most)
		p.Set = timing.Train
		if i >= points {
			p.Set = timing.Test
		}
		all = append(all, p)
	}
	times := map[packing.Point]float64{}
	for i := range all {
		f, err := packing.Of(&all[i], h.Line, h.Page)
		if err != nil {
			return nil, err
		}
		t, err := m.Predict(coef, &f)
		if err != nil {
			return nil, err
		}
		times[all[i]] = float64(t)
	}
	return h.measure(all, func(p *packing.Point, factor float64) float64 { return factor * times[*p] }, seed), nil
}

// block returns random rows or columns of a matrix.
func block(r *rand.Rand, rows bool, most int64) packing.Point {
	const item = 4
	height, width := 1+r.Int64N(most), 1+r.Int64N(most)
	p := packing.Point{Experiment: packing.Transfer, Item: item, Stride: unit.Bytes(item * width), Blocks: 1, Count: 1}
	if rows {
		d := 1 + r.Int64N(min(200, height))
		p.Rows, p.Cols = d, width
		p.Base = uint64(item * width * r.Int64N(height-d+1))
	} else {
		d := 1 + r.Int64N(min(200, width))
		p.Rows, p.Cols = height, d
		p.Base = uint64(item * r.Int64N(width-d+1))
	}
	p.Base += 1 << 30
	p.Bytes = unit.Bytes(p.Rows * p.Cols * item)
	return p
}

// Network has the parameters of a transport, in seconds and seconds per byte.
type Network struct {
	Send, Receive, Latency float64 // o_s, o_r, L
	Gap, PerByte           float64 // g, G
	// Messages of more than Eager bytes wait for their receiver, which takes a round trip of Handshake.
	Eager     int64
	Handshake float64
	// An exchange takes Both and BothPerByte longer than the longer of a message and a gap.
	Both, BothPerByte float64
}

// half returns half a round trip.
func (n *Network) half(size float64) float64 {
	t := n.Send + n.Latency + n.Receive + max(size-1, 0)*n.PerByte
	if int64(size) > n.Eager {
		t += n.Handshake
	}
	return t
}

// Slower returns a network that takes factor times as long.
func (n Network) Slower(factor float64) *Network {
	for _, t := range []*float64{&n.Send, &n.Receive, &n.Latency, &n.Gap, &n.PerByte, &n.Handshake, &n.Both, &n.BothPerByte} {
		*t *= factor
	}
	return &n
}

// Time returns the time of an experiment.
func (n *Network) Time(p *packing.Point) float64 {
	size := float64(p.Bytes)
	gap := n.Gap + max(size-1, 0)*n.PerByte
	switch p.Experiment {
	case timing.PingPong:
		return 2 * n.half(size)
	case timing.Burst:
		return 2*n.half(size) + float64(p.Count-1)*max(gap, n.Send)
	case timing.Delayed:
		return 2*n.half(size) + float64(p.Count-1)*max(gap, n.Send+float64(p.Delay))
	case timing.Send:
		return n.Send
	case timing.Receive:
		return n.Receive
	case timing.Gap:
		return max(gap, n.Send)
	case timing.Exchange:
		return max(n.half(size), gap) + n.Both + max(size-1, 0)*n.BothPerByte
	}
	return math.NaN()
}

// Messages returns timings of ping-pongs, bursts, delayed bursts and receives, of powers of two up to 2^most
// bytes. Test points are bursts and exchanges of other sizes and lengths.
func (h *Host) Messages(n *Network, most int, seed uint64) *timing.Data {
	r := rand.New(rand.NewPCG(seed, 12))
	var all []packing.Point
	add := func(e packing.Experiment, size, count int64, delay float64, set packing.Set) {
		all = append(all, packing.Point{Experiment: e, Bytes: unit.Bytes(size), Blocks: 1, Count: count, Delay: unit.Seconds(delay), Set: set})
	}
	for k := range most + 1 {
		size := int64(1) << k
		add(timing.PingPong, size, 1, 0, timing.Train)
		add(timing.Burst, size, 16, 0, timing.Train)
		add(timing.Delayed, size, 16, 12*n.half(float64(size)), timing.Train)
		add(timing.Receive, size, 1, 0, timing.Train)
		if h.Exchanges {
			add(timing.Exchange, size, 1, 0, timing.Train)
		}
	}
	for range 20 {
		size := int64(math.Exp2(r.Float64() * float64(most)))
		add(timing.Burst, size, 2+r.Int64N(60), 0, timing.Test)
		add(timing.Exchange, size, 1, 0, timing.Test)
	}
	return h.measure(all, func(p *packing.Point, factor float64) float64 { return n.Slower(factor).Time(p) }, seed)
}

// ForSeeds returns the results of a function for the seeds 0, 1, ..., computed on all cores.
func ForSeeds[T any](seeds int, of func(seed uint64) T) []T {
	out := make([]T, seeds)
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(seeds); i = next.Add(1) - 1 {
				out[i] = of(uint64(i))
			}
		})
	}
	all.Wait()
	return out
}
