package dimemas

import (
	"bytes"
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
	next   int32               // number of the next request
	open   map[request][]int32 // immediate receives and collectives, oldest first
	sends  []int32             // immediate sends
	turns  map[int64]int       // collectives with a root, by communicator
	used   map[int64]bool      // communicators with collectives
}

// request names what a wait waits for: a receive, or a collective if op is not negative.
type request struct{ from, tag, comm, op int64 }

// newRequest returns the number of a new request.
func (r *rank) newRequest() int32 {
	id := r.next
	r.next = (r.next + 1) & math.MaxInt32
	return id
}

// keptQueues is the number of queues up to which empty ones keep their memory.
const keptQueues = 1 << 10

// take closes the oldest request of the first key that has one.
func (r *rank) take(keys ...request) (id int32, found bool) {
	for _, key := range keys {
		if queue := r.open[key]; len(queue) > 0 {
			switch {
			case len(queue) > 1:
				r.open[key] = queue[1:]
			case len(r.open) > keptQueues:
				delete(r.open, key)
			default:
				r.open[key] = queue[:0]
			}
			return queue[0], true
		}
	}
	return 0, false
}

func (p *parser) emit(e *trace.Event) error {
	if p.problem != nil {
		return p.problem
	}
	_, err := p.rank.writer.Emit(e, p.at())
	return err
}

func (p *parser) wait(id int32) error {
	e := trace.NewEvent(trace.Wait)
	e.Request = id
	return p.emit(&e)
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
	const second = 1_000_000_000_000
	whole, part, _ := bytes.Cut(text, []byte("."))
	if digits := len(part); digits <= 12 {
		w, bad := input.ParseDecimal(whole)
		f, worse := input.ParseDecimal(part)
		for ; digits < 12; digits++ {
			f *= 10
		}
		if bad == "" && (worse == "" || len(part) == 0) && w < math.MaxInt64/second {
			return int64(w)*second + int64(f), ""
		}
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
func (p *parser) event(kind trace.Kind, m *message) trace.Event {
	e := trace.NewEvent(kind)
	e.Peer, e.Tag, e.Bytes, e.Group = int32(m.peer), int32(m.tag), m.bytes, int32(m.comm)
	if c := p.comms[m.comm]; c != nil {
		e.Group = c.group
	}
	return e
}

// send reads a send. Bit 0 of its kind marks it as synchronous, and bit 1 as immediate.
func (p *parser) send() error {
	m, err := p.message("receiver", 0, 3)
	if err != nil || m.skipped {
		return err
	}
	e := p.event(trace.Send, &m)
	if m.kind&1 > 0 {
		p.synchronous++
	}
	if m.kind&2 > 0 {
		e.Kind, e.Request = trace.Isend, p.rank.newRequest()
		p.rank.sends = append(p.rank.sends, e.Request)
	}
	return p.emit(&e)
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
	key := request{m.peer, m.tag, m.comm, none}
	if m.kind == waits {
		any := [...]request{key, {none, m.tag, m.comm, none}, {m.peer, none, m.comm, none}, {none, none, m.comm, none}}
		id, found := p.rank.take(any[:]...)
		if !found {
			return p.Fail(p.raw, fmt.Sprintf("a wait without an open receive from %d with tag %d in communicator %d", m.peer, m.tag, m.comm), "")
		}
		return p.wait(id)
	}
	e := p.event(trace.Recv, &m)
	if m.kind == receiveImmediate {
		e.Kind, e.Request = trace.Irecv, p.rank.newRequest()
		p.rank.open[key] = append(p.rank.open[key], e.Request)
	}
	return p.emit(&e)
}

// none is any sender, any tag, or no collective.
const none = int64(trace.None)
