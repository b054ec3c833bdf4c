package engine

import "spoor/traces/unit"

// mailKind says what comes to a rank.
type mailKind uint8

const (
	eager   mailKind = 1 + iota // a message, whole
	ask                         // the request for a long one
	answer                      // to it
	data                        // the long one itself
	release                     // LogGOPSim's: a long one has been received
)

// mail is something on its way to a rank, or there. It is as long as a line of memory.
type mail struct {
	at         unit.Picos // when its first byte comes; of one that waits for a receive, its last
	late       unit.Picos // for which it has waited for ports
	bytes      int64
	from       int32
	seq        uint32 // of from
	tag, group int32
	node       int32 // the pending operation of who gets it; of an ask and in LogGOPSim, of its sender
	next       int32 // in the channel; of an answer, the pending operation of its sender
	last       int32 // of the channel, if it is the first
	prev       int32 // of all that wait
	after      int32 // of all that wait
	kind       mailKind
}

// entry is a mail in the heap.
type entry struct {
	at   unit.Picos
	from int32
	mail int32
}

// heap is the mails on their way to a rank, the first of which comes first, ties by sender and
// sequence. As in queue, each has four behind it.
type heap []entry

func (e *engine) before(a, b entry) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	if a.from != b.from {
		return a.from < b.from
	}
	// Sequences wrap around; those of mails under way are near to each other.
	return int32(e.mails.items[a.mail].seq-e.mails.items[b.mail].seq) < 0
}

func (e *engine) push(h *heap, n entry) {
	*h = append(*h, n)
	q := *h
	i := len(q) - 1
	for i > 0 {
		parent := (i - 1) / behind
		if !e.before(n, q[parent]) {
			break
		}
		q[i] = q[parent]
		i = parent
	}
	q[i] = n
}

func (e *engine) pop(h *heap) int32 {
	q := *h
	first := q[0].mail
	n := len(q) - 1
	last := q[n]
	*h = (*h)[:n]
	if n == 0 {
		return first
	}
	q = q[:n]
	i := 0
	for child := 1; child < n; child = behind*i + 1 {
		children := q[child:min(child+behind, n)]
		least, at := children[0], 0
		for k := 1; k < len(children); k++ {
			if next := &children[k]; next.at < least.at || next.at == least.at && e.before(*next, least) {
				least, at = *next, k
			}
		}
		if least.at > last.at || least.at == last.at && e.before(last, least) {
			break
		}
		q[i] = least
		i = child + at
	}
	q[i] = last
	return first
}

// urgent is whether others wait for what a mail does.
func (e *engine) urgent(m *mail) bool {
	return m.kind == ask || m.kind == answer || e.LogGOPSim && m.kind == eager && m.node != 0
}

// deliver sends a mail to a rank, maybe the one that acts.
func (e *engine) deliver(to int32, m mail, fly unit.Picos) {
	if to != e.acting {
		m.at = max(m.at, e.now+1)
	}
	if m.at >= Horizon {
		e.fail(tooLate(m.from, to))
		return
	}
	if to < e.first || to >= e.end {
		e.send(to, &m)
		return
	}
	e.accept(to, &m, fly)
}

// accept takes a mail to a rank of this worker.
func (e *engine) accept(to int32, m *mail, fly unit.Picos) {
	i := e.mails.add()
	e.mails.items[i] = *m
	e.keepCause(&e.causes.mails, i)
	if e.linked() {
		e.flights = append(e.flights, make([]unit.Picos, len(e.mails.items)-len(e.flights))...)
		e.flights[i] = fly
	}
	d, acts := &e.ranks[to], m.at
	switch {
	case m.kind == release:
		d.urgent++
		e.touch(to)
		e.push(&d.releases, entry{m.at, m.from, i})
	case e.urgent(m):
		d.urgent++
		e.touch(to)
		e.push(&d.arrivals, entry{m.at, m.from, i})
	default:
		e.push(&d.arrivals, entry{m.at, m.from, i})
		if d.wants != m.from && d.wants != None {
			return
		}
		acts += d.delay(m)
	}
	if to == e.acting {
		return
	}
	if acts < d.next {
		d.next = acts
		e.touch(to)
		e.driver.sooner(e, d)
	}
}
