package dimemas

import (
	"fmt"
	"math"
	"strconv"

	"spoor/traces/format/internal/emit"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// rank is the state of a task.
type rank struct {
	number int32
	writer *emit.RankWriter
	next   int32 // number of the next request
	open   openRequests
	sends  []int32        // immediate sends
	turns  map[int64]int  // collectives with a root, by communicator
	used   map[int64]bool // communicators with collectives
}

// newRequest returns the number of a new request.
func (r *rank) newRequest() int32 {
	id := r.next
	r.next = (r.next + 1) & math.MaxInt32
	return id
}

func (p *parser) emit(e *trace.Event) error {
	if p.problem != nil {
		return p.problem
	}
	_, err := p.rank.writer.Emit(e, p.at())
	return err
}

func (p *parser) wait(id int32) error {
	e, err := p.rank.writer.Next(trace.Wait)
	if err != nil {
		return err
	}
	e.Request = id
	return p.rank.writer.Done(p.at())
}

// burst reads a CPU burst.
func (p *parser) burst() error {
	if err := p.values(4); err != nil {
		return err
	}
	picos, problem := picoseconds(p.fields[3])
	if problem != "" {
		return p.Fail(p.raw, fmt.Sprintf("duration %s is %s", input.Quote(p.fields[3]), problem), "")
	}
	return p.rank.writer.Compute(picos, 0, p.at())
}

// picoseconds reads seconds. Digits with a point are exact to a picosecond.
func picoseconds(text []byte) (picos int64, problem string) {
	if picos, ok := plainSeconds(text); ok {
		return picos, ""
	}
	v, err := strconv.ParseFloat(string(text), 64)
	switch {
	case err != nil || math.IsNaN(v):
		return 0, "not a number of seconds"
	case v < 0:
		return 0, "negative"
	case v*second >= math.MaxInt64:
		return 0, "more than 106 days"
	}
	return int64(math.Round(v * second)), ""
}

// second is a second in picoseconds.
const second = 1_000_000_000_000

// plainSeconds is picoseconds for digits with at most twelve behind a point.
func plainSeconds(text []byte) (picos int64, ok bool) {
	w, end := input.LongDecimalRun(text, 0)
	if end == 0 || w >= math.MaxInt64/second {
		return 0, false
	}
	f := uint64(0)
	if point := end; point < len(text) && text[point] == '.' {
		f, end = input.LongDecimalRun(text, point+1)
		digits := end - point - 1
		if digits > 12 {
			return 0, false
		}
		f *= tens[12-digits]
	}
	return int64(w)*second + int64(f), end == len(text)
}

// tens are the powers of ten.
var tens = [13]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12}

// message is a send or receive.
type message struct {
	peer, bytes, tag, comm int64
	kind                   int64
	skipped                bool // it is from or to a further thread
}

// message reads a send or receive, whose kinds are 0 to most. The thread of the peer may be left out.
func (p *parser) message(peer string, least, most int64) (m message, err error) {
	if err := p.values(8, 9); err != nil {
		return m, err
	}
	at := len(p.fields) - 4
	m.peer = p.number(3, peer, least, int64(len(p.threads)-1))
	if at == 5 {
		m.skipped = p.number(4, "thread", -2, math.MaxInt32) > 0
	}
	m.bytes, m.tag = p.number(at, "size", 0, math.MaxInt64), p.number(at+1, "tag", least, math.MaxInt32)
	m.comm, m.kind = p.number(at+2, "communicator", 0, math.MaxInt32), p.number(at+3, "kind", 0, most)
	if m.skipped && !p.first {
		p.wrong("a message of a further thread", "--set threads=first omits such messages")
	}
	if m.skipped && p.problem == nil {
		p.skip()
	}
	return m, p.problem
}

// event returns the event of a message.
func (p *parser) event(kind trace.Kind, m *message) (*trace.Event, error) {
	e, err := p.rank.writer.Next(kind)
	if err != nil {
		return nil, err
	}
	e.Peer, e.Tag, e.Bytes, e.Group = int32(m.peer), int32(m.tag), m.bytes, int32(m.comm)
	if c := p.comms[m.comm]; c != nil {
		e.Group = c.group
	}
	return e, nil
}

// send reads a send. Bit 0 of its kind marks it as synchronous, and bit 1 as immediate.
func (p *parser) send() error {
	m, err := p.message("receiver", 0, 3)
	if err != nil || m.skipped {
		return err
	}
	return p.emitSend(&m)
}

// emitSend emits a send.
func (p *parser) emitSend(m *message) error {
	e, err := p.event(trace.Send, m)
	if err != nil {
		return err
	}
	if m.kind&1 > 0 {
		p.synchronous++
	}
	if m.kind&2 > 0 {
		e.Kind, e.Request = trace.Isend, p.rank.newRequest()
		p.rank.sends = append(p.rank.sends, e.Request)
	}
	return p.rank.writer.Done(p.at())
}

// The kinds of receives, and of collectives.
const (
	receiveImmediate    = 1
	waits               = 2
	collectiveImmediate = 0
	collectiveBlocking  = 1 // also if the record has no kind
)

// receive reads a receive, or the wait for one.
func (p *parser) receive() error {
	m, err := p.message("sender", none, 2)
	if err != nil || m.skipped {
		return err
	}
	done, err := p.emitReceive(&m)
	if !done {
		return p.Fail(p.raw, fmt.Sprintf("a wait without an open receive from %d with tag %d in communicator %d", m.peer, m.tag, m.comm), "")
	}
	return err
}

// emitReceive emits a receive or the wait for one. done is false, and nothing is emitted, if no receive is open.
func (p *parser) emitReceive(m *message) (done bool, err error) {
	key := request{m.peer, m.tag, m.comm, none}
	if m.kind == waits {
		id, found := p.rank.open.take(key, request{none, m.tag, m.comm, none}, request{m.peer, none, m.comm, none}, request{none, none, m.comm, none})
		if !found {
			return false, nil
		}
		return true, p.wait(id)
	}
	e, err := p.event(trace.Recv, m)
	if err != nil {
		return true, err
	}
	if m.kind == receiveImmediate {
		e.Kind, e.Request = trace.Irecv, p.rank.newRequest()
		p.rank.open.add(key, e.Request)
	}
	return true, p.rank.writer.Done(p.at())
}

// none is any sender, any tag, or no collective.
const none = int64(trace.None)
