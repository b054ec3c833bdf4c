package trace

import (
	"cmp"
	"fmt"
)

// request is an operation that its processor has started.
type request struct {
	at     Pos
	kind   Kind
	tested bool // it may have completed in a test
}

// start opens the request of e.
func (who *party) start(e *Event, at Pos) error {
	if old, used := who.open[e.Request]; used && !old.tested {
		return fmt.Errorf("%s opens request %d, which is open", e.Kind, e.Request)
	}
	who.open[e.Request] = request{at, e.Kind, false}
	return nil
}

func (who *party) wait(e *Event) error {
	if e.Request < 0 {
		return nil
	}
	if _, is := who.open[e.Request]; !is {
		return fmt.Errorf("wait for request %d, which is not open", e.Request)
	}
	delete(who.open, e.Request)
	return nil
}

// test closes the request of e if the test says that it succeeded. Tests of a
// request that is not open are legal: they succeed at once.
func (who *party) test(e *Event) {
	r, is := who.open[e.Request]
	switch {
	case !is:
	case e.Count > 0:
		delete(who.open, e.Request)
	default:
		r.tested = true
		who.open[e.Request] = r
	}
}

// leftOpen notes the requests that a processor never closed.
func (m *Matcher) leftOpen(who *party) {
	var first request
	id, n := None, uint64(0)
	for i, r := range who.open {
		if r.tested {
			continue
		}
		n++
		if id == None || cmp.Or(cmp.Compare(r.at.File, first.at.File), cmp.Compare(r.at.At, first.at.At), cmp.Compare(i, id)) < 0 {
			first, id = r, i
		}
	}
	if n == 0 {
		return
	}
	m.counts.Open += n
	m.found.add(Mismatch{Proc: who.proc, Pos: first.at, Kind: first.kind, Legal: true}, n, func() string {
		text := fmt.Sprintf("rank %d never waits for request %d of this %s", who.proc, id, first.kind)
		if n > 1 {
			text += fmt.Sprintf(", nor for %d more", n-1)
		}
		return text
	})
}
