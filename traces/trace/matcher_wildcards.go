package trace

import (
	"cmp"
	"fmt"

	"spoor/traces/trace/internal/queue"
)

// pool counts the messages and receives of a channel that a wildcard may affect.
type pool struct {
	sends, receives   uint64 // receives: those after the wildcard
	lastSend, lastGot Pos
}

// box holds the wildcards of one inbox, and the sums of its pools.
type box struct {
	any           bool           // some wildcard takes any source and any tag
	sources, tags map[int32]bool // sources with any tag; tags from any source
	wildcardKinds int32          // number of different wildcards so far
	wild          uint64         // number of wildcards
	last          Pos            // position of the latest wildcard

	sends, receives, surplus uint64 // sums over all pools; surplus: receives for which their channel has no message
	sender                   *flow  // the first channel with more messages than receives
}

// wildcard counts a receive that names no source or no tag.
func (b *box) wildcard(e *Event, at Pos) {
	b.wild++
	b.last = at
	switch {
	case e.Peer < 0 && e.Tag < 0:
		b.mark(&b.any)
	case e.Peer < 0:
		b.tags = b.markIn(b.tags, e.Tag)
	default:
		b.sources = b.markIn(b.sources, e.Peer)
	}
}

func (b *box) mark(flag *bool) {
	if !*flag {
		*flag = true
		b.wildcardKinds++
	}
}

func (b *box) markIn(set map[int32]bool, of int32) map[int32]bool {
	if set == nil {
		set = map[int32]bool{}
	}
	if !set[of] {
		set[of] = true
		b.wildcardKinds++
	}
	return set
}

// shared reports whether a wildcard can take messages of f. After the first such
// wildcard, waiting messages move to the pool of messages that it can take. Waiting
// receives came before the wildcard, and still get their messages in order.
func (f *flow) shared() bool {
	if f.kinds == f.box.wildcardKinds {
		return f.pool != nil
	}
	f.kinds = f.box.wildcardKinds
	if f.pool != nil || !f.box.any && !f.box.tags[f.tag] && !f.box.sources[int32(f.from)] {
		return f.pool != nil
	}
	f.pool = &pool{}
	if !f.receives && !f.waiting.Empty() {
		f.pool.sends = f.waiting.Count()
		f.pool.lastSend.File, f.pool.lastSend.At = f.waiting.End()
		f.waiting = queue.Queue{}
	}
	return true
}

// surplus adds findings for the receives for which f has no messages, and adds f to the
// sums of its inbox.
func (m *Matcher) surplus(f *flow, procs int) {
	p, b := f.pool, f.box
	waiting := f.waiting.Count()
	b.sends += p.sends
	b.receives += p.receives + waiting
	b.surplus += waiting
	if waiting > 0 {
		m.leftOver(f, procs)
	}
	if p.receives > p.sends {
		more := p.receives - p.sends
		b.surplus += more
		m.found.add(Mismatch{Proc: f.to, Pos: p.lastGot, Kind: Recv}, more, func() string {
			return fmt.Sprintf("%s on rank %d from rank %d%s%s: %d more than are sent", plural(p.receives, "receive"), f.to, f.from,
				withTag(f.tag), inGroup(f.group), more)
		})
	}
	if p.sends > p.receives && (b.sender == nil || cmp.Or(cmp.Compare(f.from, b.sender.from), cmp.Compare(f.tag, b.sender.tag)) < 0) {
		b.sender = f
	}
}

// balance compares the number of messages of an inbox that wildcards can take with the
// number of receives.
func (m *Matcher) balance(at inbox, b *box) {
	receives := b.receives + b.wild
	matched := min(b.sends, receives-b.surplus)
	m.counts.Messages += matched
	if more := receives - b.surplus - matched; more > 0 {
		m.found.add(Mismatch{Proc: at.to, Pos: b.last, Kind: Recv}, more, func() string {
			return fmt.Sprintf("receives on rank %d from any rank or with any tag%s: %d more than are sent", at.to, inGroup(at.group), more)
		})
	}
	if more := b.sends - matched; more > 0 {
		f := b.sender
		m.found.add(Mismatch{Proc: f.from, Pos: f.pool.lastSend, Kind: Send}, more, func() string {
			return fmt.Sprintf("sends to rank %d%s: %d more than are received, this or earlier ones (receives take any rank or tag)",
				at.to, inGroup(at.group), more)
		})
	}
}
