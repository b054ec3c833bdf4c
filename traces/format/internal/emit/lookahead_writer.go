package emit

import (
	"spoor/traces/trace"
)

// LookaheadEvents limits the number of events that all ranks together hold back.
const LookaheadEvents = 1 << 19

// HeldEvents counts the events that the ranks of one import hold back.
type HeldEvents struct{ held int }

// LookaheadWriter is a RankWriter for formats that complete an event late. For example,
// a receive is posted here, but its sender is known only when it completes. Later
// events are held back until it is resolved, so that the order is kept.
//
// It also merges computation: gaps between calls become one event, before the next
// event that is not computation.
type LookaheadWriter struct {
	*RankWriter
	share   *HeldEvents
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

// LookaheadWriter returns the writer of rank p.
func (c *MessageWriter) LookaheadWriter(p trace.Proc, share *HeldEvents, expire expiry) *LookaheadWriter {
	return &LookaheadWriter{RankWriter: c.RankWriter(p), share: share, expire: expire}
}

// Busy adds computation of work, which began at time.
func (p *LookaheadWriter) Busy(work, time int64, at trace.Pos) {
	if p.work == 0 {
		p.since, p.sinceAt = time, at
	}
	p.work += work
}

// idle writes the pending computation.
func (p *LookaheadWriter) idle() error {
	if p.work == 0 {
		return nil
	}
	e := trace.NewEvent(trace.Compute)
	e.Work, e.Time = p.work, p.since
	p.work = 0
	return p.put(waiting{e, p.sinceAt, waitReady})
}

// Emit appends e, after the pending computation.
func (p *LookaheadWriter) Emit(e trace.Event, at trace.Pos) error {
	if err := p.idle(); err != nil {
		return err
	}
	return p.put(waiting{e, at, waitReady})
}

// Hold appends e, to be resolved with the ticket.
func (p *LookaheadWriter) Hold(e trace.Event, at trace.Pos) (ticket int64, err error) {
	if err := p.idle(); err != nil {
		return 0, err
	}
	ticket = p.headRow + int64(len(p.queue)-p.head)
	return ticket, p.put(waiting{e, at, waitOpen})
}

// Resolve lets change complete a held event; if change returns false, the event is
// removed. inTime is false if the event could no longer be held.
func (p *LookaheadWriter) Resolve(ticket int64, change func(e *trace.Event) (keep bool)) (inTime bool, err error) {
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

func (p *LookaheadWriter) put(w waiting) error {
	if p.head == len(p.queue) && w.state == waitReady {
		p.headRow++
		return p.pass(&w)
	}
	if p.head > len(p.queue)/2 {
		p.queue = p.queue[:copy(p.queue, p.queue[p.head:])]
		p.head = 0
	}
	p.queue = append(p.queue, w)
	if p.share.held++; p.share.held > LookaheadEvents {
		return p.release(false)
	}
	return nil
}

// drain writes the events before the first unresolved one.
func (p *LookaheadWriter) drain() error {
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
func (p *LookaheadWriter) release(ended bool) error {
	w := &p.queue[p.head]
	p.expired++
	w.state = waitReady
	if !p.expire(&w.event, ended) {
		w.state = waitGone
	}
	return p.drain()
}

func (p *LookaheadWriter) pass(w *waiting) error {
	if w.state == waitGone {
		return nil
	}
	_, err := p.RankWriter.Emit(&w.event, w.at)
	return err
}

// Finish ends the rank.
func (p *LookaheadWriter) Finish() error {
	if err := p.idle(); err != nil {
		return err
	}
	for p.head < len(p.queue) {
		if err := p.release(true); err != nil {
			return err
		}
	}
	return p.Flush()
}

// RequestNumbers gives small numbers to the requests of a rank. The format's own
// numbers may be large, or the same for several requests.
type RequestNumbers struct {
	free []int32
	used int32
}

// Take returns a number that is not in use.
func (r *RequestNumbers) Take() int32 {
	if n := len(r.free); n > 0 {
		number := r.free[n-1]
		r.free = r.free[:n-1]
		return number
	}
	r.used++
	return r.used - 1
}

// Give releases a number.
func (r *RequestNumbers) Give(number int32) { r.free = append(r.free, number) }
