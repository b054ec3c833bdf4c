package grow

import (
	"fmt"

	"spoor/traces/trace"
)

// balance checks in little memory whether every message that is sent is received. It compares sums of hashes.
type balance struct {
	channels uint64 // sends less receives, by sender, receiver, tag and group
	arrivals uint64 // the same, by receiver
	wildcard bool   // a receive takes messages of any sender or tag
	calls    uint64 // collectives of all ranks that the first rank executes, in order
	ranks    int    // number of ranks that were added
	unlike   int    // first rank with other collectives than rank 0, or 0
}

// add adds the events of the next rank.
func (b *balance) add(rows []trace.Event) {
	me, calls := int32(b.ranks), uint64(0)
	for i := range rows {
		switch e := &rows[i]; e.Kind {
		case trace.Send, trace.Isend:
			b.channels += mix(me, e.Peer, e.Tag, e.Group)
			b.arrivals += mix(e.Peer)
		case trace.Recv, trace.Irecv:
			b.wildcard = b.wildcard || e.Peer == trace.None || e.Tag == trace.None
			b.channels -= mix(e.Peer, me, e.Tag, e.Group)
			b.arrivals -= mix(me)
		default:
			if e.Collective() && e.Group == trace.None {
				calls = mix(int32(calls), int32(calls>>32), int32(e.Kind), rootOf(e))
			}
		}
	}
	if b.ranks == 0 {
		b.calls = calls
	}
	if calls != b.calls && b.unlike == 0 {
		b.unlike = b.ranks
	}
	b.ranks++
}

// rootOf returns the root of a collective, or none if it has none.
func rootOf(e *trace.Event) int32 {
	switch e.Kind {
	case trace.Bcast, trace.Reduce, trace.Gather, trace.Scatter:
		return e.Peer
	}
	return trace.None
}

// err says what does not match, or returns nil.
func (b *balance) err() error {
	if b.arrivals != 0 || !b.wildcard && b.channels != 0 {
		return fmt.Errorf("the pattern gives %d ranks sends without receives, or receives without sends; record the program at more numbers of ranks", b.ranks)
	}
	if b.unlike > 0 {
		return fmt.Errorf("the pattern gives rank %d of %d other collectives than rank 0; record the program at more numbers of ranks", b.unlike, b.ranks)
	}
	return nil
}

// mix returns a hash of numbers: rounds of splitmix64.
func mix(all ...int32) (h uint64) {
	for _, v := range all {
		h += uint64(uint32(v)) + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}
