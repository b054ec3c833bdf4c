package replay

import (
	"spoor/predict/internal/memsys/wwt"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// flag counts the signals that it has received. It never loses signals.
type flag struct {
	signals int64
	waiting []*processor // in the order of arrival, without those that look
	by      *processor   // that signalled last, at time since
	since   unit.Picos
	last    wwt.Message // the last signal, of windows
}

func (r *run) flagOf(id int32) *flag {
	f := r.flags[id]
	if f == nil {
		f = &flag{}
		r.flags[id] = f
	}
	return f
}

// signal resumes the processors that wait for no more signals than the flag now has.
func (r *run) signal(p *processor, id int32) {
	f := r.flagOf(id)
	f.signals++
	f.by, f.since = p, p.next
	left := f.waiting[:0]
	for _, q := range f.waiting {
		if int64(q.rows[q.event-1].Tag) > f.signals {
			left = append(left, q)
			continue
		}
		r.resume(q, p.next, p, p.next)
		r.rescheduled = append(r.rescheduled, q)
	}
	f.waiting = left
}

// await makes p wait until the flag has as many signals as the event says. An event without a number does not wait.
func (r *run) await(p *processor, e *trace.Event) {
	if e.Tag <= 0 {
		r.uncountedWaits++
		return
	}
	if f := r.flagOf(e.Peer); f.signals < int64(e.Tag) {
		p.state = atFlag
		if !r.look(p, wordOf(e), false) {
			f.waiting = append(f.waiting, p)
		}
	}
}
