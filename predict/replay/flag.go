package replay

import "spoor/traces/trace"

// flag counts the signals that it has got. It never loses them.
type flag struct {
	signals int64
	waiting []*processor // in the order they came
}

func (r *run) flagOf(id int32) *flag {
	f := r.flags[id]
	if f == nil {
		f = &flag{}
		r.flags[id] = f
	}
	return f
}

// signal lets go on who wait for no more signals than there are now.
func (r *run) signal(p *processor, id int32) {
	f := r.flagOf(id)
	f.signals++
	left := f.waiting[:0]
	for _, q := range f.waiting {
		if int64(q.rows[q.event-1].Tag) > f.signals {
			left = append(left, q)
			continue
		}
		r.resume(q, p.next)
		r.rescheduled = append(r.rescheduled, q)
	}
	f.waiting = left
}

// await lets p wait until the flag has got as many signals as the event says. One that says none
// waits for nothing.
func (r *run) await(p *processor, e *trace.Event) {
	if e.Tag <= 0 {
		r.uncountedWaits++
		return
	}
	if f := r.flagOf(e.Peer); f.signals < int64(e.Tag) {
		p.state = atFlag
		f.waiting = append(f.waiting, p)
	}
}
