package dumpi

import (
	"fmt"

	"spoor/traces/trace"
)

const dumpiRequestNull = 1

// complete ends the operation of a request; s is nil if its status is unknown.
func (r *dumpiRank) complete(k trace.Kind, c *dumpiCall, name string, id int64, s *dumpiStatus) error {
	if c.err != nil || id == dumpiRequestNull {
		return c.err
	}
	open := r.requests[id]
	if len(open) == 0 {
		if r.templates[id] != nil {
			return nil // not started, so the call returns immediately
		}
		c.bad(c.must(name), fmt.Sprintf("request %d is not open", id), "")
		return c.err
	}
	q := open[0]
	if len(open) == 1 {
		delete(r.requests, id)
	} else { // small sends may share one handle
		r.requests[id] = open[1:]
	}
	if q.noEvent {
		return nil
	}
	r.numbers.Give(q.number)
	gone, err := r.resolveRequest(q, c, s)
	if err != nil || gone {
		return err
	}
	e := r.event(k, c)
	e.Request = q.number
	if k == trace.Test {
		e.Count = 1
	}
	return r.emitCall(e, c)
}

// resolveRequest resolves a receive with its status. gone reports that no message
// arrived for it.
func (r *dumpiRank) resolveRequest(q dumpiRequest, c *dumpiCall, s *dumpiStatus) (gone bool, err error) {
	if s != nil && s.cancelled != 0 {
		r.d.notes.cancelled++
		gone = q.ticket >= 0
	}
	if q.ticket < 0 {
		return false, nil
	}
	if s != nil && s.source < 0 && !gone {
		r.d.notes.null++
		gone = true
	}
	_, err = r.Resolve(q.ticket, func(e *trace.Event) bool {
		if s == nil {
			r.leftOpen(e.Peer, q.bytes)
		}
		if s == nil || gone {
			return !gone
		}
		if e.Peer < 0 {
			e.Peer = r.peer(c, "status", s.source, q.comm)
		}
		if e.Tag < 0 {
			e.Tag = int32(max(s.tag, -1))
		}
		if s.bytes >= 0 {
			e.Bytes = s.bytes
		}
		return true
	})
	return gone, err
}

func (r *dumpiRank) wait(c *dumpiCall) error {
	return r.complete(trace.Wait, c, "request", c.int("request"), r.statusOf(c))
}

func (r *dumpiRank) test(c *dumpiCall) error {
	if c.int("flag") == 0 {
		r.d.notes.tests++
		return c.err
	}
	return r.complete(trace.Test, c, "request", c.int("request"), r.statusOf(c))
}

func (r *dumpiRank) waitall(c *dumpiCall) error { return r.completeAll(trace.Wait, c) }

func (r *dumpiRank) testall(c *dumpiCall) error {
	if c.int("flag") == 0 {
		r.d.notes.tests++
		return c.err
	}
	return r.completeAll(trace.Test, c)
}

func (r *dumpiRank) completeAll(k trace.Kind, c *dumpiCall) error {
	r.ints[0] = c.ints("requests", r.ints[0])
	r.status = c.statuses("statuses", r.status)
	for i, id := range r.ints[0] {
		var s *dumpiStatus
		if i < len(r.status) {
			s = &r.status[i]
		}
		if err := r.complete(k, c, "requests", id, s); err != nil {
			return err
		}
	}
	return c.err
}

func (r *dumpiRank) waitany(c *dumpiCall) error { return r.completeAny(trace.Wait, c) }

func (r *dumpiRank) testany(c *dumpiCall) error {
	if c.int("flag") == 0 {
		r.d.notes.tests++
		return c.err
	}
	return r.completeAny(trace.Test, c)
}

// completeAny completes the request of an index, which is negative if no request was
// open.
func (r *dumpiRank) completeAny(k trace.Kind, c *dumpiCall) error {
	r.ints[0] = c.ints("requests", r.ints[0])
	i := c.int("index")
	if i < 0 || c.err != nil {
		return c.err
	}
	if i >= int64(len(r.ints[0])) {
		c.bad(c.arg("index"), fmt.Sprintf("index out of range of %d requests", len(r.ints[0])), "")
		return c.err
	}
	return r.complete(k, c, "requests", r.ints[0][i], r.statusOf(c))
}

func (r *dumpiRank) waitsome(c *dumpiCall) error { return r.completeSome(trace.Wait, c) }

func (r *dumpiRank) testsome(c *dumpiCall) error {
	if c.int("outcount") == 0 {
		r.d.notes.tests++
	}
	return r.completeSome(trace.Test, c)
}

// completeSome completes the requests of indices. A negative outcount means that no
// request was open.
func (r *dumpiRank) completeSome(k trace.Kind, c *dumpiCall) error {
	if c.int("outcount") <= 0 {
		return c.err
	}
	r.ints[0] = c.ints("requests", r.ints[0])
	r.ints[1] = c.ints("indices", r.ints[1])
	r.status = c.statuses("statuses", r.status)
	for n, i := range r.ints[1] {
		if i < 0 || i >= int64(len(r.ints[0])) {
			c.bad(c.arg("indices"), fmt.Sprintf("index out of range of %d requests", len(r.ints[0])), "")
			return c.err
		}
		var s *dumpiStatus
		if n < len(r.status) {
			s = &r.status[n]
		}
		if err := r.complete(k, c, "requests", r.ints[0][i], s); err != nil {
			return err
		}
	}
	return c.err
}

// requestFree frees a request: no call will wait for it.
func (r *dumpiRank) requestFree(c *dumpiCall) error {
	id := c.int("request")
	delete(r.templates, id)
	delete(r.requests, id)
	return c.err
}
