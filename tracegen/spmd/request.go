package spmd

import (
	"fmt"
	"sync/atomic"

	"spoor/traces/trace"
)

// Message is what a rank sends: an envelope, and elements that only a Request can
// take out.
type Message struct {
	From, To int32 // ranks of the whole program
	Tag      int32
	Group    int32  // context of the communicator
	source   int32  // From, as the communicator counts
	at       uint64 // clock of the sender, where the backend orders messages by it
	buffer   buffer
	places   places
	room     []byte // memory of a copy
}

// Bytes is the length of the message.
func (m *Message) Bytes() int { return m.buffer.bytes() }

// Keep returns a copy of m with memory of its own, which outlives the Do that m
// came with.
func (m *Message) Keep() *Message {
	return m.keepIn(new(Message))
}

// keepIn is Keep into a copy that nobody needs any more, and into its memory if that is enough.
func (m *Message) keepIn(k *Message) *Message {
	*k = Message{From: m.From, To: m.To, Tag: m.Tag, Group: m.Group, source: m.source, at: m.at, room: k.room}
	k.buffer, k.room = m.buffer.clone(k.room)
	return k
}

// Request is a send or a receive that has been started. It belongs to the rank
// that started it.
type Request struct {
	Source int32 // rank of the whole program that a receive takes messages from, or Any
	Tag    int32 // that a receive takes, or Any
	Group  int32 // context of the communicator
	ID     int32 // number in the events of the rank; trace.None for a blocking receive
	Kind   trace.Kind
	Mark   uint64 // for the backend's own use

	rank    *Rank
	into    buffer
	from    int32 // rank of the whole program that the message came from
	status  Status
	problem string      // why the message cannot be delivered
	done    bool        // a send: always; a receive: the message has been delivered
	there   atomic.Bool // done, where ranks run at the same time: its rank looks without entering the inbox
	awaited bool        // its rank sleeps until it is done
	retired bool        // it was waited for; known to its rank alone
	at      uint64      // clock at which it was done, where the backend has clocks
	open    int         // index among the rank's requests that nobody waited for
	order   uint64      // among the receives that its rank posted
	place   node[Request]
}

// Takes reports whether a receive of q may get m.
func (q *Request) Takes(m *Message) bool {
	return q.Group == m.Group && (q.Source == m.From || q.Source == Any) && (q.Tag == m.Tag || q.Tag == Any)
}

// Deliver copies m into the memory of the receive. If that cannot hold it, the
// rank panics when it comes back from waiting.
func (q *Request) Deliver(m *Message) {
	n := m.buffer.elements()
	q.from, q.status = m.From, Status{int(m.source), int(m.Tag), n}
	switch {
	case q.into.elem != m.buffer.elem:
		q.problem = fmt.Sprintf("message of %s received as %s", m.buffer.elem, q.into.elem)
	case n > q.into.elements():
		q.problem = fmt.Sprintf("message of %s received into %d", plural(n), q.into.elements())
	default:
		copyElements(&q.into, &m.buffer, n)
		return
	}
	q.problem += fmt.Sprintf(" (from rank %d, tag %d)", m.source, m.Tag)
}

// Complete is Deliver for backends of one rank at a time: Completed tells that it was called.
func (q *Request) Complete(m *Message) {
	q.Deliver(m)
	q.done = true
}

// Completed reports whether a message has been delivered; of a send, it always does.
func (q *Request) Completed() bool { return q.done }

// Wait returns when the request has completed. Waiting again returns the same
// Status at once.
func (q *Request) Wait() Status {
	if !q.retired {
		r := q.rank
		r.one[0] = q
		r.do(Op{Kind: trace.Wait, Requests: r.one[:]})
		q.retire()
	}
	return q.status
}

// Test reports whether the request has completed, and if so retires it like Wait.
func (q *Request) Test() (Status, bool) {
	if !q.retired {
		r := q.rank
		r.do(Op{Kind: trace.Test, Request: q})
		if !r.op.Done {
			return Status{}, false
		}
		q.retire()
	}
	return q.status, true
}

// WaitAll waits for every request; nil ones are skipped.
func WaitAll(qs ...*Request) {
	for _, q := range qs {
		if q != nil {
			q.Wait()
		}
	}
}

// WaitAny waits for one of the requests and returns its index. Those that are nil
// or were waited for before are skipped; the index is -1 if nothing is left.
func WaitAny(qs ...*Request) (int, Status) {
	var left []*Request
	var index []int
	for i, q := range qs {
		if q != nil && !q.retired {
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
	q.retire()
	return index[r.op.Index], q.status
}

// start makes a request of the rank's that must be waited for.
func (r *Rank) start(q *Request) *Request {
	q.rank, q.ID, q.open = r, r.requests, len(r.pending)
	r.requests = (r.requests + 1) & 0x7fffffff
	r.pending = append(r.pending, q)
	return q
}

// retire takes a request out of the rank's books.
func (q *Request) retire() {
	p := q.rank.pending
	last := p[len(p)-1]
	p[q.open], last.open = last, q.open
	p[len(p)-1] = nil
	q.rank.pending = p[:len(p)-1]
	q.retired = true
	q.check()
}

// check panics in the receiver if the message did not fit.
func (q *Request) check() {
	if q.problem != "" {
		panic(q.problem)
	}
}
