// Package logp computes lower bounds on collective operations from a few parameters of a network, in LogP
// [culler1993] and LogGP [alexandrov1995]. No network with that latency, overhead and bandwidth can be faster.
// It also computes the parameters themselves, gaps and latencies, from a topology and the traffic of a program
// [sivasubramaniam1995].
//
// A message of s bytes takes
//
//	o_s + L + (s-1) G + o_r         from the beginning of its send to the end of its receive, and
//	max(o_s, g + (s-1) G)           until its sender can send the next one,
//	max(o_r, g)                     until its receiver can take the next one, with (s-1) G more if bytes hold its port
//
// as in package engine. Simulations of that package are never below these bounds.
package logp

import (
	"fmt"
	"math"

	"spoor/traces/heap"
	"spoor/traces/unit"
)

// Machine is the parameters of LogGP for Procs processors.
type Machine struct {
	Procs         int
	Send, Receive unit.Picos // o_s and o_r
	Latency, Gap  unit.Picos // L and g
	PerByte       float64    // G, in picoseconds
	Receiver      bool       // bytes also hold the port of their receiver
}

// Limits of the arguments. They keep all sums within unit.Picos.
const (
	maxProcs = 1 << 16
	maxTime  = unit.Picos(1e13) // of each parameter, and of the bytes of a message
)

// check returns an error if m is impossible for messages of so many bytes.
func (m Machine) check(bytes int64) error {
	if m.Procs < 1 || m.Procs > maxProcs {
		return fmt.Errorf("%d processors; there must be 1 to %d", m.Procs, maxProcs)
	}
	for _, t := range []struct {
		name string
		time unit.Picos
	}{{"o_s", m.Send}, {"o_r", m.Receive}, {"L", m.Latency}, {"g", m.Gap}} {
		if t.time < 0 || t.time > maxTime {
			return fmt.Errorf("%s is %v; it must be from 0 to %v", t.name, t.time, maxTime)
		}
	}
	switch {
	case bytes < 1:
		return fmt.Errorf("messages of %d bytes; they must have at least one", bytes)
	case !(m.PerByte >= 0):
		return fmt.Errorf("gap per byte G is %v ps; it must be 0 or more", m.PerByte)
	case !(float64(bytes)*float64(m.Procs)*m.PerByte <= float64(maxTime)*float64(maxProcs)):
		return fmt.Errorf("%d bytes for each of %d processors take too long; use shorter messages", bytes, m.Procs)
	}
	return nil
}

// transferTime returns how long the bytes of a message after the first are in transit. It rounds as package
// engine does.
func (m Machine) transferTime(bytes int64) unit.Picos {
	return unit.Picos(float64(bytes-1)*m.PerByte + 0.5)
}

// hop returns the time from the beginning of a send to the end of the receive.
func (m Machine) hop(bytes int64) unit.Picos {
	return m.Send + m.Latency + m.transferTime(bytes) + m.Receive
}

// sendInterval returns the least time from one send of a processor to its next.
func (m Machine) sendInterval(bytes int64) unit.Picos {
	return max(m.Send, m.Gap+m.transferTime(bytes))
}

// receiveInterval returns the least time from one receive of a processor to its next.
func (m Machine) receiveInterval(bytes int64) unit.Picos {
	if m.Receiver {
		return max(m.Receive, m.Gap+m.transferTime(bytes))
	}
	return max(m.Receive, m.Gap)
}

// streamTime returns the least time to transfer so many bytes from one processor to one or several others, in
// messages of any sizes.
func (m Machine) streamTime(bytes int64) unit.Picos {
	each := math.Min(m.PerByte, float64(m.Gap))
	return m.Send + m.Latency + unit.Picos(float64(bytes-1)*each) + m.Receive
}

// Operation is a collective with a bound.
type Operation struct {
	Name, Doc string
	least     func(m Machine, bytes int64) unit.Picos
}

// Least returns the lower bound of the operation with messages of so many bytes.
func (o Operation) Least(m Machine, bytes int64) (unit.Picos, error) {
	if err := m.check(bytes); err != nil {
		return 0, err
	}
	if m.Procs == 1 {
		return 0, nil
	}
	return o.least(m, bytes), nil
}

// Operations lists all operations.
var Operations = []Operation{
	{"broadcast", "s bytes from one to all, in one message: optimal", func(m Machine, s int64) unit.Picos {
		return lastInformed(m.Procs, m.hop(s), m.sendInterval(s))
	}},
	{"broadcast_pieces", "s bytes from one to all, in any pieces", func(m Machine, s int64) unit.Picos {
		return max(lastInformed(m.Procs, m.hop(1), m.sendInterval(1)), m.streamTime(s))
	}},
	{"reduce", "s bytes from all combined at one, in one message, combining takes no time: optimal", func(m Machine, s int64) unit.Picos {
		return lastInformed(m.Procs, m.hop(s), m.receiveInterval(s))
	}},
	{"barrier", "information of each reaches all, as in a barrier, allreduce or allgather", func(m Machine, _ int64) unit.Picos {
		return lastInformed(m.Procs, m.hop(1), m.sendInterval(1))
	}},
	{"alltoall", "s bytes from each to each other, one message per pair", allToAll},
	{"alltoall_combined", "s bytes from each to each other, on any routes in any pieces", func(m Machine, s int64) unit.Picos {
		return max(lastInformed(m.Procs, m.hop(1), m.sendInterval(1)), m.streamTime(int64(m.Procs-1)*s))
	}},
}

// allToAll returns the least time of P-1 messages out and as many in, for the port of a processor and the
// processor itself:
//
//	max(hop + (P-2) sendInterval, hop + (P-2) receiveInterval, (P-1)(o_s + o_r))
func allToAll(m Machine, bytes int64) unit.Picos {
	more := unit.Picos(m.Procs - 2)
	hop := m.hop(bytes)
	return max(hop+more*m.sendInterval(bytes), hop+more*m.receiveInterval(bytes), (more+1)*(m.Send+m.Receive))
}

// lastInformed returns when the last of procs processors gets the information that one has at time 0. Each
// sends it to one processor after the other from when it has it. The receiver has it a hop after the beginning
// of a send, and the next send begins an interval after it. It is optimal that every free processor sends at
// once [karp1993]. In a reduction time runs backwards: a processor sends the combined data of itself and those
// before it, and the intervals are those of receives.
func lastInformed(procs int, hop, interval unit.Picos) unit.Picos {
	if interval == 0 {
		return hop
	}
	last := unit.Picos(0)
	optimalTree(procs, hop, interval, func(_, _ int, at unit.Picos) { last = at })
	return last
}

// optimalTree calls visit for the messages of the optimal tree in the order of their arrival: from, to and
// arrival time.
func optimalTree(procs int, hop, interval unit.Picos, visit func(from, to int, at unit.Picos)) {
	next := heap.Heap[unit.Picos, int, uint8, struct{}]{{Key: hop}} // the next message of each processor, by arrival
	for to := 1; to < procs; to++ {
		m := next[0]
		visit(m.Tie, to, m.Key)
		from := m
		from.Key += interval
		next.ReplaceFirst(from)
		m.Key, m.Tie = m.Key+hop, to
		next.Push(m)
	}
}
