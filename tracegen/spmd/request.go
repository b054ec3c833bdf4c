package spmd

import (
	"fmt"
	"sync/atomic"

	"spoor/tracegen/spmd/internal/list"
	"spoor/traces/trace"
)

// Message is a message that a rank sends: an envelope, and elements that only a Request can take out.
type Message struct {
	From, To int32 // ranks in the whole program
	Tag      int32
	Group    int32  // context of the communicator
	source   int32  // number of the sender in the communicator
	at       uint64 // clock of the sender, if the backend orders messages by clock
	buffer   buffer
	position queuePosition
	room     []byte // memory of a copy
}

// Bytes is the length of the message.
func (m *Message) Bytes() int { return m.buffer.bytes() }

// Keep returns a copy of m with memory of its own. The copy remains valid after the Do that m came with.
func (m *Message) Keep() *Message {
	return m.keepIn(new(Message))
}

// keepIn is Keep into a free copy; it reuses the copy's memory if that is large enough.
func (m *Message) keepIn(k *Message) *Message {
	*k = Message{From: m.From, To: m.To, Tag: m.Tag, Group: m.Group, source: m.source, at: m.at, room: k.room}
	k.buffer, k.room = m.buffer.clone(k.room)
	return k
}

// Request is a send or a receive that has been started. It belongs to the rank that started it.
type Request struct {
	Source int32 // rank in the whole program from which a receive accepts messages, or Any
	Tag    int32 // tag that a receive accepts, or Any
	Group  int32 // context of the communicator
	ID     int32 // number in the events of the rank; trace.None for a blocking receive
	Kind   trace.Kind
	Mark   uint64 // for the backend's own use

	rank         *Rank
	into         buffer
	from         int32 // rank in the whole program that sent the message
	status       Status
	problem      string      // why the message cannot be delivered
	done         bool        // a send: always; a receive: the message has been delivered
	arrived      atomic.Bool // done, if ranks run concurrently: the rank reads it without the lock of the inbox
	awaited      bool        // its rank sleeps until it is done
	waited       bool        // it was waited for; used by its rank alone
	at           uint64      // clock at which it was done, if the backend has clocks
	pendingIndex int         // index among the rank's pending requests
	order        uint64      // position among the receives that its rank posted
	posted       list.Node[Request]
}

// Takes reports whether receive q accepts m.
func (q *Request) Takes(m *Message) bool {
	return q.Group == m.Group && (q.Source == m.From || q.Source == Any) && (q.Tag == m.Tag || q.Tag == Any)
}

// Deliver copies m into the memory of the receive. If the memory is too small, the rank panics when its wait
// returns.
func (q *Request) Deliver(m *Message) {
	n := m.buffer.elements()
	q.from, q.status = m.From, Status{int(m.source), int(m.Tag), n}
	switch {
	case q.into.elem != m.buffer.elem:
		q.problem = fmt.Sprintf("message of %s received as %s", m.buffer.elem, q.into.elem)
	case n > q.into.elements():
		q.problem = fmt.Sprintf("message of %s received into %d", elementsText(n), q.into.elements())
	default:
		copyElements(&q.into, &m.buffer, n)
		return
	}
	q.problem += fmt.Sprintf(" (from rank %d, tag %d)", m.source, m.Tag)
}

// Complete is Deliver for backends that run one rank at a time. Completed then reports true.
func (q *Request) Complete(m *Message) {
	q.Deliver(m)
	q.done = true
}

// Completed reports whether a message has been delivered. For a send it is always true.
func (q *Request) Completed() bool { return q.done }

// Wait returns when the request has completed. A second Wait returns the same Status at once.
func (q *Request) Wait() Status {
	if !q.waited {
		r := q.rank
		r.one[0] = q
		r.do(Op{Kind: trace.Wait, Requests: r.one[:]})
		q.markWaited()
	}
	return q.status
}

// Test reports whether the request has completed. If so, the request needs no Wait.
func (q *Request) Test() (Status, bool) {
	if !q.waited {
		r := q.rank
		r.do(Op{Kind: trace.Test, Request: q})
		if !r.op.Done {
			return Status{}, false
		}
		q.markWaited()
	}
	return q.status, true
}

// WaitAll waits for every request and skips nil ones.
func WaitAll(qs ...*Request) {
	for _, q := range qs {
		if q != nil {
			q.Wait()
		}
	}
}

// WaitAny waits for one of the requests and returns its index. It skips requests that are nil or were waited for.
// The index is -1 if none is left.
func WaitAny(qs ...*Request) (int, Status) {
	var left []*Request
	var index []int
	for i, q := range qs {
		if q != nil && !q.waited {
			left, index = append(left, q), append(index, i)
		}
	}
	if len(left) == 0 {
		return -1, Status{}
	}
	r := left[0].rank
	for _, q := range left {
		if q.rank != r {
			panic(fmt.Sprintf("waiting for requests of ranks %d and %d", r.id, q.rank.id))
		}
	}
	r.do(Op{Kind: trace.Wait, Requests: left})
	q := left[r.op.Index]
	q.markWaited()
	return index[r.op.Index], q.status
}

// startRequest adds a request to the rank's pending ones, which must be waited for.
func (r *Rank) startRequest(q *Request) *Request {
	q.rank, q.ID, q.pendingIndex = r, r.requests, len(r.pending)
	r.requests = (r.requests + 1) & 0x7fffffff
	r.pending = append(r.pending, q)
	return q
}

// markWaited removes a request from the rank's pending ones.
func (q *Request) markWaited() {
	p := q.rank.pending
	last := p[len(p)-1]
	p[q.pendingIndex], last.pendingIndex = last, q.pendingIndex
	p[len(p)-1] = nil
	q.rank.pending = p[:len(p)-1]
	q.waited = true
	q.check()
}

// check panics in the receiver if the message did not fit.
func (q *Request) check() {
	if q.problem != "" {
		panic(q.problem)
	}
}
