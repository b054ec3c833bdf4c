package engine

import (
	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// completed stands for an operation that ended at once.
const completed int32 = -1

// packetKind is the kind of a packet.
type packetKind uint8

const (
	eager packetKind = 1 + iota // a whole message
	rts                         // request to send: asks for a rendezvous
	cts                         // clear to send: answers it
	data                        // the data of a rendezvous message
	ack                         // LogGOPSim's: a rendezvous message has been received
)

// packet is a packet that is in flight to a rank or waits there. It fills one cache line.
type packet struct {
	at         unit.Picos // when its first byte comes; its last byte, once it waits for a receive
	portWait   unit.Picos // time that it waited for ports
	bytes      int64
	stored     uint64 // when it became unmatched, counted in packets of the engine; 0 if it is not
	from       int32
	seq        uint32 // sequence number of from
	tag, group int32
	pending    int32 // the receiver's pending operation; for an rts and in LogGOPSim, the sender's
	next       int32 // next in the channel; for a cts, the pending operation of its sender
	last       int32 // last in the channel, if this is the first
	kind       packetKind
}

// arrival is a packet in the heap.
type arrival struct {
	at     unit.Picos
	from   int32
	packet int32
}

// arrivalHeap orders the packets in flight to a rank by arrival time, ties by sender and sequence number. It is a
// heap of arity heapArity. It is not a heap.Heap, whose items would hold the sequence number. Then four arrivals of a
// rank would not fit into one line of memory.
type arrivalHeap []arrival

const heapArity = 4

func (e *engine) before(a, b arrival) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	if a.from != b.from {
		return a.from < b.from
	}
	// Sequence numbers wrap around; those of packets in flight are near each other.
	return int32(e.packets.Items[a.packet].seq-e.packets.Items[b.packet].seq) < 0
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

// urgent reports whether another rank waits for the effect of a packet.
func (e *engine) urgent(m *packet) bool {
	return m.kind == rts || m.kind == cts || e.LogGOPSim && m.kind == eager && m.pending != 0
}

// deliver sends a packet to a rank, possibly the active one.
func (e *engine) deliver(to int32, m packet, flight unit.Picos) {
	if to != e.active {
		m.at = max(m.at, e.now+1)
	}
	if m.at >= cost.Horizon {
		e.fail(cost.ErrTooLate(m.from, to))
		return
	}
	if to < e.first || to >= e.end {
		e.sendRemote(to, &m)
		return
	}
	e.enqueueArrival(to, &m, flight)
}

// enqueueArrival adds a packet to the arrivals of a rank of this worker.
func (e *engine) enqueueArrival(to int32, m *packet, flight unit.Picos) {
	i := e.packets.Add()
	e.packets.Items[i] = *m
	e.saveCause(&e.causes.packets, i)
	if e.UsesLinks() {
		e.flights = append(e.flights, make([]unit.Picos, len(e.packets.Items)-len(e.flights))...)
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
		if d.source != m.from && d.source != program.None {
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
