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

// mail is something on its way to a rank, or there.
type mail struct {
	at         unit.Picos // when its first byte comes; of one that waits for a receive, its last
	late       unit.Picos // for which it has waited for ports
	fly        unit.Picos // what it takes on its way besides
	bytes      int64
	from       int32
	seq        uint32 // of from
	tag, group int32
	node, back int32 // the pending operations of the receiver of this and of its sender
	next, prev int32 // that wait: in the channel, and of all
	after      int32 // of all
	kind       mailKind
}

// entry is a mail in the heap.
type entry struct {
	at   unit.Picos
	from int32
	mail int32
}

// heap is the mails on their way to a rank, the first of which comes first, ties by sender and
// sequence.
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
		parent := (i - 1) / 2
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
	*h = q[:n]
	q = q[:n]
	if n == 0 {
		return first
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && e.before(q[child+1], q[child]) {
			child++
		}
		if !e.before(q[child], last) {
			break
		}
		q[i] = q[child]
		i = child
	}
	q[i] = last
	return first
}

// deliver sends a mail to a rank. It may come to the rank that acts.
func (e *engine) deliver(to int32, m mail) {
	if to != e.acting {
		m.at = max(m.at, e.now+1)
	}
	if m.at >= Horizon {
		e.fail(tooLate(m.from, to))
		return
	}
	i := e.mails.add()
	e.mails.items[i] = m
	d := &e.ranks[to]
	urgent := m.kind == ask || m.kind == answer || m.node != 0 && e.LogGOPSim
	if m.kind == release {
		e.push(&d.releases, entry{m.at, m.from, i})
	} else {
		e.push(&d.arrivals, entry{m.at, m.from, i})
		if urgent {
			d.urgent++
		}
	}
	if to == e.acting || !urgent && d.wants != m.from && d.wants != None {
		return
	}
	if m.at < d.next {
		d.next = m.at
		e.queue.sooner(d)
	}
	e.limit = min(e.limit, e.horizon(m.at, to))
}
