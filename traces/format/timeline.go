package format

import (
	"fmt"
	"iter"
	"math"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// timelineSink takes a trace laid out in time, which is in ps.
type timelineSink interface {
	// span is that e of p takes from begin to end. Spans of one processor come in the
	// order of their begins, and only those of events that begin together overlap. A
	// Compute of nothing is left out. In a trace without times the instructions between
	// events come as a Compute whose Instr counts them.
	span(p trace.Proc, e *trace.Event, begin, end int64) error
	// delivered is a message that was sent and received. It comes after both were.
	delivered(m *delivery) error
}

// delivery is a message from the begin of its send to the end of its receive.
type delivery struct {
	from, to         trace.Proc
	tag, group       int32
	bytes            int64
	sent, sentEnd    int64
	posted, received int64 // begin of the receive, end of it or of its wait
}

// timelineSettings are the prices of the nominal clock.
var timelineSettings = []Setting{
	{"instruction", "1 ns", "of a trace without times: how long an instruction takes"},
	{"flop", "1 ns", "of a trace without times: how long a floating-point operation takes"},
	{"latency", "1 us", "of a trace without times: how long a message takes to arrive, and a collective for each doubling of its members"},
	{"bandwidth", "1 GB/s", "of a trace without times: bytes of a message that are sent in a second"},
}

// prices are those settings: ps, and ps for each byte.
type prices struct{ instr, flop, latency, byte float64 }

// pricesOf reads the settings of f.
func pricesOf(f Tunable, o ExportOptions) (c prices, err error) {
	read := func(name, base string) float64 {
		text := o.Setting(f, name)
		v, problem := unit.Parse(text, base)
		if err == nil && (problem != nil || v < 0 || v > 1e12) {
			err = fmt.Errorf("--set %s=%s: write a number and a unit, such as %s", name, text, setting(f, nil, name))
		}
		return v
	}
	picos := func(name string) float64 { return math.Round(1e18*read(name, "s")) / 1e6 }
	c.instr, c.flop, c.latency = picos("instruction"), picos("flop"), picos("latency")
	speed := read("bandwidth", "B/s")
	if err == nil && speed == 0 {
		err = fmt.Errorf("--set bandwidth=0: messages would never arrive")
	}
	c.byte = math.Round(1e18/speed) / 1e6
	return c, err
}

// timeline lays src out in time: at the times that were recorded, or, in a trace
// without, on the nominal clock. notes say which.
func timeline(src trace.Source, f Tunable, o ExportOptions, sink timelineSink) (notes []string, err error) {
	c, err := pricesOf(f, o)
	if err != nil {
		return nil, err
	}
	sink = selectedProcs(src, o, sink, &notes)
	if src.Header().HasTime {
		note, err := recordedTimeline(src, sink)
		return append(notes, note...), err
	}
	note, err := nominalTimeline(src, c, sink)
	return append(notes, note...), err
}

// someProcs passes on what concerns the chosen processors.
type someProcs struct {
	timelineSink
	chosen map[trace.Proc]bool
}

// selectedProcs is sink for the processors that o chooses.
func selectedProcs(src trace.Source, o ExportOptions, sink timelineSink, notes *[]string) timelineSink {
	if len(o.Procs) == 0 {
		return sink
	}
	some := someProcs{sink, map[trace.Proc]bool{}}
	for _, p := range o.Procs {
		some.chosen[p] = true
	}
	if len(some.chosen) < src.Header().Procs {
		*notes = append(*notes, "messages from and to processors that were not chosen are left out")
	}
	return some
}

func (s someProcs) span(p trace.Proc, e *trace.Event, begin, end int64) error {
	if !s.chosen[p] {
		return nil
	}
	return s.timelineSink.span(p, e, begin, end)
}

func (s someProcs) delivered(m *delivery) error {
	if !s.chosen[m.from] || !s.chosen[m.to] {
		return nil
	}
	return s.timelineSink.delivered(m)
}

// eventCursor walks the events of one processor.
type eventCursor struct {
	pull func() (*trace.Events, error, bool)
	stop func()
	rows []trace.Event
	at   int
	row  int64 // of rows[at] among the events of the processor
}

func newEventCursor(src trace.Source, p trace.Proc) *eventCursor {
	pull, stop := iter.Pull2(src.Events(p))
	return &eventCursor{pull: pull, stop: stop, row: -1, at: -1}
}

// next is the next event, or nil at the end. It is valid until the next call.
func (c *eventCursor) next() (*trace.Event, error) {
	c.at++
	c.row++
	for c.at >= len(c.rows) {
		b, err, ok := c.pull()
		if err != nil || !ok {
			c.rows, c.at = nil, 0
			return nil, err
		}
		c.rows, c.at = b.Rows, 0
	}
	return &c.rows[c.at], nil
}

// longest is the end of time: 53 days.
const longest = math.MaxInt64 / 2

// afterPicos is t plus a duration, or the end of time.
func afterPicos(t int64, picos float64) int64 {
	if picos >= longest-float64(t) {
		return longest
	}
	return t + int64(math.Round(picos))
}

// envelope is what sends and receives match by.
type envelope struct {
	from, tag int32
}

// mail is a message on its way.
type mail struct {
	delivery
	arrives int64
	seq     int64
}

// slot is a receive.
type slot struct {
	from, tag, group int32
	to               trace.Proc
	posted           int64
	received         int64 // -1 before
	mail             *mail // nil before
	seq              int64
	task             *task // that waits for it, or nil
}

// inboxKey is where messages to a processor in a group wait.
type inboxKey struct {
	to    trace.Proc
	group int32
}

// mailbox holds the messages and the receives of an inbox that have no partner yet.
type mailbox struct {
	mails map[envelope][]*mail
	slots map[envelope][]*slot
}

// post is all mailboxes. Messages and receives match as in trace.Matcher: those of one
// sender, receiver, tag and group in their order; a wildcard takes the message that
// was sent first.
type post struct {
	boxes map[inboxKey]*mailbox
	seq   int64
	sink  timelineSink
}

func (p *post) box(to trace.Proc, group int32) *mailbox {
	key := inboxKey{to, group}
	b := p.boxes[key]
	if b == nil {
		b = &mailbox{map[envelope][]*mail{}, map[envelope][]*slot{}}
		p.boxes[key] = b
	}
	return b
}

// send finds the receive of m, or keeps m. The receive is nil if none has come.
func (p *post) send(m *mail) *slot {
	p.seq++
	m.seq = p.seq
	b := p.box(m.to, m.group)
	var first envelope
	var found *slot
	from := int32(m.from)
	for _, e := range [...]envelope{{from, m.tag}, {from, trace.None}, {trace.None, m.tag}, {trace.None, trace.None}} {
		if q := b.slots[e]; len(q) > 0 && (found == nil || q[0].seq < found.seq) {
			first, found = e, q[0]
		}
	}
	if found == nil {
		b.mails[envelope{from, m.tag}] = append(b.mails[envelope{from, m.tag}], m)
		return nil
	}
	shift(b.slots, first)
	found.mail = m
	return found
}

// receive finds the message of s, or keeps s.
func (p *post) receive(s *slot) {
	p.seq++
	s.seq = p.seq
	b := p.box(s.to, s.group)
	want := envelope{s.from, s.tag}
	if s.from == trace.None || s.tag == trace.None {
		var first *mail
		for e, q := range b.mails {
			if (s.from == trace.None || s.from == e.from) && (s.tag == trace.None || s.tag == e.tag) && (first == nil || q[0].seq < first.seq) {
				want, first = e, q[0]
			}
		}
	}
	if q := b.mails[want]; len(q) > 0 {
		s.mail = q[0]
		shift(b.mails, want)
		return
	}
	want = envelope{s.from, s.tag}
	b.slots[want] = append(b.slots[want], s)
}

// shift removes the first of a queue.
func shift[T any](queues map[envelope][]T, e envelope) {
	if q := queues[e]; len(q) > 1 {
		queues[e] = q[1:]
	} else {
		delete(queues, e)
	}
}

// deliver passes on the message of s, once both sides are known.
func (p *post) deliver(s *slot) error {
	if s.mail == nil || s.received < 0 {
		return nil
	}
	m := s.mail.delivery
	m.posted, m.received = s.posted, s.received
	return p.sink.delivered(&m)
}

// unmatched counts what has no partner.
func (p *post) unmatched() (sends, receives int) {
	for _, b := range p.boxes {
		for _, q := range b.mails {
			sends += len(q)
		}
		for _, q := range b.slots {
			receives += len(q)
		}
	}
	return sends, receives
}

// unmatchedNotes say so.
func (p *post) unmatchedNotes() (notes []string) {
	sends, receives := p.unmatched()
	if sends > 0 {
		notes = append(notes, plural(sends, "message")+" without a receive, shown without an arrow")
	}
	if receives > 0 {
		notes = append(notes, plural(receives, "receive")+" without a message, shown without an arrow")
	}
	return notes
}
