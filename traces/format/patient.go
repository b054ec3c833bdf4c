package format

import "spoor/traces/trace"

// patientEvents bounds how many events all ranks together hold back.
const patientEvents = 1 << 19

// patience is what the ranks of one import share: how many events they hold back.
type patience struct{ held int }

// patient is a speaker for formats that say late what an event was: a receive is
// posted here, and who sent to it is known only when it completes. Events after
// such a one are held back until it is settled, so that they stay in order.
//
// It also gathers computation: gaps between calls become one event, before the
// next event that is not computation.
type patient struct {
	*speaker
	share   *patience
	queue   []waiting
	head    int   // the queue begins here
	said    int64 // number of the event at head, counted from the first
	expired int   // open events that were not settled
	expire  expiry

	work, since int64 // computation not said yet, and when it began
	sinceAt     trace.Pos
}

// expiry decides whether an event that is not settled in time is said as it is. At
// the end of the rank, ended is true.
type expiry func(e *trace.Event, ended bool) (keep bool)

type waiting struct {
	event trace.Event
	at    trace.Pos
	state waitState
}

type waitState uint8

const (
	waitReady waitState = 1 + iota // as it shall be said
	waitOpen                       // to be settled
	waitGone                       // never to be said
)

// patient makes the speaker of rank p.
func (c *conversation) patient(p trace.Proc, share *patience, expire expiry) *patient {
	return &patient{speaker: c.speaker(p), share: share, expire: expire}
}

// busy adds computation of work, which began at time.
func (p *patient) busy(work, time int64, at trace.Pos) {
	if p.work == 0 {
		p.since, p.sinceAt = time, at
	}
	p.work += work
}

// idle says the computation so far.
func (p *patient) idle() error {
	if p.work == 0 {
		return nil
	}
	e := trace.NewEvent(trace.Compute)
	e.Work, e.Time = p.work, p.since
	p.work = 0
	return p.put(waiting{e, p.sinceAt, waitReady})
}

// say appends e, after computation so far.
func (p *patient) say(e trace.Event, at trace.Pos) error {
	if err := p.idle(); err != nil {
		return err
	}
	return p.put(waiting{e, at, waitReady})
}

// hold appends e, to be settled with the ticket.
func (p *patient) hold(e trace.Event, at trace.Pos) (ticket int64, err error) {
	if err := p.idle(); err != nil {
		return 0, err
	}
	ticket = p.said + int64(len(p.queue)-p.head)
	return ticket, p.put(waiting{e, at, waitOpen})
}

// settle lets change complete a held event, which false removes. It returns false
// if the event could be held no longer.
func (p *patient) settle(ticket int64, change func(e *trace.Event) (keep bool)) (inTime bool, err error) {
	i := ticket - p.said
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

func (p *patient) put(w waiting) error {
	if p.head == len(p.queue) && w.state == waitReady {
		p.said++
		return p.pass(&w)
	}
	if p.head > len(p.queue)/2 {
		p.queue = p.queue[:copy(p.queue, p.queue[p.head:])]
		p.head = 0
	}
	p.queue = append(p.queue, w)
	if p.share.held++; p.share.held > patientEvents {
		return p.release(false)
	}
	return nil
}

// drain passes on what is settled, up to the first event that is not.
func (p *patient) drain() error {
	for p.head < len(p.queue) && p.queue[p.head].state != waitOpen {
		w := &p.queue[p.head]
		p.head++
		p.said++
		p.share.held--
		if err := p.pass(w); err != nil {
			return err
		}
	}
	return nil
}

// release gives up on the first event, which is open.
func (p *patient) release(ended bool) error {
	w := &p.queue[p.head]
	p.expired++
	w.state = waitReady
	if !p.expire(&w.event, ended) {
		w.state = waitGone
	}
	return p.drain()
}

func (p *patient) pass(w *waiting) error {
	if w.state == waitGone {
		return nil
	}
	_, err := p.speaker.say(&w.event, w.at)
	return err
}

// finish ends the rank.
func (p *patient) finish() error {
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

// requestNumbers gives small numbers to the requests of a rank, which its format may
// name by large ones, or several by the same.
type requestNumbers struct {
	free []int32
	used int32
}

// take is a number that is not in use.
func (r *requestNumbers) take() int32 {
	if n := len(r.free); n > 0 {
		number := r.free[n-1]
		r.free = r.free[:n-1]
		return number
	}
	r.used++
	return r.used - 1
}

// give takes a number back that is no longer in use.
func (r *requestNumbers) give(number int32) { r.free = append(r.free, number) }
