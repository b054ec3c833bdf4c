package engine

import "spoor/traces/unit"

// mailKind says what comes to a rank.
type packetKind uint8

const (
	eager packetKind = 1 + iota // a message, whole
	rts                         // the request for a long one
	cts                         // to it
	data                        // the long one itself
	ack                         // LogGOPSim's: a long one has been received
)

// mail is something on its way to a rank, or there. It is as long as a line of memory.
type packet struct {
	at         unit.Picos // when its first byte comes; of one that waits for a receive, its last
	portWait   unit.Picos // for which it has waited for ports
	bytes      int64
	from       int32
	seq        uint32 // of from
	tag, group int32
	pending    int32 // the pending operation of who gets it; of an ask and in LogGOPSim, of its sender
	next       int32 // in the channel; of an answer, the pending operation of its sender
	last       int32 // of the channel, if it is the first
	older      int32 // of all that wait
	newer      int32 // of all that wait
	kind       packetKind
}

// entry is a mail in the heap.
type arrival struct {
	at     unit.Picos
	from   int32
	packet int32
}

// heap is the mails on their way to a rank, the first of which comes first, ties by sender and
// sequence. As in queue, each has four behind it.
type arrivalHeap []arrival

func (e *engine) before(a, b arrival) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	if a.from != b.from {
		return a.from < b.from
	}
	// Sequences wrap around; those of mails under way are near to each other.
	return int32(e.packets.items[a.packet].seq-e.packets.items[b.packet].seq) < 0
}

func (e *engine) push(h *arrivalHeap, n arrival) {
	*h = append(*h, n)
	q := *h
	i := len(q) - 1
	for i > 0 {
		parent := (i - 1) / heapArity
		if !e.before(n, q[parent]) {
			break
		}
		q[i] = q[parent]
		i = parent
	}
	q[i] = n
}

func (e *engine) pop(h *arrivalHeap) int32 {
	q := *h
	first := q[0].packet
	n := len(q) - 1
	last := q[n]
	*h = (*h)[:n]
	if n == 0 {
		return first
	}
	q = q[:n]
	i := 0
	for child := 1; child < n; child = heapArity*i + 1 {
		children := q[child:min(child+heapArity, n)]
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
func (e *engine) urgent(m *packet) bool {
	return m.kind == rts || m.kind == cts || e.LogGOPSim && m.kind == eager && m.pending != 0
}

// deliver sends a mail to a rank, maybe the one that acts.
func (e *engine) deliver(to int32, m packet, flight unit.Picos) {
	if to != e.active {
		m.at = max(m.at, e.now+1)
	}
	if m.at >= Horizon {
		e.fail(errTooLate(m.from, to))
		return
	}
	if to < e.first || to >= e.end {
		e.sendRemote(to, &m)
		return
	}
	e.enqueueArrival(to, &m, flight)
}

// accept takes a mail to a rank of this worker.
func (e *engine) enqueueArrival(to int32, m *packet, flight unit.Picos) {
	i := e.packets.add()
	e.packets.items[i] = *m
	e.saveCause(&e.causes.packets, i)
	if e.usesLinks() {
		e.flights = append(e.flights, make([]unit.Picos, len(e.packets.items)-len(e.flights))...)
		e.flights[i] = flight
	}
	d, acts := &e.ranks[to], m.at
	switch {
	case m.kind == ack:
		d.urgent++
		e.markDirty(to)
		e.push(&d.releases, arrival{m.at, m.from, i})
	case e.urgent(m):
		d.urgent++
		e.markDirty(to)
		e.push(&d.arrivals, arrival{m.at, m.from, i})
	default:
		e.push(&d.arrivals, arrival{m.at, m.from, i})
		if d.source != m.from && d.source != None {
			return
		}
		acts += d.effectDelay(m)
	}
	if to == e.active {
		return
	}
	if acts < d.next {
		d.next = acts
		e.markDirty(to)
		e.driver.sooner(e, d)
	}
}
