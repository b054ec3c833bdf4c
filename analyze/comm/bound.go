package comm

import (
	"fmt"
	"math/bits"

	"spoor/traces/trace"
)

// Bounds of what replaces recorded collectives. Some algorithms send as many messages as there are pairs of
// members, so that a small trace of many processors can need hours or all memory.
const (
	mostPairs    = 1 << 23 // pairs of members; each takes about pairBytes
	pairBytes    = 280
	mostMessages = 1 << 28 // of traces with over messagesEach messages for each call of a member
	messagesEach = 1000
	manyMessages = 1 << 22 // a warning says how many from here on
)

// replaced returns how many messages replace a call of n members, and between how many pairs, at most.
func replaced(kind trace.Kind, a Algorithm, n uint64) (messages, pairs uint64) {
	all := n * (n - 1)
	switch {
	case n < 2 || a == Apart:
		return 0, 0
	case kind == trace.AllToAll && a != Doubling:
		return all, all
	case a == SMPI && kind == trace.AllGather:
		return all, all
	case a == SMPI && kind == trace.Scan:
		return all / 2, all / 2
	case a == Ring && kind == trace.AllReduce:
		return 2 * all, n
	case a == Ring && (kind == trace.AllGather || kind == trace.Bcast):
		return all + n, 2 * n
	}
	each := n * uint64(bits.Len64(n-1))
	return 2 * each, 2 * each
}

// growth is how much replaces the collectives of a trace.
type growth struct{ calls, messages, pairs uint64 }

// grows adds up what replaces the recorded collectives.
func (f *findings) grows(a Algorithm) (g growth) {
	pairs := map[collective]uint64{} // of a group and kind, for all roots
	for c, t := range f.calls {
		n := t.members
		messages, most := replaced(c.kind, a, n)
		g.calls += t.calls * n
		g.messages += t.calls * messages
		key := collective{c.group, c.kind, trace.None}
		pairs[key] = max(pairs[key], most)
	}
	for _, n := range pairs {
		g.pairs += n
	}
	return g
}

// check returns an error if replacing the collectives takes too much memory or time.
func (g growth) check(a Algorithm) error {
	switch {
	case g.pairs > mostPairs:
		return fmt.Errorf("comm: --collectives %s needs about %.0f GB for messages between %d pairs; choose doubling, which has fewer, or apart",
			a, float64(g.pairs)*pairBytes/1e9, g.pairs)
	case g.messages > mostMessages && g.messages > messagesEach*g.calls:
		return fmt.Errorf("comm: --collectives %s has %d messages, more than %d; choose doubling, which has fewer, or apart",
			a, g.messages, mostMessages)
	}
	return nil
}

// warning says how many messages replace the collectives, if they are many.
func (g growth) warning() []error {
	if g.messages < manyMessages {
		return nil
	}
	return []error{fmt.Errorf("comm: about %d messages replace the collectives", g.messages)}
}
