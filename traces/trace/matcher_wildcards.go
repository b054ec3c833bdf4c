package trace

import (
	"cmp"
	"fmt"
)

// pool counts what a wildcard may have to do with.
type pool struct {
	sends, receives   uint64 // receives: those after the wildcard
	lastSend, lastGot Pos
}

// box knows the wildcards of one inbox.
type box struct {
	any           bool
	sources, tags map[int32]bool // taken with any tag; from any source
	marks         int32          // kinds of wildcard so far
	wild          uint64
	last          Pos
	sum           poolSum
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
		b.marks++
	}
}

func (b *box) markIn(set map[int32]bool, of int32) map[int32]bool {
	if set == nil {
		set = map[int32]bool{}
	}
	if !set[of] {
		set[of] = true
		b.marks++
	}
	return set
}

// shared reports whether a wildcard can take messages of f. From the first one on,
// messages that wait are counted with the others that it can take; receives that
// wait came before it, and still get their messages in order.
func (f *flow) shared() bool {
	if f.marks == f.box.marks {
		return f.pool != nil
	}
	f.marks = f.box.marks
	if f.pool != nil || !f.box.any && !f.box.tags[f.tag] && !f.box.sources[int32(f.from)] {
		return f.pool != nil
	}
	f.pool = &pool{}
	if !f.receives && !f.waiting.empty() {
		f.pool.sends, f.pool.lastSend = f.waiting.count(), f.waiting.end()
		f.waiting = queue{}
	}
	return true
}

// poolSum is what all pools of an inbox amount to.
type poolSum struct {
	sends, receives, surplus uint64 // surplus: receives for which one channel has no messages
	sender                   *flow  // the first channel that has more messages than receives
}

// surplus names the receives for which f has no messages, and adds f to its inbox.
func (m *Matcher) surplus(f *flow, procs int) {
	p, sum := f.pool, &f.box.sum
	waiting := f.waiting.count()
	sum.sends += p.sends
	sum.receives += p.receives + waiting
	sum.surplus += waiting
	if waiting > 0 {
		m.leftOver(f, procs)
	}
	if p.receives > p.sends {
		more := p.receives - p.sends
		sum.surplus += more
		m.found.add(Mismatch{Proc: f.to, Pos: p.lastGot, Kind: Recv}, more, func() string {
			return fmt.Sprintf("%s on rank %d from rank %d%s%s: %d more than are sent", plural(p.receives, "receive"), f.to, f.from,
				withTag(f.tag), inGroup(f.group), more)
		})
	}
	if p.sends > p.receives && (sum.sender == nil || cmp.Or(cmp.Compare(f.from, sum.sender.from), cmp.Compare(f.tag, sum.sender.tag)) < 0) {
		sum.sender = f
	}
}

// balance compares all messages and receives of an inbox that a wildcard mixes.
func (m *Matcher) balance(at inbox, b *box) {
	s := b.sum
	receives := s.receives + b.wild
	matched := min(s.sends, receives-s.surplus)
	m.counts.Messages += matched
	if more := receives - s.surplus - matched; more > 0 {
		m.found.add(Mismatch{Proc: at.to, Pos: b.last, Kind: Recv}, more, func() string {
			return fmt.Sprintf("receives on rank %d from any rank or with any tag%s: %d more than are sent", at.to, inGroup(at.group), more)
		})
	}
	if more := s.sends - matched; more > 0 {
		f := s.sender
		m.found.add(Mismatch{Proc: f.from, Pos: f.pool.lastSend, Kind: Send}, more, func() string {
			return fmt.Sprintf("sends to rank %d%s: %d more than are received, this or earlier ones (receives take any rank or tag)",
				at.to, inGroup(at.group), more)
		})
	}
}
