package logp

import (
	"errors"
	"fmt"

	"spoor/analyze/comm/topology"
	"spoor/calibrate/machine"
	"spoor/predict/network"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Gap is a gap with where it is from.
type Gap struct {
	From string // "machine", machine.GapBisection or machine.GapTraffic
	Time unit.Picos
}

// Abstraction is a network as LogP has it.
type Abstraction struct {
	Machine  Machine // with the first of the gaps
	Gaps     []Gap
	Warnings []error
}

// With is the machine with a gap.
func (a Abstraction) With(g Gap) Machine {
	m := a.Machine
	m.Gap = g.Time
	return m
}

// Of abstracts the network of m between so many processors, for messages of so many bytes. Its own L, o, g and G are taken where it has them. Of
// a network of links, L is the time of a message, header included, on an idle network, and g comes from its bandwidth:
//
//	bisection  L times the processors for each link across the bisection, both directions counted [sivasubramaniam1995, sec. 5]
//	traffic    L times the messages over the busiest link for each that a processor sends, if there is traffic
//
// and G is 0, as all messages are as long as L has them. Of plogp, o_s and o_r are those of the bytes, g is that of one byte, G what the others
// add to that of the bytes, for each, and L what is left of the time of a message [kielmann2000, sec. 2.1].
func Of(m *machine.Machine, procs int, bytes unit.Bytes, traffic []topology.Flow) (a Abstraction, err error) {
	n := m.Network
	if n == nil {
		return a, fmt.Errorf("machine %q has no section [network]", m.Name)
	}
	a.Machine = Machine{Procs: procs, Send: n.Overhead.Value.Picos(), Receive: n.Overhead.Value.Picos(), Latency: n.Latency.Value.Picos(),
		PerByte: float64(n.GapPerByte.Value) * 1e12, Receiver: n.Ports == machine.BothPorts}
	if n.Sending.Known {
		a.Machine.Send = n.Sending.Value.Picos()
	}
	if n.Receiving.Known {
		a.Machine.Receive = n.Receiving.Value.Picos()
	}
	if s := network.SizesOf(n); s != nil {
		if err := a.bySize(m, s, bytes); err != nil {
			return a, err
		}
	} else if n.Gap.Known || n.Model == "loggp" {
		a.Gaps = []Gap{{"machine", n.Gap.Value.Picos()}}
	} else if err := a.links(m, procs, bytes, traffic); err != nil {
		return a, err
	}
	a.Machine.Gap = a.Gaps[0].Time
	return a, a.Machine.Check(int64(max(1, bytes)))
}

// bySize finds the parameters of messages of so many bytes.
func (a *Abstraction) bySize(m *machine.Machine, s *network.BySize, bytes unit.Bytes) error {
	bytes = max(1, bytes)
	one := s.Gap.At(1)
	a.Gaps = []Gap{{"machine", one}}
	a.Machine.Send, a.Machine.Receive = s.Send.At(bytes), s.Receive.At(bytes)
	if a.Machine.PerByte = 0; bytes > 1 {
		a.Machine.PerByte = max(0, float64(s.Gap.At(bytes)-one)) / float64(bytes-1)
	}
	if a.Machine.Latency = s.Latency + one - a.Machine.Send - a.Machine.Receive; a.Machine.Latency < 0 {
		return fmt.Errorf("machine %q: processors take part in messages of %v for %v longer than L + g of one byte; LogP has no such network", m.Name, bytes, -a.Machine.Latency)
	}
	a.Machine.Receiver = true
	return nil
}

// links finds L and gaps of a network of links.
func (a *Abstraction) links(m *machine.Machine, procs int, bytes unit.Bytes, traffic []topology.Flow) error {
	if procs < 2 {
		return errors.New("one processor has no gap; take two or more")
	}
	net, err := network.Topology(m, procs)
	if err != nil {
		return err
	}
	n := m.Network
	if !n.Latency.Known {
		if n.Bandwidth.Value <= 0 {
			return fmt.Errorf("machine %q: network.bandwidth is missing, and so is network.L", m.Name)
		}
		a.Machine.Latency = ((bytes + n.Header).Over(n.Bandwidth.Value * unit.BytesPerSecond(n.Efficiency))).Picos()
		if n.Fixed.Known {
			a.Machine.Latency += m.At(n.Fixed.Value).Picos()
		}
		if n.Switch != (machine.Latency{}) {
			a.Warnings = append(a.Warnings, errors.New("latency L leaves out the switches on the way"))
		}
	}
	a.Machine.PerByte = 0
	each := float64(a.Machine.Latency)
	a.Gaps = []Gap{{machine.GapBisection, unit.Picos(each*topology.BisectionGap(net) + 0.5)}}
	if t := topology.Carry(net, traffic); t.Messages > 0 {
		a.Gaps = append(a.Gaps, Gap{machine.GapTraffic, unit.Picos(each*t.Gap() + 0.5)})
	}
	return nil
}

// Traffic is who sends how many messages to whom in a trace, and their mean bytes. Collectives that are recorded whole are left out, as an
// error that is not fatal.
func Traffic(src trace.Source) (flows []topology.Flow, mean unit.Bytes, warning, err error) {
	procs := src.Header().Procs
	at := map[[2]int]int{}
	var messages, bytes, whole uint64
	for b, err := range src.Events() {
		if err != nil {
			return nil, 0, nil, err
		}
		for i := range b.Rows {
			e := &b.Rows[i]
			switch {
			case e.Collective():
				whole++
			case (e.Kind == trace.Send || e.Kind == trace.Isend) && e.Peer >= 0 && int(e.Peer) < procs:
				key := [2]int{int(b.Proc), int(e.Peer)}
				k, known := at[key]
				if !known {
					k = len(flows)
					at[key] = k
					flows = append(flows, topology.Flow{From: key[0], To: key[1]})
				}
				flows[k].Messages++
				flows[k].Bytes += uint64(e.Bytes)
				messages++
				bytes += uint64(e.Bytes)
			}
		}
	}
	if messages == 0 {
		return nil, 0, nil, errors.New("the trace has no messages between two processors, and so no traffic")
	}
	if whole > 0 {
		warning = fmt.Errorf("%d calls of collectives that are recorded whole are left out of the traffic", whole)
	}
	return flows, unit.Bytes(bytes / messages), warning, nil
}
