package meshes

import (
	"math"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// APUCS simulates a queueing network as a continuous-time Markov chain, in parallel, by uniformization
// [dickens1996, sec. 5.1].
// The simulation is conservative and the uniformization
// is adaptive [heidelberger1993].
// The network is open and has single exponential servers, an equal number on every rank.
//
// Uniformization makes the times of events independent of the state. Each server completes services in a Poisson
// process, with or without a job. The destination of the job is drawn together with the time: it leaves the
// network, goes to a station of the same rank, or goes to a station of another rank. Without a job, nothing
// happens. The completions of one rank's servers with the same other rank as destination form a stream. Both ranks
// draw it from the same random numbers, so both know when one must hear from the other. Simulated time is divided
// into windows. In each window, a rank
//
//   - merges its streams into a schedule of the window's points;
//   - sends all others the earliest time at which each of its stations may have a
//     job: now, or the first point at which a job could arrive. This adapts the
//     schedule to the state. Sender and receiver both drop the points before;
//   - posts a receive for every point at which it must hear from another rank;
//   - goes through the schedule. Where a job may go to another rank, it sends a
//     message that says whether one does. Where a job may arrive, it waits.
//
// The rank with the earliest next point never waits for another, so there is no deadlock. At the end, a global
// reduction adds the numbers of jobs that moved.
//
// The paper's ratios of computation to communication are f=1 (high) and f=64 (low).
//
// Differs: the paper takes the network and its "Set I" of parameters from a source that it does not repeat. It
// adapts rates by the rules of that source. The network, the meaning of f and the rule for dropping points are
// ours.
var APUCS = workload.Kernel{
	Name: "apucs", Paper: "dickens1996",
	Doc: "parallel simulation of a queueing network as a Markov chain by uniformization, any-to-any messages",
	Params: []workload.Param{
		{Name: "stations", Default: 16, Min: 1, Max: 1 << 12, Doc: "stations of each rank"},
		{Name: "f", Default: 64, Min: 1, Max: servicesTotal - servicesLeaving, Doc: "of 128 completed services, how many send the job to another rank; 8 send it out of the network"},
		{Name: "time", Default: 1000, Min: 1, Max: 1 << 20, Doc: "simulated time; 1 is the mean time between two arrivals at a station"},
		{Name: "window", Default: 1, Min: 1, Max: 1 << 10, Doc: "length of a window, in the same unit"},
	},
	Small: workload.Values{"time": 20},
	Make:  newAPUCS,
}

// Of servicesTotal services, servicesLeaving end with the job leaving the network.
const (
	servicesTotal   = 128
	servicesLeaving = 8
)

// station is one server and its queue.
type station struct {
	rate float64 // of service, in jobs per unit of time
	load float64 // fraction of time with jobs
	jobs int32   // at the start
}

// queueNetwork is the description of the network that all ranks have. Jobs arrive from outside at such a rate that
// each station gets 1 job per unit of time in all.
type queueNetwork struct {
	procs, stations int       // stations of each rank
	abroad          float64   // fraction of services that send the job to another rank
	cumulative      []float64 // rates of each rank's stations, as running sums
}

type apucs struct {
	network      queueNetwork
	time, window int
	seed         uint64
	station      []station // stations of rank 0, then of rank 1, and so on
	result       []apucsResult
}

// apucsResult is the result of a rank, mostly by station.
type apucsResult struct {
	jobs   []int32   // at the end
	left   []int32   // jobs that left the network from the station
	busy   []float64 // integral of the jobs over time
	totals []int64   // of all ranks: jobs that moved to another rank, and messages with and without a job
}

func newAPUCS(v workload.Values, procs int, seed uint64) workload.Instance {
	n := v["stations"]
	f := &apucs{time: v["time"], window: v["window"], seed: seed, station: make([]station, procs*n), result: make([]apucsResult, procs)}
	f.network = queueNetwork{procs: procs, stations: n, cumulative: make([]float64, procs*n)}
	if procs > 1 {
		f.network.abroad = float64(v["f"]) / servicesTotal
	}
	rng := workload.Generator(seed)
	for i := range f.station {
		load := 0.3 + 0.6*rng.Float64()
		// in equilibrium the number of jobs has a geometric distribution [Jackson's theorem]
		jobs := int32(math.Log(1-rng.Float64()) / math.Log(load))
		f.station[i] = station{rate: 1 / load, load: load, jobs: jobs}
		f.network.cumulative[i] = 1 / load
		if i%n > 0 {
			f.network.cumulative[i] += f.network.cumulative[i-1]
		}
	}
	for rank := range f.result {
		f.result[rank] = apucsResult{make([]int32, n), make([]int32, n), make([]float64, n), make([]int64, 2)}
		for s := range n {
			f.result[rank].jobs[s] = f.station[rank*n+s].jobs
		}
	}
	return f
}

// Program simulates the windows in order.
func (f *apucs) Program(r *spmd.Rank) error {
	n, result := f.network.stations, &f.result[r.ID()]
	s := &queueSimulator{r: r, network: &f.network,
		streams: spmd.Private(r, "streams", f.network.streams(r.ID(), f.seed)),
		jobs:    spmd.Private(r, "jobs", result.jobs),
		left:    spmd.Private(r, "left", result.left),
		busy:    spmd.Private(r, "busy", result.busy),
		changed: spmd.Private(r, "changed", make([]float64, n)),
		first:   spmd.Private(r, "first", make([]float64, n)),
		firsts:  spmd.Private(r, "firsts", make([]float64, r.Procs()*n)),
		totals:  spmd.Private(r, "totals", result.totals),
		answer:  spmd.Private(r, "answer", make([]int32, 1)),
	}
	end := 0.0
	for begin := 0; begin < f.time; begin += f.window {
		end = float64(min(begin+f.window, f.time))
		s.schedule = mergeStreams(s.network, s.streams, s.schedule[:0], end)
		s.findFirst()
		spmd.AllGather(r, s.first, s.firsts)
		s.postReceives()
		s.simulate()
	}
	for i := range s.jobs {
		s.count(int32(i), end)
	}
	spmd.AllReduce(r, s.totals, func(a, b int64) int64 { return a + b })
	return nil
}
