package comm

import (
	"slices"

	"spoor/traces/lookup"
	"spoor/traces/trace"
)

// Algorithm determines which messages replace a recorded collective.
//
//	           linear        binomial      doubling       ring
//	barrier    star, twice   tree, twice   dissemination  dissemination
//	bcast      star          tree          tree           tree of pieces, then ring
//	reduce     star          tree          tree           tree
//	allreduce  star, twice   tree, twice   doubling       ring, twice
//	scan       chain         doubling      doubling       chain
//	gather     star          tree          tree           tree
//	allgather  star, twice   tree, twice   Bruck          ring
//	scatter    star          tree          tree           tree
//	alltoall   all at once   all at once   Bruck          pairs in rounds
//
// A star has a message between the root and every other member. "Twice" means to the first member
// and back. Trees are binomial, of blocks of members with neighbouring numbers, for any root. The
// root leads its own blocks; the first member leads any other block. The other algorithms are those
// with the same names in package spmd, with the same number of messages. Pieces of data differ by
// at most one byte. See SMPI for the fifth.
type Algorithm string

// The algorithms. Apart replaces no collective by messages: collectives are counted separately.
const (
	Apart    Algorithm = "apart"
	Linear   Algorithm = "linear"
	Binomial Algorithm = "binomial"
	Doubling Algorithm = "doubling"
	Ring     Algorithm = "ring"
)

// Algorithms lists all algorithms.
var Algorithms = []Algorithm{Apart, Linear, Binomial, Doubling, Ring, SMPI}

// ParseAlgorithm returns the algorithm with a name.
func ParseAlgorithm(name string) (Algorithm, error) {
	if a := Algorithm(name); slices.Contains(Algorithms, a) {
		return a, nil
	}
	var names []string
	for _, a := range Algorithms {
		names = append(names, string(a))
	}
	return "", lookup.Unknown("algorithm", name, names)
}

// Messages calls send for every message that replaces a collective. bytes are the bytes of each
// member, as in events of package spmd. The algorithm must not be Apart. Messages of one round
// leave when their sender has received its messages of the rounds before. Rounds ascend. Members
// and root are numbered in the order of processors.
func Messages(a Algorithm, kind trace.Kind, root int, bytes []int64, send func(round, from, to int, bytes int64)) {
	c := call{kind: kind, root: root, bytes: bytes, send: send}
	c.messages(a)
}

// Rooted reports whether collectives of a kind have a root.
func Rooted(k trace.Kind) bool { return rooted(k) }

// call is one collective. Members are numbered in the order of processors.
type call struct {
	kind  trace.Kind
	root  int
	bytes []int64 // by member: as events of package spmd have them
	send  func(round, from, to int, bytes int64)
	round int
}

// messages sends the messages of the call, round by round. Those of one round leave when those of
// the rounds before have arrived.
func (c *call) messages(a Algorithm) {
	if len(c.bytes) < 2 {
		return
	}
	if c.round = 0; a == SMPI {
		smpiPlans[c.kind](c)
		return
	}
	plans[c.kind][slices.Index(Algorithms, a)-1](c)
}

// plans are how each collective is done, by algorithm after Apart.
var plans = map[trace.Kind][4]func(*call){
	trace.Barrier:   {(*call).starTwice, (*call).treeTwice, (*call).dissemination, (*call).dissemination},
	trace.Bcast:     {(*call).starDown, (*call).treeDown, (*call).treeDown, (*call).scatterRing},
	trace.Reduce:    {(*call).starUp, (*call).treeUp, (*call).treeUp, (*call).treeUp},
	trace.AllReduce: {(*call).starTwice, (*call).treeTwice, (*call).doubling, (*call).ringTwice},
	trace.Scan:      {(*call).chain, (*call).scanDoubling, (*call).scanDoubling, (*call).chain},
	trace.Gather:    {(*call).starUp, (*call).treeUp, (*call).treeUp, (*call).treeUp},
	trace.AllGather: {(*call).starTwice, (*call).treeTwice, (*call).bruckGather, (*call).ringGather},
	trace.Scatter:   {(*call).starDown, (*call).treeDown, (*call).treeDown, (*call).treeDown},
	trace.AllToAll:  {(*call).allAtOnce, (*call).allAtOnce, (*call).bruckAll, (*call).pairs},
}

// receives reports whether a member of n needs data of others. If not, it continues at once.
func receives(kind trace.Kind, a Algorithm, root, member, n int) bool {
	switch kind {
	case trace.Bcast:
		return member != root || a == Ring
	case trace.Scatter:
		return member != root
	case trace.Scan:
		return member > 0
	case trace.Reduce, trace.Gather:
		if a == Apart || a == Linear || a == SMPI || member == root {
			return member == root
		}
		if member%2 == 1 { // the mate of a leaf is its leaf too, if it is not the root
			return false
		}
		return member+1 < n && member+1 != root
	}
	return true
}
