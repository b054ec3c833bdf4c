package trace

import (
	"cmp"
	"fmt"
)

// channel is what a receive without a wildcard selects by.
type channel struct {
	from, to   Proc
	tag, group int32
}

// inbox is where receives with a wildcard look.
type inbox struct {
	to    Proc
	group int32
}

// flow is what is under way in one channel: messages without a receive, or
// receives without a message, never both. Once a receive with a wildcard could take
// messages of the channel, who gets which is open, and only counts are kept.
type flow struct {
	channel
	box      *box
	waiting  queue
	pool     *pool // where a wildcard can take messages
	marks    int32 // of the box, when that was found out
	receives bool  // it is receives that wait
	loose    bool  // some are in a graph: see pair
	doubtful bool  // one is in Matcher.doubts
	later    bool  // there may have been pairs before this flow was made
	paired   bool  // there was a pair
	alone    bool  // there was one only
}

// pool counts what a wildcard may have to do with.
type pool struct {
	sends, receives   uint64 // receives: those after the wildcard
	lastSend, lastGot Place
}

// box knows the wildcards of one inbox.
type box struct {
	any           bool
	sources, tags map[int32]bool // taken with any tag; from any source
	marks         int32          // kinds of wildcard so far
	wild          uint64
	last          Place
	sum           poolSum
}

func (m *Matcher) flow(c channel) *flow {
	if f := m.flows.find(c); f != nil {
		return f
	}
	return m.flows.add(c, m.box(inbox{c.to, c.group}))
}

func (m *Matcher) box(at inbox) *box {
	b := m.boxes[at]
	if b == nil {
		b = &box{}
		m.boxes[at] = b
	}
	return b
}

// send takes a message to its receive, or lets it wait.
func (m *Matcher) send(p Proc, e *Event, at Place) {
	m.counts.Sends++
	f := m.flow(channel{p, Proc(e.Peer), e.Tag, e.Group})
	f.loose = f.loose || e.Needs != nil
	switch {
	case f.receives && !f.waiting.empty():
		room, posted := f.waiting.pop()
		m.pair(f, e.Bytes, room, posted)
	case f.shared():
		f.pool.sends++
		f.pool.lastSend = at
	default:
		f.receives = false
		f.waiting.push(e.Bytes, at)
	}
}

// receive takes a message, or waits for one.
func (m *Matcher) receive(p Proc, e *Event, at Place) {
	m.counts.Receives++
	if e.Peer < 0 || e.Tag < 0 {
		m.counts.Wildcards++
		m.box(inbox{p, e.Group}).wildcard(e, at)
		return
	}
	f := m.flow(channel{Proc(e.Peer), p, e.Tag, e.Group})
	f.loose = f.loose || e.Needs != nil
	switch {
	case f.shared():
		f.pool.receives++
		f.pool.lastGot = at
	case !f.receives && !f.waiting.empty():
		sent, _ := f.waiting.pop()
		m.pair(f, sent, e.Bytes, at)
	default:
		f.receives = true
		f.waiting.push(e.Bytes, at)
	}
}

// pair holds a receive at a place to its message. In a graph the order of rows is not
// that of execution, so that only a receive that is alone with its message in the
// channel is sure to get it: whether that is so, Finish knows.
func (m *Matcher) pair(f *flow, sent, room int64, at Place) {
	m.counts.Messages++
	f.alone, f.paired = !f.paired && !f.later, true
	if room <= 0 || room >= sent {
		return
	}
	short := Mismatch{Proc: f.to, Place: at, Kind: Recv}
	say := func() string {
		return fmt.Sprintf("receive of %d bytes is smaller than the matching send of %d (truncation): %s", room, sent, f.channel)
	}
	if !f.loose {
		m.found.add(short, 1, say)
	} else if !f.doubtful {
		f.doubtful = true
		short.Msg = say()
		m.doubts[f.channel] = short
	}
}

// decide finds out about the receives that are too small if the order of rows is
// that of execution.
func (m *Matcher) decide() {
	for c, short := range m.doubts {
		f := m.flows.find(c)
		if short.Legal = !f.alone || f.pool != nil || !f.waiting.empty(); short.Legal {
			short.Msg += ", if they run in the order of their rows"
		}
		m.found.add(short, 1, func() string { return short.Msg })
	}
}

// String is "from rank 0 to rank 1 with tag 3 in group 2".
func (c channel) String() string {
	text := fmt.Sprintf("from rank %d to rank %d", c.from, c.to)
	if c.tag >= 0 {
		text += fmt.Sprintf(" with tag %d", c.tag)
	}
	return text + inGroup(c.group)
}

func inGroup(group int32) string {
	if group == None {
		return ""
	}
	return fmt.Sprintf(" in group %d", group)
}

// wildcard counts a receive that names no source or no tag.
func (b *box) wildcard(e *Event, at Place) {
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

// unmatched finds messages and receives that are left over.
func (m *Matcher) unmatched(procs int) {
	for f := range m.flows.all() {
		if !f.shared() {
			m.leftOver(f, procs)
			continue
		}
		m.surplus(f, procs)
	}
	for at, b := range m.boxes {
		m.balance(at, b)
	}
}

// leftOver names everything that waits in f.
func (m *Matcher) leftOver(f *flow, procs int) {
	for !f.waiting.empty() {
		bytes, at := f.waiting.pop()
		who, kind := f.from, Send
		if f.receives {
			who, kind = f.to, Recv
		}
		m.found.add(Mismatch{Proc: who, Place: at, Kind: kind}, 1, func() string { return f.lack(bytes, procs) })
	}
}

// lack says what is wrong with a message or a receive that waits.
func (f *flow) lack(bytes int64, procs int) string {
	size := ""
	if bytes > 0 || !f.receives {
		size = fmt.Sprintf(" (%d bytes)", bytes)
	}
	kind, lacks, peer := "send", "has no receive", f.to
	if f.receives {
		kind, lacks, peer = "receive", "has no send", f.from
	}
	if int(peer) >= procs {
		lacks = fmt.Sprintf("names rank %d, and there are %d ranks", peer, procs)
	}
	if !f.receives {
		return fmt.Sprintf("send %s%s %s", f.channel, size, lacks)
	}
	return fmt.Sprintf("%s on rank %d from rank %d%s%s%s %s", kind, f.to, f.from, withTag(f.tag), inGroup(f.group), size, lacks)
}

func withTag(tag int32) string {
	if tag < 0 {
		return ""
	}
	return fmt.Sprintf(" with tag %d", tag)
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
		m.found.add(Mismatch{Proc: f.to, Place: p.lastGot, Kind: Recv}, more, func() string {
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
		m.found.add(Mismatch{Proc: at.to, Place: b.last, Kind: Recv}, more, func() string {
			return fmt.Sprintf("receives on rank %d from any rank or with any tag%s: %d more than are sent", at.to, inGroup(at.group), more)
		})
	}
	if more := s.sends - matched; more > 0 {
		f := s.sender
		m.found.add(Mismatch{Proc: f.from, Place: f.pool.lastSend, Kind: Send}, more, func() string {
			return fmt.Sprintf("sends to rank %d%s: %d more than are received, this or earlier ones (receives take any rank or tag)",
				at.to, inGroup(at.group), more)
		})
	}
}

func plural(n uint64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
