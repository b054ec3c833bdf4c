package spmd

import (
	"math"
	"slices"

	"spoor/traces/trace"
)

// AlgorithmName names an algorithm of a collective, such as "ring". [Algorithms] lists them all.
type AlgorithmName string

// The algorithms. [Algorithms] has the collectives of each.
const (
	binomial          AlgorithmName = "binomial"
	bruck             AlgorithmName = "bruck"
	dissemination     AlgorithmName = "dissemination"
	linear            AlgorithmName = "linear"
	pairwise          AlgorithmName = "pairwise"
	recursiveDoubling AlgorithmName = "recursive-doubling"
	recursiveHalving  AlgorithmName = "recursive-halving"
	ring              AlgorithmName = "ring"
	scatterRing       AlgorithmName = "scatter-ring"
)

// Algorithm is one algorithm of one collective.
type Algorithm struct {
	Collective trace.Kind
	Name       AlgorithmName
	UpTo       int64 // the default up to this number of bytes, unless an earlier one is; -1: never the default
	Traffic    func(Call) Traffic
}

// onlyByName is the UpTo of an algorithm that is used only if With names it.
const onlyByName = -1

// Call describes one call of a collective for one member. For Bcast, Reduce, AllReduce and Scan, Count is the
// length of data. For Gather, AllGather, Scatter and AllToAll, Count is the length of one member's block.
type Call struct {
	Procs int   // members
	ID    int   // number of the member
	Root  int   // of Bcast, Reduce, Gather, Scatter
	Count int64 // elements
	Size  int64 // bytes of an element
}

// Traffic is the messages that one member sends in one call.
type Traffic struct {
	Messages int64
	Bytes    int64
}

// Algorithms lists the algorithms of all collectives. A call uses the first one whose UpTo is at least the bytes of
// the call, unless the communicator was made by With. The bytes of a call are those of data; of the blocks of all
// members (Gather, AllGather, Scatter); or of one block (AllToAll).
//
// The limits are MPICH's
// [thakur2005, sec. 4].
//
// Differs: the choice does not depend on the number of members, and Reduce has one algorithm.
//
// Default algorithms require only that the operation is associative. The order in which they combine values depends
// on the number of members, not on the root, the length or the timing.
//
// Traffic is exact. The table uses these symbols: P members; r the sending member; B = Count x Size bytes; lg the
// logarithm to base 2. In binomial trees, r has c children, and the largest block that r leads has d members (the
// root leads all).
//
//	collective  algorithm           messages        bytes
//	barrier     dissemination       ceil(lg P)      0
//	bcast       binomial            c               c B
//	bcast       scatter-ring        c + P-1         (d-1 + P-1) B/P
//	reduce      binomial            1, root 0       B, root 0
//	allreduce   recursive-doubling  lg P            B lg P
//	allreduce   recursive-halving   2 lg P          2 B (P-1)/P
//	allreduce   ring                2 (P-1)         2 B (P-1)/P
//	scan        recursive-doubling  ceil(lg (P-r))  B ceil(lg (P-r))
//	gather      binomial            1, root 0       d B, root 0
//	gather      linear              1, root 0       B, root 0
//	allgather   bruck               ceil(lg P)      (P-1) B
//	allgather   ring                P-1             (P-1) B
//	scatter     binomial            c               (d-1) B
//	scatter     linear              0, root P-1     0, root (P-1) B
//	alltoall    bruck               ceil(lg P)      B x the bits that are 1 in 0..P-1
//	alltoall    pairwise            P-1             (P-1) B
//
// If P does not divide Count, pieces differ by one element. If P is not a power of two, an allreduce by doubling or
// halving has the traffic of the next lower power, and some members send all data once more.
var Algorithms = []Algorithm{
	{trace.Barrier, dissemination, math.MaxInt64, barrierDisseminationTraffic},
	{trace.Bcast, binomial, 12 << 10, bcastBinomialTraffic},
	{trace.Bcast, scatterRing, math.MaxInt64, bcastScatterRingTraffic},
	{trace.Reduce, binomial, math.MaxInt64, reduceBinomialTraffic},
	{trace.AllReduce, recursiveDoubling, 2 << 10, allReduceRecursiveDoublingTraffic},
	{trace.AllReduce, recursiveHalving, math.MaxInt64, allReduceRecursiveHalvingTraffic},
	{trace.AllReduce, ring, onlyByName, allReduceRingTraffic},
	{trace.Scan, recursiveDoubling, math.MaxInt64, scanRecursiveDoublingTraffic},
	{trace.Gather, binomial, math.MaxInt64, gatherBinomialTraffic},
	{trace.Gather, linear, onlyByName, gatherLinearTraffic},
	{trace.AllGather, bruck, 80 << 10, allGatherBruckTraffic},
	{trace.AllGather, ring, math.MaxInt64, allGatherRingTraffic},
	{trace.Scatter, binomial, math.MaxInt64, scatterBinomialTraffic},
	{trace.Scatter, linear, onlyByName, scatterLinearTraffic},
	{trace.AllToAll, bruck, 256, allToAllBruckTraffic},
	{trace.AllToAll, pairwise, math.MaxInt64, allToAllPairwiseTraffic},
}

// choose returns the algorithm for a call with this number of bytes.
func (c *Comm) choose(kind trace.Kind, bytes int64) AlgorithmName {
	for _, name := range c.prefer {
		if slices.ContainsFunc(Algorithms, func(a Algorithm) bool { return a.Collective == kind && a.Name == name }) {
			return name
		}
	}
	i := slices.IndexFunc(Algorithms, func(a Algorithm) bool { return a.Collective == kind && bytes <= a.UpTo })
	return Algorithms[i].Name
}
