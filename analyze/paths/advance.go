package paths

// advance does operations of a processor until it waits for a message.
func (r *run) advance(i int32) {
	p := &r.procs[i]
	for ops := r.ops[i]; p.next < len(ops); p.next++ {
		o := &ops[p.next]
		if !p.computed {
			r.add(&p.cpu, Instruction, o.instr)
			r.add(&p.cpu, Work, o.work)
			p.computed = true
			if p.asked > 0 && (o.kind == sends || o.kind == isends) {
				r.push(p.cpu.at, last, arrival{i, resume}) // the bytes of its messages may leave before
				return
			}
		}
		if !r.perform(i, p, o) {
			return
		}
		p.computed = false
	}
}

// perform does an operation of processor i, or returns false if it waits for a message.
func (r *run) perform(i int32, p *processor, o *op) bool {
	switch o.kind {
	case sends, isends:
		return r.send(p, o)
	case posts:
		r.post(p, o.message)
	case receives:
		r.post(p, o.message)
		return r.take(p, o.message)
	case takes:
		return r.take(p, o.message)
	case departs:
		return r.depart(p, o.message)
	case probes:
		if r.state[o.message]&(arrived|done) == 0 {
			p.waits = o.message
			return false
		}
		p.cpu.await(&r.at[o.message])
	}
	return true
}

// send sends a message. It returns false if the processor waits until its bytes have left.
func (r *run) send(p *processor, o *op) bool {
	m := &r.messages[o.message]
	long := r.isLong(m)
	if long && r.state[o.message]&asked != 0 {
		return r.depart(p, o.message)
	}
	if o.kind == sends && m.to != m.from {
		p.cpu.await(&p.out)
	}
	begin := p.cpu
	r.add(&p.cpu, Send, 1)
	kind := eager
	if long {
		kind = request
		r.state[o.message] |= asked
		r.transferOf(o.message)
		p.asked++
	}
	if m.to == m.from {
		r.at[o.message] = p.cpu
		r.push(p.cpu.at, m.from, arrival{o.message, kind})
	} else {
		bytes := restOf(m.bytes)
		if long {
			bytes = 0
		}
		r.transmit(p, o.message, kind, begin, bytes)
	}
	return o.kind != sends || !long || r.depart(p, o.message)
}

// transmit sends bytes behind the first through the port of a processor, from begin on at the earliest. It returns when the
// last byte has left.
func (r *run) transmit(p *processor, number int32, kind packetKind, begin moment, bytes int64) (leaves moment) {
	begin.await(&p.out)
	p.out = begin
	r.add(&p.out, Gap, 1)
	r.add(&p.out, Byte, bytes)
	r.add(&begin, Send, 1)
	leaves = begin
	r.add(&leaves, Byte, bytes)
	r.add(&begin, Latency, 1)
	r.at[number] = begin
	r.push(begin.at, r.messages[number].from, arrival{number, kind})
	return leaves
}

// post posts the receive of a message.
func (r *run) post(p *processor, number int32) {
	if r.state[number]&posted != 0 {
		return
	}
	r.state[number] |= posted
	if !r.isLong(&r.messages[number]) {
		return
	}
	t := r.transferOf(number)
	t.posted = p.cpu
	if r.state[number]&arrived != 0 {
		r.answer(number, t)
	}
}

// take waits for a message, and takes it up.
func (r *run) take(p *processor, number int32) bool {
	if r.state[number]&done == 0 {
		p.waits = number
		return false
	}
	p.cpu.await(&r.at[number])
	r.add(&p.cpu, Receive, 1)
	return true
}

// depart waits until a message has left.
func (r *run) depart(p *processor, number int32) bool {
	if !r.isLong(&r.messages[number]) {
		return true
	}
	if r.state[number]&left == 0 {
		p.waits = number
		return false
	}
	p.cpu.await(&r.long[number].left)
	return true
}
