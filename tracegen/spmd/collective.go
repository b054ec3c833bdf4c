package spmd

import (
	"fmt"
	"unsafe"

	"spoor/traces/trace"
)

// All members of a Party call its collectives in the same order, with the same root, lengths and element type. A
// collective is a program of sends and receives in a group of its own; Algorithms lists the algorithms and their
// traffic. A member waits only for the messages that it needs. Therefore only Sync, AllReduce, AllGather and
// AllToAll guarantee that all other members have arrived. The slices of one call must not overlap.
//
// An op combines the values of two ranks, or of two groups of ranks. Its first argument is that of the lower ranks.
// It must be associative. Results with rounding are the same in every run and for every root, because the order of
// combination depends only on the number of members. The exception is AllReduce by Ring, which is used only on
// request and documents its order.

// Sync waits until every member has called it. It uses messages.
func Sync(p Party) {
	c := enter[byte](p, trace.Barrier, nobody, nil)
	defer c.leave()
	barrierDissemination(c.inner)
}

// Bcast copies the data of root to every member.
func Bcast[T any](p Party, root int, data []T) {
	c := enterRooted(p, trace.Bcast, root, data)
	defer c.leave()
	switch c.choose(trace.Bcast, sizeOf(data)) {
	case binomial:
		bcastBinomial(c.inner, root, data)
	case scatterRing:
		bcastScatterRing(c.inner, root, data)
	}
}

// Reduce combines the data of all members, element by element, into data of root. The data of other members does
// not change.
func Reduce[T any](p Party, root int, data []T, op func(a, b T) T) {
	c := enterRooted(p, trace.Reduce, root, data)
	defer c.leave()
	reduceBinomial(c.inner, root, data, op)
}

// AllReduce combines the data of all members, element by element, into data of each.
func AllReduce[T any](p Party, data []T, op func(a, b T) T) {
	c := enter(p, trace.AllReduce, nobody, data)
	defer c.leave()
	switch c.choose(trace.AllReduce, sizeOf(data)) {
	case recursiveDoubling:
		allReduceRecursiveDoubling(c.inner, data, op)
	case recursiveHalving:
		allReduceRecursiveHalving(c.inner, data, op)
	case ring:
		allReduceRing(c.inner, data, op)
	}
}

// Scan replaces the data of each member by the combination of its own data and that of all lower members.
func Scan[T any](p Party, data []T, op func(a, b T) T) {
	c := enter(p, trace.Scan, nobody, data)
	defer c.leave()
	scanRecursiveDoubling(c.inner, data, op)
}

// Gather copies the blocks in of all members, in order, to out of root. The out of other members is not used.
func Gather[T any](p Party, root int, in, out []T) {
	c := enterRooted(p, trace.Gather, root, in)
	defer c.leave()
	if c.index == root {
		c.checkBlocks(trace.Gather, len(in), len(out))
	}
	switch c.choose(trace.Gather, sizeOf(in)*int64(c.size)) {
	case binomial:
		gatherBinomial(c.inner, root, in, out)
	case linear:
		gatherLinear(c.inner, root, in, out)
	}
}

// AllGather copies the blocks in of all members, in order, to out of every member.
func AllGather[T any](p Party, in, out []T) {
	c := enter(p, trace.AllGather, nobody, in)
	defer c.leave()
	c.checkBlocks(trace.AllGather, len(in), len(out))
	switch c.choose(trace.AllGather, sizeOf(out)) {
	case bruck:
		allGatherBruck(c.inner, in, out)
	case ring:
		allGatherRing(c.inner, in, out)
	}
}

// Scatter copies block i of in of root to out of member i. The in of other members is not used.
func Scatter[T any](p Party, root int, in, out []T) {
	c := enterRooted(p, trace.Scatter, root, out)
	defer c.leave()
	if c.index == root {
		c.checkBlocks(trace.Scatter, len(out), len(in))
	}
	switch c.choose(trace.Scatter, sizeOf(out)*int64(c.size)) {
	case binomial:
		scatterBinomial(c.inner, root, in, out)
	case linear:
		scatterLinear(c.inner, root, in, out)
	}
}

// AllToAll copies the block of in of member i that is for this member to block i of out. All blocks have the same
// length.
func AllToAll[T any](p Party, in, out []T) {
	c := enter(p, trace.AllToAll, nobody, in)
	defer c.leave()
	c.checkBlocks(trace.AllToAll, len(in)/c.size, len(in))
	c.checkBlocks(trace.AllToAll, len(in)/c.size, len(out))
	switch c.choose(trace.AllToAll, sizeOf(in)/int64(c.size)) {
	case bruck:
		allToAllBruck(c.inner, in, out)
	case pairwise:
		allToAllPairwise(c.inner, in, out)
	}
}

// AllToAllV is AllToAll with blocks of any lengths. It sends sendCounts[i] elements to member i and receives
// recvCounts[i] from it. Blocks are stored consecutively. The algorithm is always pairwise. Empty blocks are not
// sent.
func AllToAllV[T any](p Party, in []T, sendCounts []int, out []T, recvCounts []int) {
	c := p.comm()
	sendAt := c.starts("send", sendCounts, len(in))
	recvAt := c.starts("receive", recvCounts, len(out))
	enter(p, trace.AllToAll, nobody, in[:sendAt[c.size]])
	defer c.leave()
	allToAllV(c.inner, in, sendAt, out, recvAt)
}

// starts returns the start of each member's block and, last, the end of the last block.
func (c *Comm) starts(what string, counts []int, room int) []int {
	if len(counts) != c.size {
		panic(fmt.Sprintf("alltoall: %d %s counts for %d members", len(counts), what, c.size))
	}
	at := make([]int, c.size+1)
	for i, n := range counts {
		if n < 0 || n > room-at[i] {
			panic(fmt.Sprintf("alltoall: %s count %d of member %d does not fit the %d elements left", what, n, i, room-at[i]))
		}
		at[i+1] = at[i] + n
	}
	return at
}

// checkBlocks panics unless all is the length of one block for each member.
func (c *Comm) checkBlocks(kind trace.Kind, block, all int) {
	if all != block*c.size {
		panic(fmt.Sprintf("%s: %d elements are not %d blocks of %d", kind, all, c.size, block))
	}
}

// enterRooted begins a collective that has a root.
func enterRooted[T any](p Party, kind trace.Kind, root int, data []T) *Comm {
	p.comm().global(root, kind.String()+" with root")
	return enter(p, kind, root, data)
}

// enter begins a collective. Its event describes data: the values to combine or broadcast, or the block that the
// member sends, or receives in a Scatter.
func enter[T any](p Party, kind trace.Kind, root int, data []T) *Comm {
	c := p.comm()
	if c.rank.rec != nil {
		c.rank.rec.enter(kind, c, root, contiguous(c.rank, data))
	}
	return c
}

// leave ends a collective.
func (c *Comm) leave() {
	if c.rank.rec != nil {
		c.rank.rec.leave()
	}
}

// fetch receives all of into from another member.
func fetch[T any](c *Comm, kind trace.Kind, from int, into []T) {
	c.checkFull(kind, Recv(c, from, int(kind), into), len(into))
}

// exchange sends out and receives all of in at the same time. To, from or both may be nobody.
func exchange[T any](c *Comm, kind trace.Kind, to int, out []T, from int, in []T) {
	switch {
	case to != nobody && from != nobody:
		c.checkFull(kind, Sendrecv(c, to, int(kind), out, from, int(kind), in), len(in))
	case to != nobody:
		Send(c, to, int(kind), out)
	case from != nobody:
		fetch(c, kind, from, in)
	}
}

// checkFull panics if a message is too short. The receive has already rejected messages that are too long.
func (c *Comm) checkFull(kind trace.Kind, s Status, want int) {
	if s.Count != want {
		panic(fmt.Sprintf("%s: member %d sent %d elements, but member %d expects %d; all members must give the same length",
			kind, s.Source, s.Count, c.index, want))
	}
}

// sizeOf returns the bytes of all elements.
func sizeOf[T any](data []T) int64 { return int64(len(data)) * int64(unsafe.Sizeof(*new(T))) }
