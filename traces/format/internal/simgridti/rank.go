package simgridti

import (
	"spoor/traces/format/internal/emit"
	"spoor/traces/trace"
)

// tiState is the progress of a rank.
type tiState uint8

const (
	tiUnborn tiState = iota
	tiRunning
	tiFinalized
)

// tiRank is one rank of the trace.
type tiRank struct {
	number     int32
	rankWriter *emit.RankWriter
	state      tiState
	size       int64     // bytes of an element without datatype
	fraction   float64   // part of a flop not yet in an amount
	last       trace.Pos // of its latest action
	requests   tiRequests
}

// end completes the tested requests, and flushes the events.
func (r *tiRank) end(p *tiParser) error {
	for i := r.requests.oldest; i != tiNoRequest; i = r.requests.all[i].newer {
		if r.requests.all[i].tested {
			p.note(tiTestLeft)
			if err := p.wait(r.requests.all[i].id); err != nil {
				return err
			}
		}
	}
	r.state, r.requests = tiFinalized, newTIRequests()
	return r.rankWriter.End()
}

// tiMessage identifies a request in the trace.
type tiMessage struct{ from, to, tag int32 }

// tiRequest is an open request. It is in two lists by age: that of all requests, and
// that of its message.
type tiRequest struct {
	id           int32
	tested       bool
	message      tiMessage
	older, newer int32
	next         int32
}

const tiNoRequest = -1

// tiRequests holds the open requests of a rank. Most ranks have few at a time, which are searched one after the other.
type tiRequests struct {
	all            []tiRequest
	unused         []int32
	of             map[tiMessage]tiQueue // the open requests, if indexed
	indexed        bool                  // there were more than tiFewRequests, and some are still open
	oldest, newest int32
	open           int
	count          int32 // number of requests so far, which numbers them
}

// tiFewRequests is the number of open requests up to which no map is needed.
const tiFewRequests = 8

type tiQueue struct{ first, last int32 }

func newTIRequests() tiRequests { return tiRequests{oldest: tiNoRequest, newest: tiNoRequest} }

// number returns the next number of a request.
func (q *tiRequests) number() int32 {
	n := q.count
	q.count = (q.count + 1) & 0x7fffffff
	return n
}

// add opens a request.
func (q *tiRequests) add(m tiMessage) (id int32) {
	id = q.number()
	r := tiRequest{id: id, message: m, older: q.newest, newer: tiNoRequest, next: tiNoRequest}
	i := int32(len(q.all))
	if n := len(q.unused); n > 0 {
		i, q.unused = q.unused[n-1], q.unused[:n-1]
		q.all[i] = r
	} else {
		q.all = append(q.all, r)
	}
	if q.newest == tiNoRequest {
		q.oldest = i
	} else {
		q.all[q.newest].newer = i
	}
	q.newest = i
	q.open++
	switch {
	case q.indexed:
		q.enter(i)
	case q.open > tiFewRequests:
		q.index()
	}
	return id
}

// index enters all open requests into the map.
func (q *tiRequests) index() {
	if q.of == nil {
		q.of = map[tiMessage]tiQueue{}
	}
	q.indexed = true
	for i := q.oldest; i != tiNoRequest; i = q.all[i].newer {
		q.enter(i)
	}
}

// enter enters the newest request of a message into the map.
func (q *tiRequests) enter(i int32) {
	m := q.all[i].message
	if queue, ok := q.of[m]; ok {
		q.all[queue.last].next = i
		q.of[m] = tiQueue{queue.first, i}
	} else {
		q.of[m] = tiQueue{i, i}
	}
}

// find returns the oldest open request for m. Without one, it returns the oldest
// receive by rank me that could have received m.
func (q *tiRequests) find(m tiMessage, me int32) (i int32, wild bool) {
	if !q.indexed {
		return q.search(m, me)
	}
	if queue, ok := q.of[m]; ok {
		return queue.first, false
	}
	i = tiNoRequest
	if m.to != me {
		return i, false
	}
	for _, any := range [...]tiMessage{{trace.None, me, m.tag}, {m.from, me, trace.None}, {trace.None, me, trace.None}} {
		if queue, ok := q.of[any]; ok && (i == tiNoRequest || q.all[queue.first].id < q.all[i].id) {
			i = queue.first
		}
	}
	return i, i != tiNoRequest
}

// search is find without the map.
func (q *tiRequests) search(m tiMessage, me int32) (i int32, wild bool) {
	could := int32(tiNoRequest)
	for i := q.oldest; i != tiNoRequest; i = q.all[i].newer {
		switch r := &q.all[i].message; {
		case *r == m:
			return i, false
		case could == tiNoRequest && m.to == me && r.to == me && (r.from == m.from || r.from == trace.None) && (r.tag == m.tag || r.tag == trace.None):
			could = i
		}
	}
	return could, could != tiNoRequest
}

// take closes request i, which must be the oldest of its message.
func (q *tiRequests) take(i int32) (id int32) {
	r := q.all[i]
	if r.older == tiNoRequest {
		q.oldest = r.newer
	} else {
		q.all[r.older].newer = r.newer
	}
	if r.newer == tiNoRequest {
		q.newest = r.older
	} else {
		q.all[r.newer].older = r.older
	}
	if q.indexed {
		q.leave(&r)
	}
	q.unused = append(q.unused, i)
	q.open--
	q.indexed = q.indexed && q.open > 0
	return r.id
}

// leave removes the oldest request of a message from the map.
func (q *tiRequests) leave(r *tiRequest) {
	if r.next == tiNoRequest {
		delete(q.of, r.message)
	} else {
		q.of[r.message] = tiQueue{r.next, q.of[r.message].last}
	}
}
