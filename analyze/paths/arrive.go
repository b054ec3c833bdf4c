package paths

import "spoor/traces/heap"

// arrive takes up a packet, or lets a processor go on.
func (r *run) arrive(next heap.Item[int64, int32, uint64, arrival]) {
	a := next.Value
	if a.kind == resume {
		r.advance(a.message)
		return
	}
	m := &r.messages[a.message]
	switch a.kind {
	case reply:
		r.sendData(a.message, m)
		return
	case request:
		r.passPort(a.message, m, 0)
		r.state[a.message] |= arrived
		if r.state[a.message]&posted != 0 {
			r.answer(a.message, r.long[a.message])
		}
	default:
		r.passPort(a.message, m, restOf(m.bytes))
		r.state[a.message] |= done
	}
	r.wake(m.to, a.message)
}

// passPort brings bytes behind the first through the port of the receiver.
func (r *run) passPort(number int32, m *message, bytes int64) {
	if m.to == m.from {
		return
	}
	at, in := &r.at[number], &r.procs[m.to].in
	if r.Ports != NoPort {
		at.await(in)
		*in = *at
		r.add(in, Gap, 1)
	}
	if r.Ports == BothPort {
		r.add(in, Byte, bytes)
	}
	r.add(at, Byte, bytes)
}

// answer answers the request of a message whose receive is posted. The answer uses neither a processor nor a port.
func (r *run) answer(number int32, t *transfer) {
	m := &r.messages[number]
	t.reply = r.at[number]
	r.add(&t.reply, Receive, 1)
	t.reply.await(&t.posted)
	r.add(&t.reply, Send, 1)
	if m.to != m.from {
		r.add(&t.reply, Latency, 1)
	}
	r.push(t.reply.at, m.to, arrival{number, reply})
}

// sendData sends the bytes of a rendezvous message when its answer has come.
func (r *run) sendData(number int32, m *message) {
	t, p := r.long[number], &r.procs[m.from]
	begin := t.reply
	r.add(&begin, Receive, 1)
	if m.to == m.from {
		r.add(&begin, Send, 1)
		t.left, r.at[number] = begin, begin
		r.push(begin.at, m.from, arrival{number, data})
	} else {
		t.left = r.transmit(p, number, data, begin, restOf(m.bytes))
	}
	p.asked--
	r.state[number] |= left
	r.wake(m.from, number)
}

// wake lets a processor go on if it waits for a message.
func (r *run) wake(i, number int32) {
	if p := &r.procs[i]; p.waits == number {
		p.waits = -1
		r.advance(i)
	}
}
