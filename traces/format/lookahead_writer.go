package format

import "spoor/traces/trace"

// lookaheadEvents limits the number of events that all ranks together hold back.
const lookaheadEvents = 1 << 19

// heldEvents counts the events that the ranks of one import hold back.
type heldEvents struct{ held int }

// lookaheadWriter is a rankWriter for formats that complete an event late. For example,
// a receive is posted here, but its sender is known only when it completes. Later
// events are held back until it is resolved, so that the order is kept.
//
// It also merges computation: gaps between calls become one event, before the next
// event that is not computation.
type lookaheadWriter struct {
	*rankWriter
	share   *heldEvents
	queue   []waiting
	head    int   // the queue begins here
	headRow int64 // number of the event at head, counted from the first
	expired int   // open events that were not resolved
	expire  expiry

	work, since int64 // pending computation, and when it began
	sinceAt     trace.Pos
}

// expiry decides whether an event that is not resolved in time is written as it is. At
// the end of the rank, ended is true.
type expiry func(e *trace.Event, ended bool) (keep bool)

type waiting struct {
	event trace.Event
	at    trace.Pos
	state waitState
}

type waitState uint8

const (
	waitReady waitState = 1 + iota // complete
	waitOpen                       // to be resolved
	waitGone                       // removed
)

// lookaheadWriter returns the writer of rank p.
func (c *messageWriter) lookaheadWriter(p trace.Proc, share *heldEvents, expire expiry) *lookaheadWriter {
	return &lookaheadWriter{rankWriter: c.rankWriter(p), share: share, expire: expire}
}

// busy adds computation of work, which began at time.
func (p *lookaheadWriter) busy(work, time int64, at trace.Pos) {
	if p.work == 0 {
		p.since, p.sinceAt = time, at
	}
	p.work += work
}

// idle writes the pending computation.
func (p *lookaheadWriter) idle() error {
	if p.work == 0 {
		return nil
	}
	e := trace.NewEvent(trace.Compute)
	e.Work, e.Time = p.work, p.since
	p.work = 0
	return p.put(waiting{e, p.sinceAt, waitReady})
}

// emit appends e, after the pending computation.
func (p *lookaheadWriter) emit(e trace.Event, at trace.Pos) error {
	if err := p.idle(); err != nil {
		return err
	}
	return p.put(waiting{e, at, waitReady})
}

// hold appends e, to be resolved with the ticket.
func (p *lookaheadWriter) hold(e trace.Event, at trace.Pos) (ticket int64, err error) {
	if err := p.idle(); err != nil {
		return 0, err
	}
	ticket = p.headRow + int64(len(p.queue)-p.head)
	return ticket, p.put(waiting{e, at, waitOpen})
}

// resolve lets change complete a held event; if change returns false, the event is
// removed. inTime is false if the event could no longer be held.
func (p *lookaheadWriter) resolve(ticket int64, change func(e *trace.Event) (keep bool)) (inTime bool, err error) {
	i := ticket - p.headRow
	if i < 0 {
		return false, nil
	}
	w := &p.queue[p.head+int(i)]
	w.state = waitReady
	if !change(&w.event) {
		w.state = waitGone
	}
	return true, p.drain()
}

func (p *lookaheadWriter) put(w waiting) error {
	if p.head == len(p.queue) && w.state == waitReady {
		p.headRow++
		return p.pass(&w)
	}
	if p.head > len(p.queue)/2 {
		p.queue = p.queue[:copy(p.queue, p.queue[p.head:])]
		p.head = 0
	}
	p.queue = append(p.queue, w)
	if p.share.held++; p.share.held > lookaheadEvents {
		return p.release(false)
	}
	return nil
}

// drain writes the events before the first unresolved one.
func (p *lookaheadWriter) drain() error {
	for p.head < len(p.queue) && p.queue[p.head].state != waitOpen {
		w := &p.queue[p.head]
		p.head++
		p.headRow++
		p.share.held--
		if err := p.pass(w); err != nil {
			return err
		}
	}
	return nil
}

// release stops holding the first event, which is open.
func (p *lookaheadWriter) release(ended bool) error {
	w := &p.queue[p.head]
	p.expired++
	w.state = waitReady
	if !p.expire(&w.event, ended) {
		w.state = waitGone
	}
	return p.drain()
}

func (p *lookaheadWriter) pass(w *waiting) error {
	if w.state == waitGone {
		return nil
	}
	_, err := p.rankWriter.emit(&w.event, w.at)
	return err
}

// finish ends the rank.
func (p *lookaheadWriter) finish() error {
	if err := p.idle(); err != nil {
		return err
	}
	for p.head < len(p.queue) {
		if err := p.release(true); err != nil {
			return err
		}
	}
	return p.flush()
}

// requestNumbers gives small numbers to the requests of a rank. The format's own
// numbers may be large, or the same for several requests.
type requestNumbers struct {
	free []int32
	used int32
}

// take returns a number that is not in use.
func (r *requestNumbers) take() int32 {
	if n := len(r.free); n > 0 {
		number := r.free[n-1]
		r.free = r.free[:n-1]
		return number
	}
	r.used++
	return r.used - 1
}

// give releases a number.
func (r *requestNumbers) give(number int32) { r.free = append(r.free, number) }
