package trace

import (
	"cmp"
	"fmt"
	"iter"
)

// request is a nonblocking operation that its processor has started.
type request struct {
	at     Pos
	kind   Kind
	tested bool // a test may have completed it
}

// requests holds the open requests of a processor by their numbers, which are not negative. Most programs use small
// numbers again and again.
type requests struct {
	low  []request         // by number; a kind of 0 if the request is not open
	high map[int32]request // of the numbers that low has no room for
}

// The room of low doubles, up to a limit, while all open requests are in it.
const (
	firstRequests = 1 << 5
	lowRequests   = 1 << 12
)

func (t *requests) get(number int32) (q request, open bool) {
	if int(number) < len(t.low) {
		return t.low[number], t.low[number].kind != 0
	}
	q, open = t.high[number]
	return q, open
}

func (t *requests) set(number int32, q request) {
	room := max(firstRequests, min(2*len(t.low), lowRequests))
	if int(number) >= len(t.low) && int(number) < room && len(t.high) == 0 {
		t.low = append(t.low, make([]request, room-len(t.low))...)
	}
	switch {
	case int(number) < len(t.low):
		t.low[number] = q
	case t.high == nil:
		t.high = map[int32]request{number: q}
	default:
		t.high[number] = q
	}
}

func (t *requests) drop(number int32) {
	if int(number) < len(t.low) {
		t.low[number] = request{}
		return
	}
	delete(t.high, number)
}

// all yields the open requests.
func (t *requests) all() iter.Seq2[int32, request] {
	return func(yield func(int32, request) bool) {
		for i, q := range t.low {
			if q.kind != 0 && !yield(int32(i), q) {
				return
			}
		}
		for i, q := range t.high {
			if !yield(i, q) {
				return
			}
		}
	}
}

// start opens the request of e.
func (r *rank) start(e *Event, at Pos) error {
	if old, used := r.open.get(e.Request); used && !old.tested {
		return fmt.Errorf("%s opens request %d, which is open", e.Kind, e.Request)
	}
	r.open.set(e.Request, request{at, e.Kind, false})
	return nil
}

func (r *rank) wait(e *Event) error {
	if e.Request < 0 {
		return nil
	}
	if _, is := r.open.get(e.Request); !is {
		return fmt.Errorf("wait for request %d, which is not open", e.Request)
	}
	r.open.drop(e.Request)
	return nil
}

// test closes the request of e if the test succeeded. Tests of a request that is not
// open are legal: they succeed at once.
func (r *rank) test(e *Event) {
	if e.Request < 0 {
		return
	}
	q, is := r.open.get(e.Request)
	switch {
	case !is:
	case e.Count > 0:
		r.open.drop(e.Request)
	default:
		q.tested = true
		r.open.set(e.Request, q)
	}
}

// leftOpen adds a finding for the requests that a processor never closed.
func (m *Matcher) leftOpen(r *rank) {
	var first request
	id, n := None, uint64(0)
	for i, q := range r.open.all() {
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
