package spmd

import (
	"fmt"
	"unsafe"

	"spoor/traces/trace"
)

// Collectives are called by all members of a party in the same order, with the same
// root, lengths and type of elements. They are programs over sends and receives in a
// group of their own; Algorithms says which, and what they cost. A member waits for
// the messages that it needs and no longer: only after Sync, AllReduce, AllGather and
// AllToAll is it sure that all others have come. Slices given to one call must not
// overlap.
//
// An op combines the values of two ranks, or of two groups of ranks, those of the lower
// ranks first. It must be associative. Where it rounds, results are still the same in
// every run and for every root, because values are combined in an order that only the
// number of members decides; but for an AllReduce by Ring, which must be asked for, and
// says more.

// Sync waits until every member has come to it, by messages.
func Sync(p Party) {
	c := enter[byte](p, trace.Barrier, nobody, nil)
	defer c.leave()
	barrierDissemination(c.hidden)
}

// Bcast gives every member the data of root.
func Bcast[T any](p Party, root int, data []T) {
	c := enterRooted(p, trace.Bcast, root, data)
	defer c.leave()
	switch c.choose(trace.Bcast, sizeOf(data)) {
	case Binomial:
		bcastBinomial(c.hidden, root, data)
	case ScatterRing:
		bcastScatterRing(c.hidden, root, data)
	}
}

// Reduce combines the data of all members, element by element, in data of root. The
// others keep theirs.
func Reduce[T any](p Party, root int, data []T, op func(a, b T) T) {
	c := enterRooted(p, trace.Reduce, root, data)
	defer c.leave()
	reduceBinomial(c.hidden, root, data, op)
}

// AllReduce combines the data of all members, element by element, in data of each.
func AllReduce[T any](p Party, data []T, op func(a, b T) T) {
	c := enter(p, trace.AllReduce, nobody, data)
	defer c.leave()
	switch c.choose(trace.AllReduce, sizeOf(data)) {
	case RecursiveDoubling:
		allReduceRecursiveDoubling(c.hidden, data, op)
	case RecursiveHalving:
		allReduceRecursiveHalving(c.hidden, data, op)
	case Ring:
		allReduceRing(c.hidden, data, op)
	}
}

// Scan makes data of every member what its own and those of all lower ones amount
// to.
func Scan[T any](p Party, data []T, op func(a, b T) T) {
	c := enter(p, trace.Scan, nobody, data)
	defer c.leave()
	scanRecursiveDoubling(c.hidden, data, op)
}

// Gather makes out of root the blocks in of all members, one after the other. The
// others' out is not used.
func Gather[T any](p Party, root int, in, out []T) {
	c := enterRooted(p, trace.Gather, root, in)
	defer c.leave()
	if c.index == root {
		c.checkBlocks(trace.Gather, len(in), len(out))
	}
	switch c.choose(trace.Gather, sizeOf(in)*int64(c.size)) {
	case Binomial:
		gatherBinomial(c.hidden, root, in, out)
	case Linear:
		gatherLinear(c.hidden, root, in, out)
	}
}

// AllGather makes out of every member the blocks in of all, one after the other.
func AllGather[T any](p Party, in, out []T) {
	c := enter(p, trace.AllGather, nobody, in)
	defer c.leave()
	c.checkBlocks(trace.AllGather, len(in), len(out))
	switch c.choose(trace.AllGather, sizeOf(out)) {
	case Bruck:
		allGatherBruck(c.hidden, in, out)
	case Ring:
		allGatherRing(c.hidden, in, out)
	}
}

// Scatter makes out of every member its block of in of root, where they lie one after
// the other. The others' in is not used.
func Scatter[T any](p Party, root int, in, out []T) {
	c := enterRooted(p, trace.Scatter, root, out)
	defer c.leave()
	if c.index == root {
		c.checkBlocks(trace.Scatter, len(out), len(in))
	}
	switch c.choose(trace.Scatter, sizeOf(out)*int64(c.size)) {
	case Binomial:
		scatterBinomial(c.hidden, root, in, out)
	case Linear:
		scatterLinear(c.hidden, root, in, out)
	}
}

// AllToAll makes block i of out the block for this member of in of member i; all
// blocks have the same length.
func AllToAll[T any](p Party, in, out []T) {
	c := enter(p, trace.AllToAll, nobody, in)
	defer c.leave()
	c.checkBlocks(trace.AllToAll, len(in)/c.size, len(in))
	c.checkBlocks(trace.AllToAll, len(in)/c.size, len(out))
	switch c.choose(trace.AllToAll, sizeOf(in)/int64(c.size)) {
	case Bruck:
		allToAllBruck(c.hidden, in, out)
	case Pairwise:
		allToAllPairwise(c.hidden, in, out)
	}
}

// AllToAllV is an AllToAll with blocks of any lengths: sendCounts[i] elements go to
// member i, recvCounts[i] come from it. Blocks lie one after the other. It is always
// pairwise; empty blocks are not sent.
func AllToAllV[T any](p Party, in []T, sendCounts []int, out []T, recvCounts []int) {
	c := p.comm()
	sendAt := c.starts("send", sendCounts, len(in))
	recvAt := c.starts("receive", recvCounts, len(out))
	enter(p, trace.AllToAll, nobody, in[:sendAt[c.size]])
	defer c.leave()
	allToAllV(c.hidden, in, sendAt, out, recvAt)
}

// starts is where the block of each member begins, and where the last one ends.
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

// checkBlocks panics unless all elements are one block for each member.
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

// enter begins a collective. Data is what events say of it: what is combined or
// broadcast, the block that the member gives, or gets in a Scatter.
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

// exchange sends out and receives all of in at the same time. To or from may be
// nobody.
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

// checkFull panics if a message is shorter than it must be. Longer ones do not get
// here.
func (c *Comm) checkFull(kind trace.Kind, s Status, want int) {
	if s.Count != want {
		panic(fmt.Sprintf("%s: member %d sent %d elements, where member %d takes %d: all must give the same lengths",
			kind, s.Source, s.Count, c.index, want))
	}
}

// sizeOf is the bytes of all elements.
func sizeOf[T any](data []T) int64 { return int64(len(data)) * int64(unsafe.Sizeof(*new(T))) }
