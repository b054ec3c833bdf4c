package logp

import (
	"errors"
	"fmt"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/internal/network"
	"spoor/predict/internal/network/bysize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Gap is a gap with its origin.
type Gap struct {
	From string // "machine", machine.GapBisection or machine.GapTraffic
	Time unit.Picos
}

// Abstraction is the LogP description of a network.
type Abstraction struct {
	Machine  Machine // with the first of the gaps
	Gaps     []Gap
	Warnings []error
}

// With returns the machine with a gap.
func (a Abstraction) With(g Gap) Machine {
	m := a.Machine
	m.Gap = g.Time
	return m
}

// Abstract returns the LogP parameters of the network of m between procs processors, for messages of so many
// bytes. If the network has L, o, g or G itself, these are used. For a network of links, L is the time of a
// message with header on an idle network, and g follows from the bandwidth:
//
//	bisection  L times the processors for each link across the bisection, both directions counted [sivasubramaniam1995, sec. 5]
//	traffic    L times the messages over the busiest link for each that a processor sends, if there is traffic
//
// G is 0, because all messages are as long as L assumes. For plogp, o_s and o_r are those of the bytes, and g
// is that of one byte. G is the increase of g from one byte to the bytes, per byte, and L the rest of the time
// of a message [kielmann2000, sec. 2.1].
func Abstract(m *machine.Machine, procs int, bytes unit.Bytes, traffic []comm.Flow) (a Abstraction, err error) {
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
	if s := bysize.Of(n); s != nil {
		if err := a.bySize(m, s, bytes); err != nil {
			return a, err
		}
	} else if n.Gap.Known || n.Model == "loggp" {
		a.Gaps = []Gap{{"machine", n.Gap.Value.Picos()}}
	} else if err := a.links(m, procs, bytes, traffic); err != nil {
		return a, err
	}
	a.Machine.Gap = a.Gaps[0].Time
	return a, a.Machine.check(int64(max(1, bytes)))
}

// bySize sets the parameters of messages of so many bytes.
func (a *Abstraction) bySize(m *machine.Machine, s *bysize.Table, bytes unit.Bytes) error {
	bytes = max(1, bytes)
	one := s.Gap.At(1)
	a.Gaps = []Gap{{"machine", one}}
	a.Machine.Send, a.Machine.Receive = s.Send.At(bytes), s.Receive.At(bytes)
	if a.Machine.PerByte = 0; bytes > 1 {
		a.Machine.PerByte = max(0, float64(s.Gap.At(bytes)-one)) / float64(bytes-1)
	}
	if a.Machine.Latency = s.Latency + one - a.Machine.Send - a.Machine.Receive; a.Machine.Latency < 0 {
		return fmt.Errorf("machine %q: o_s + o_r of messages of %v exceeds L + g of one byte by %v; LogP cannot describe such a network", m.Name, bytes, -a.Machine.Latency)
	}
	a.Machine.Receiver = true
	return nil
}

// links sets L and the gaps of a network of links.
func (a *Abstraction) links(m *machine.Machine, procs int, bytes unit.Bytes, traffic []comm.Flow) error {
	if procs < 2 {
		return errors.New("one processor has no gap; use two or more")
	}
	net, err := network.Topology(m, procs)
	if err != nil {
		return err
	}
	n := m.Network
	if !n.Latency.Known {
		if n.Bandwidth.Value <= 0 {
			return fmt.Errorf("machine %q: network.bandwidth and network.L are missing; one is needed", m.Name)
		}
		a.Machine.Latency = ((bytes + n.Header).Over(n.Bandwidth.Value * unit.BytesPerSecond(n.Efficiency))).Picos()
		if n.Fixed.Known {
			a.Machine.Latency += m.At(n.Fixed.Value).Picos()
		}
		if n.Switch != (machine.Latency{}) {
			a.Warnings = append(a.Warnings, errors.New("latency L does not include the switches"))
		}
	}
	a.Machine.PerByte = 0
	bisection, err := network.BisectionGap(net)
	if err != nil {
		return err
	}
	each := float64(a.Machine.Latency) / float64(max(1, n.Rails)) // messages take turns on the rails
	a.Gaps = []Gap{{machine.GapBisection, unit.Picos(each*bisection + 0.5)}}
	if t := comm.Carry(net, traffic); t.Messages > 0 {
		a.Gaps = append(a.Gaps, Gap{machine.GapTraffic, unit.Picos(each*t.Gap() + 0.5)})
	}
	return nil
}

// Traffic counts the messages between processors in a trace, and returns their mean size. Whole collectives
// are not counted, which the warning reports.
func Traffic(src trace.Source) (flows []comm.Flow, mean unit.Bytes, warning, err error) {
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
					flows = append(flows, comm.Flow{From: key[0], To: key[1]})
				}
				flows[k].Messages++
				flows[k].Bytes += uint64(e.Bytes)
				messages++
				bytes += uint64(e.Bytes)
			}
		}
	}
	if messages == 0 {
		return nil, 0, nil, errors.New("the trace has no messages between two processors")
	}
	if whole > 0 {
		warning = fmt.Errorf("the traffic lacks %d calls of collectives, because the trace does not contain their messages", whole)
	}
	return flows, unit.Bytes(bytes / messages), warning, nil
}
