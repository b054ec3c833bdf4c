package trace

import (
	"fmt"

	"spoor/traces/trace/internal/queue"
)

// channel is the path of messages that a receive without a wildcard selects.
type channel struct {
	from, to   Proc
	tag, group int32
}

// inbox is the destination of messages: a processor in a group. A receive with a wildcard selects from one.
type inbox struct {
	to    Proc
	group int32
}

// flow is the state of one channel. Its queue holds unmatched messages or unmatched
// receives, never both. If a wildcard could take messages of the channel, the matching
// is not determined, and flow only counts.
type flow struct {
	channel
	box      *box
	waiting  queue.Queue
	pool     *pool // counts, if a wildcard can take messages of the channel
	kinds    int32 // wildcardKinds of the box when pool was last determined
	receives bool  // waiting holds receives
	inGraph  bool  // some events have Needs: see pair
	doubtful bool  // Matcher.doubts has an entry
	later    bool  // there may have been pairs before this flow was made
	paired   bool  // there was a pair
	alone    bool  // there was exactly one pair
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

// send matches a message with its receive, or queues it.
func (m *Matcher) send(p Proc, e *Event, at Pos) {
	m.counts.Sends++
	f := m.flow(channel{p, Proc(e.Peer), e.Tag, e.Group})
	f.inGraph = f.inGraph || e.Needs != nil
	switch {
	case f.receives && !f.waiting.Empty():
		room, file, row := f.waiting.Pop()
		m.pair(f, e.Bytes, room, Pos{file, row})
	case f.shared():
		f.pool.sends++
		f.pool.lastSend = at
	default:
		f.receives = false
		f.waiting.Push(e.Bytes, at.File, at.At)
	}
}

// receive matches a receive with its message, or queues it.
func (m *Matcher) receive(p Proc, e *Event, at Pos) {
	m.counts.Receives++
	if e.Peer < 0 || e.Tag < 0 {
		m.counts.Wildcards++
		m.box(inbox{p, e.Group}).wildcard(e, at)
		return
	}
	f := m.flow(channel{Proc(e.Peer), p, e.Tag, e.Group})
	f.inGraph = f.inGraph || e.Needs != nil
	switch {
	case f.shared():
		f.pool.receives++
		f.pool.lastGot = at
	case !f.receives && !f.waiting.Empty():
		sent, _, _ := f.waiting.Pop()
		m.pair(f, sent, e.Bytes, at)
	default:
		f.receives = true
		f.waiting.Push(e.Bytes, at.File, at.At)
	}
}

// pair compares the size of a receive with that of its message. In a graph, rows are not
// in the order of execution. There, the pair is certain only if it is the only one of the
// channel; decide checks that at the end.
func (m *Matcher) pair(f *flow, sent, room int64, at Pos) {
	m.counts.Messages++
	f.alone, f.paired = !f.paired && !f.later, true
	if room <= 0 || room >= sent {
		return
	}
	short := Mismatch{Proc: f.to, Pos: at, Kind: Recv}
	say := func() string {
		return fmt.Sprintf("receive of %d bytes is smaller than the matching send of %d (truncation): %s", room, sent, f.channel)
	}
	if !f.inGraph {
		m.found.add(short, 1, say)
	} else if !f.doubtful {
		f.doubtful = true
		short.Msg = say()
		m.doubts[f.channel] = short
	}
}

// decide reports the receives of graphs that are too small if rows execute in their
// order. The finding is an error only if the pair is certain.
func (m *Matcher) decide() {
	for c, short := range m.doubts {
		f := m.flows.find(c)
		if short.Legal = !f.alone || f.pool != nil || !f.waiting.Empty(); short.Legal {
			short.Msg += ", if rows execute in their order"
		}
		m.found.add(short, 1, func() string { return short.Msg })
	}
}

// String returns "from rank 0 to rank 1 with tag 3 in group 2".
func (c channel) String() string {
	return fmt.Sprintf("from rank %d to rank %d%s%s", c.from, c.to, withTag(c.tag), inGroup(c.group))
}

func inGroup(group int32) string {
	if group == None {
		return ""
	}
	return fmt.Sprintf(" in group %d", group)
}

// unmatched finds messages and receives without a partner.
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

// leftOver adds a finding for every message or receive that waits in f.
func (m *Matcher) leftOver(f *flow, procs int) {
	for !f.waiting.Empty() {
		bytes, file, at := f.waiting.Pop()
		who, kind := f.from, Send
		if f.receives {
			who, kind = f.to, Recv
		}
		m.found.add(Mismatch{Proc: who, Pos: Pos{file, at}, Kind: kind}, 1, func() string { return f.lack(bytes, procs) })
	}
}

// lack returns the text of the finding for a message or a receive that waits.
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
		lacks = fmt.Sprintf("names rank %d, but there are %d ranks", peer, procs)
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

func plural(n uint64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
