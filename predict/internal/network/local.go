package network

import (
	"fmt"

	"spoor/calibrate/machine"
	"spoor/traces/unit"
)

// Local carries messages between ranks of one node, through the memory of that node. A message of s bytes holds the
// memory for s times the occupancy of a line, divided by the bytes of a line. It arrives one memory latency after
// that. Messages of one node wait for each other. References of the node do not compete with them.
type Local struct {
	history
	memories []memory // of nodes
}

// memory is the memory of a node.
type memory struct {
	channel
	latency unit.Picos
	perByte float64 // picoseconds
}

// NewLocal returns the idle memories of nodes. It returns an error if m does not give the bandwidth of a memory.
func NewLocal(m *machine.Machine, nodes int) (*Local, error) {
	l := &Local{memories: make([]memory, nodes)}
	for i := range l.memories {
		latency, perByte, err := LocalCost(m.Node(i))
		if err != nil {
			return nil, err
		}
		l.memories[i].latency, l.memories[i].perByte = latency, perByte
	}
	return l, nil
}

// LocalCost returns the latency and the picoseconds per byte of messages within a node.
func LocalCost(node *machine.Machine) (latency unit.Picos, perByte float64, err error) {
	line, occupancy := lastLine(node), node.At(node.Memory.Occupancy)
	if line == 0 || occupancy <= 0 {
		return 0, 0, fmt.Errorf("machine %q: several ranks run on a node, and their messages use its memory, whose bandwidth is missing; "+
			"give memory.occupancy and a [[cache]] with a line, or set system.processors = 1", node.Name)
	}
	return node.At(node.Memory.Latency).Picos(), float64(occupancy) * 1e12 / float64(line), nil
}

// lastLine returns the line size of the last cache of a node, or 0 without caches.
func lastLine(node *machine.Machine) unit.Bytes {
	switch n := len(node.Caches); {
	case node.Shared != nil:
		return node.Shared.Line
	case n > 0:
		return node.Caches[n-1].Line
	}
	return 0
}

// Send sends a message between two ranks of a node at a time.
func (l *Local) Send(at unit.Picos, node int, b unit.Bytes) Delivery {
	if at >= Horizon {
		return Delivery{Free: at, Arrive: at}
	}
	m := &l.memories[node]
	l.sent.add(b)
	copied, free := picos(float64(b)*m.perByte), at
	if copied > 0 {
		_, free = m.reserve(at, copied, b, &l.history)
	}
	return delivered(at, free, free+m.latency, copied+m.latency)
}

// Messages returns the number of messages so far.
func (l *Local) Messages() uint64 { return l.sent.messages }
