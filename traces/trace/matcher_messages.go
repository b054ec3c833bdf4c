package trace

import "fmt"

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
func (m *Matcher) send(p Proc, e *Event, at Pos) {
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
func (m *Matcher) receive(p Proc, e *Event, at Pos) {
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
	return fmt.Sprintf("from rank %d to rank %d%s%s", c.from, c.to, withTag(c.tag), inGroup(c.group))
}

func inGroup(group int32) string {
	if group == None {
		return ""
	}
	return fmt.Sprintf(" in group %d", group)
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
		m.found.add(Mismatch{Proc: who, Pos: at, Kind: kind}, 1, func() string { return f.lack(bytes, procs) })
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

func plural(n uint64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
