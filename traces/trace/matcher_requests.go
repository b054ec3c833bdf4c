package trace

import (
	"cmp"
	"fmt"
)

// request is a nonblocking operation that its processor has started.
type request struct {
	at     Pos
	kind   Kind
	tested bool // a test may have completed it
}

// start opens the request of e.
func (r *rank) start(e *Event, at Pos) error {
	if old, used := r.open[e.Request]; used && !old.tested {
		return fmt.Errorf("%s opens request %d, which is open", e.Kind, e.Request)
	}
	r.open[e.Request] = request{at, e.Kind, false}
	return nil
}

func (r *rank) wait(e *Event) error {
	if e.Request < 0 {
		return nil
	}
	if _, is := r.open[e.Request]; !is {
		return fmt.Errorf("wait for request %d, which is not open", e.Request)
	}
	delete(r.open, e.Request)
	return nil
}

// test closes the request of e if the test succeeded. Tests of a request that is not
// open are legal: they succeed at once.
func (r *rank) test(e *Event) {
	q, is := r.open[e.Request]
	switch {
	case !is:
	case e.Count > 0:
		delete(r.open, e.Request)
	default:
		q.tested = true
		r.open[e.Request] = q
	}
}

// leftOpen adds a finding for the requests that a processor never closed.
func (m *Matcher) leftOpen(r *rank) {
	var first request
	id, n := None, uint64(0)
	for i, q := range r.open {
		if q.tested {
			continue
		}
		n++
		if id == None || cmp.Or(cmp.Compare(q.at.File, first.at.File), cmp.Compare(q.at.At, first.at.At), cmp.Compare(i, id)) < 0 {
			first, id = q, i
		}
	}
	if n == 0 {
		return
	}
	m.counts.Open += n
	m.found.add(Mismatch{Proc: r.proc, Pos: first.at, Kind: first.kind, Legal: true}, n, func() string {
		text := fmt.Sprintf("rank %d never waits for request %d of this %s", r.proc, id, first.kind)
		if n > 1 {
			text += fmt.Sprintf(" and %d more", n-1)
		}
		return text
	})
}
