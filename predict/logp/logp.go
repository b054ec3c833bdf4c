// Package logp predicts from a handful of numbers what no network of that latency, overhead and bandwidth
// can beat: lower bounds on collective operations in LogP [culler1993] and LogGP [alexandrov1995], and the numbers
// themselves, gaps and latencies, from a topology and the traffic of a program [sivasubramaniam1995].
//
// A message of s bytes has
//
//	o_s + L + (s-1) G + o_r         from the beginning of its send to the end of its receive, and
//	max(o_s, g + (s-1) G)           until its sender can send the next one,
//	max(o_r, g)                     until its receiver can take the next one, with (s-1) G more if bytes hold its port
//
// as in package engine, whose simulations are never below these bounds.
//
//   - [culler1993] David Culler et al.: LogP: towards a realistic model of parallel computation. PPoPP 1993.
//   - [karp1993] Richard Karp, Abhijit Sahay, Eunice Santos, Klaus Erik Schauser: Optimal broadcast and summation in the LogP
//     model. SPAA 1993.
//   - [kielmann2000] Thilo Kielmann, Henri Bal, Kees Verstoep: Fast measurement of LogP parameters for
//     message passing platforms. IPDPS 2000 Workshops.
//   - [alexandrov1995] Albert Alexandrov, Mihai Ionescu, Klaus Schauser, Chris Scheiman: LogGP:
//     Incorporating long messages into the LogP model. SPAA 1995.
//   - [sivasubramaniam1995] Anand Sivasubramaniam, Aman Singla, Umakishore Ramachandran, H. Venkateswaran: Abstracting network
//     characteristics and locality properties of parallel systems. HPCA 1995.
package logp

import (
	"container/heap"
	"fmt"
	"math"

	"spoor/traces/unit"
)

// Machine is the parameters of LogGP, between so many processors.
type Machine struct {
	Procs         int
	Send, Receive unit.Picos // o_s and o_r
	Latency, Gap  unit.Picos // L and g
	PerByte       float64    // G, in picoseconds
	Receiver      bool       // bytes hold the port of their receiver too
}

// Limits of what is bounded. They keep all sums within unit.Picos.
const (
	mostProcs = 1 << 16
	mostTime  = unit.Picos(1e13) // of each parameter, and of the bytes of a message
)

// Check says what is impossible about m, for messages of so many bytes.
func (m Machine) Check(bytes int64) error {
	if m.Procs < 1 || m.Procs > mostProcs {
		return fmt.Errorf("%d processors; from 1 to %d are bounded", m.Procs, mostProcs)
	}
	for _, t := range []struct {
		name string
		time unit.Picos
	}{{"o_s", m.Send}, {"o_r", m.Receive}, {"L", m.Latency}, {"g", m.Gap}} {
		if t.time < 0 || t.time > mostTime {
			return fmt.Errorf("%s is %v; it must be from 0 to %v", t.name, t.time, mostTime)
		}
	}
	switch {
	case bytes < 1:
		return fmt.Errorf("messages of %d bytes; they have one at least", bytes)
	case !(m.PerByte >= 0):
		return fmt.Errorf("gap per byte G is %v ps", m.PerByte)
	case !(float64(bytes)*float64(m.Procs)*m.PerByte <= float64(mostTime)*float64(mostProcs)):
		return fmt.Errorf("%d bytes for each of %d processors take more than is bounded", bytes, m.Procs)
	}
	return nil
}

// carry is for how long the bytes of a message after its first are on their way, as package engine rounds it.
func (m Machine) carry(bytes int64) unit.Picos {
	return unit.Picos(float64(bytes-1)*m.PerByte + 0.5)
}

// hop is from the beginning of a send to the end of the receive.
func (m Machine) hop(bytes int64) unit.Picos {
	return m.Send + m.Latency + m.carry(bytes) + m.Receive
}

// sending is the least time from one send to the next of a processor.
func (m Machine) sending(bytes int64) unit.Picos { return max(m.Send, m.Gap+m.carry(bytes)) }

// taking is the least time from one receive to the next of a processor.
func (m Machine) taking(bytes int64) unit.Picos {
	if m.Receiver {
		return max(m.Receive, m.Gap+m.carry(bytes))
	}
	return max(m.Receive, m.Gap)
}

// streamed is the least time in which so many bytes get from one processor to another or several, cut into any messages.
func (m Machine) streamed(bytes int64) unit.Picos {
	each := math.Min(m.PerByte, float64(m.Gap))
	return m.Send + m.Latency + unit.Picos(float64(bytes-1)*each) + m.Receive
}

// Operation is a collective with a bound.
type Operation struct {
	Name, Doc string
	least     func(m Machine, bytes int64) unit.Picos
}

// Least is the time below which nobody does the operation, with messages of so many bytes.
func (o Operation) Least(m Machine, bytes int64) (unit.Picos, error) {
	if err := m.Check(bytes); err != nil {
		return 0, err
	}
	if m.Procs == 1 {
		return 0, nil
	}
	return o.least(m, bytes), nil
}

// Operations lists them.
var Operations = []Operation{
	{"broadcast", "one message of s bytes from one to all, in one piece: optimal", func(m Machine, s int64) unit.Picos {
		return lastOf(m.Procs, m.hop(s), m.sending(s))
	}},
	{"broadcast_pieces", "the same, cut into any pieces", func(m Machine, s int64) unit.Picos {
		return max(lastOf(m.Procs, m.hop(1), m.sending(1)), m.streamed(s))
	}},
	{"reduce", "s bytes from all combined at one, in one piece, combining for free: optimal", func(m Machine, s int64) unit.Picos {
		return lastOf(m.Procs, m.hop(s), m.taking(s))
	}},
	{"barrier", "what each knows reaches all, as in a barrier, allreduce or allgather", func(m Machine, _ int64) unit.Picos {
		return lastOf(m.Procs, m.hop(1), m.sending(1))
	}},
	{"alltoall", "s bytes from each to each other, every message by itself", allToAll},
	{"alltoall_combined", "the same, on any ways in any pieces", func(m Machine, s int64) unit.Picos {
		return max(lastOf(m.Procs, m.hop(1), m.sending(1)), m.streamed(int64(m.Procs-1)*s))
	}},
}

// allToAll is what a processor's port, or the processor itself, needs for P-1 messages out and as many in:
//
//	max(hop + (P-2) sending, hop + (P-2) taking, (P-1)(o_s + o_r))
func allToAll(m Machine, bytes int64) unit.Picos {
	more := unit.Picos(m.Procs - 2)
	hop := m.hop(bytes)
	return max(hop+more*m.sending(bytes), hop+more*m.taking(bytes), (more+1)*(m.Send+m.Receive))
}

// lastOf is when the last of so many processors knows what one knows at 0, if each tells one after the other from
// when it knows: the other knows a hop after the beginning, and the next is begun an interval after it. Whoever
// is free tells somebody, at once: that is optimal [karp1993]. In a reduction time runs backwards: a processor sends what it and those before
// it have, and the intervals are those of receives.
func lastOf(procs int, hop, interval unit.Picos) unit.Picos {
	if interval == 0 {
		return hop
	}
	last := unit.Picos(0)
	grow(procs, hop, interval, func(_, _ int, at unit.Picos) { last = at })
	return last
}

// grow tells of the messages of the optimal tree, in the order in which they are there: from whom to whom, and when.
func grow(procs int, hop, interval unit.Picos, tell func(from, to int, at unit.Picos)) {
	next := messages{{hop, 0}}
	for to := 1; to < procs; to++ {
		m := next[0]
		tell(m.from, to, m.at)
		next[0].at += interval
		heap.Fix(&next, 0)
		heap.Push(&next, delivery{m.at + hop, to})
	}
}

// delivery is the next message of a processor, when it is there.
type delivery struct {
	at   unit.Picos
	from int
}

// messages are a heap.
type messages []delivery

func (m messages) Len() int { return len(m) }
func (m messages) Less(i, j int) bool {
	return m[i].at < m[j].at || m[i].at == m[j].at && m[i].from < m[j].from
}
func (m messages) Swap(i, j int) { m[i], m[j] = m[j], m[i] }
func (m *messages) Push(x any)   { *m = append(*m, x.(delivery)) }
func (m *messages) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}
