package paths

import (
	"spoor/traces/heap"
	"spoor/traces/unit"
)

// Class is what the paths of a program depend on besides costs.
type Class struct {
	Ports      Ports
	Rendezvous int64 // larger messages use the rendezvous protocol; -1: none do
}

// Ports is how messages compete for the port of their receiver.
type Ports string

// The ways. The first is without contention: the time of a program is the largest of its paths, with these ways nearly so.
const (
	NoPort   Ports = "none" // they do not
	SendPort Ports = "send" // they come at least g apart
	BothPort Ports = "both" // they hold it for g + (s-1) G
)

// run simulates a program on a machine of LogGP, as package predict/internal/engine does, and counts the costs of the path
// that determines each moment:
//
//   - A message of s bytes leaves when its sender has had o_s and its port is free. It holds the port for g + (s-1) G from
//     the begin of the overhead on. A blocking send waits for the port.
//   - Its first byte is at the receiver's port L later. Messages pass that port in the order of their arrival, g apart. With
//     both ports, they hold it for g + (s-1) G. The last byte comes (s-1) G after the first.
//   - The receiver's processor takes it up for o_r when it waits for it.
//   - A longer message than the limit of the rendezvous protocol asks its receiver first, without bytes. The answer comes when
//     the receive is posted, after o_r and o_s, and L later. Then o_r and o_s pass, and the bytes leave.
//
// Processors run ahead of messages that do not concern them. Messages arrive in the order of time.
type run struct {
	*Program
	Class
	cost  Vector
	procs []processor
	at    []moment   // of messages: when they have arrived; with rendezvous: their request, and then their data
	state []progress // of messages
	queue heap.Heap[int64, int32, uint64, arrival]
	turn  uint64
	long  map[int32]*transfer // rendezvous messages that have not ended
}

// processor is the state of a processor.
type processor struct {
	cpu, out, in moment // when the processor goes on, and when its ports are free
	next         int    // operation
	computed     bool   // the computation of the next operation is done
	waits        int32  // for a message, or -1
	asked        int    // rendezvous messages that it has sent, and whose bytes have not left
}

// progress is what has happened to a message.
type progress uint8

const (
	arrived progress = 1 << iota // it, or its request, is at the receiver
	posted                       // its receive is posted
	done                         // it is there
	asked                        // its sender has begun the rendezvous protocol
	left                         // its bytes have left, and its sender knows
)

// transfer is a rendezvous message.
type transfer struct {
	posted moment // when its receive was posted
	reply  moment // when the answer comes
	left   moment // when its last byte has left
}

// transferOf returns the transfer of a rendezvous message.
func (r *run) transferOf(number int32) *transfer {
	t := r.long[number]
	if t == nil {
		t = &transfer{}
		r.long[number] = t
	}
	return t
}

// arrival is a packet that comes to a processor, or a processor that goes on.
type arrival struct {
	message int32
	kind    packetKind
}

type packetKind uint8

const (
	eager packetKind = iota
	request
	reply
	data
	resume // the processor goes on; message is the processor
)

// last orders processors behind packets that come at the same time.
const last = int32(1<<31 - 1)

// horizon is the time that no run reaches.
const horizon = int64(1) << 62

// Time returns how long the program takes at costs, and the counts of the path to its end.
func (p *Program) Time(c Class, costs Vector) (unit.Picos, Vector, error) {
	end, err := p.path(c, costs)
	return unit.Picos(end.at), end.count, err
}

// path runs the program at costs, and returns when it ends and the counts of the path to its end.
func (p *Program) path(c Class, cost Vector) (moment, error) {
	r := p.newRun()
	defer p.runs.Put(r)
	r.Class, r.cost = c, cost
	if p.atMost(&cost) > float64(horizon) {
		return moment{}, errTooLong
	}
	for i := range r.procs {
		r.procs[i].waits = -1
		r.advance(int32(i))
	}
	for len(r.queue) > 0 {
		r.arrive(r.queue.Pop())
	}
	var end moment
	for i := range r.procs {
		if r.procs[i].next < len(r.ops[i]) {
			return moment{}, errDeadlock
		}
		end.await(&r.procs[i].cpu)
	}
	return end, nil
}

// newRun returns a run at its start. It uses the memory of a run that has ended.
func (p *Program) newRun() *run {
	r, _ := p.runs.Get().(*run)
	if r == nil {
		return &run{Program: p, procs: make([]processor, len(p.ops)), at: make([]moment, len(p.messages)),
			state: make([]progress, len(p.messages)), long: map[int32]*transfer{}}
	}
	clear(r.procs)
	clear(r.state)
	clear(r.long)
	r.queue = r.queue[:0]
	return r
}

// atMost returns the time if everything happens in sequence.
func (p *Program) atMost(c *Vector) float64 {
	t := float64(p.instr)*float64(c[Instruction]) + float64(p.work)*float64(c[Work])
	each := float64(3*c[Send] + 3*c[Receive] + 3*c[Latency] + 3*c[Gap])
	for i := range p.messages {
		t += each + 2*float64(p.messages[i].bytes)*float64(c[Byte])
	}
	return t
}

// add adds a number of a cost to a moment.
func (r *run) add(m *moment, c Cost, n int64) { m.add(c, n, &r.cost) }

// push queues an arrival.
func (r *run) push(at int64, from int32, a arrival) {
	r.turn++
	r.queue.Push(heap.Item[int64, int32, uint64, arrival]{Key: at, Tie: from, Turn: r.turn, Value: a})
}

// isLong reports whether a message uses the rendezvous protocol.
func (r *run) isLong(m *message) bool { return r.Rendezvous >= 0 && m.bytes > r.Rendezvous }

// restOf returns the bytes of a message that follow the first.
func restOf(bytes int64) int64 { return max(0, bytes-1) }
