package otf2

import (
	"fmt"

	"spoor/traces/trace"
)

// drop ends a request whose event does not count.
func (p *otf2Parser) drop(r *otf2Rank, request otf2Request) error {
	r.numbers.Give(request.number)
	if request.kind == trace.Isend {
		return nil
	}
	_, err := r.Resolve(request.ticket, func(*trace.Event) bool { return false })
	return err
}

// requestOf reads the only attribute of the event.
func (p *otf2Parser) requestOf(e *otf2Line) (uint64, error) {
	a := otf2Attrs{rest: e.attrs}
	id := a.number("Request: ")
	return id, p.incomplete(&a, e.kind.name, e.line)
}

// open numbers a request. OTF2 numbers all requests of a run in 64 bits.
func (p *otf2Parser) open(r *otf2Rank, id uint64, request otf2Request, e *otf2Line) (int32, error) {
	if _, ok := r.requests[id]; ok {
		return 0, p.fail(e.line, fmt.Sprintf("request %d is already open", id), "")
	}
	request.number = r.numbers.Take()
	r.requests[id] = request
	return request.number, nil
}

// close finds the request of a completion; kind 0 is any.
func (p *otf2Parser) close(r *otf2Rank, id uint64, kind trace.Kind, e *otf2Line) (otf2Request, error) {
	request, ok := r.requests[id]
	if !ok || kind != 0 && request.kind != kind {
		return request, p.fail(e.line, fmt.Sprintf("%s of request %d, which is not open", e.kind.name, id), "")
	}
	delete(r.requests, id)
	return request, nil
}

// completed emits the completion of a request, by a wait or a test.
func (p *otf2Parser) completed(r *otf2Rank, number int32, e *otf2Line) error {
	ev := trace.NewEvent(trace.Wait)
	if n := len(e.place.stack); n > 0 && e.place.stack[n-1].test {
		ev.Kind, ev.Count = trace.Test, 1
	}
	ev.Request = number
	r.numbers.Give(number)
	var err error
	if ev.Time, err = p.callTime(e); err != nil {
		return err
	}
	return r.Emit(ev, p.here())
}
