// Package bysize has the parameters of messages that depend on their size.
package bysize

import (
	"math/bits"
	"slices"

	"spoor/calibrate/machine"
	"spoor/traces/unit"
)

// maxCost is the highest cost of a message.
const maxCost = unit.Picos(1) << 60

// Point is the cost of messages of one size.
type Point struct {
	Bytes unit.Bytes
	Cost  unit.Picos
}

// Curve is a cost as a function of message size, given by points with increasing sizes. Between two points it is
// linear. Below the first point it is constant. Beyond the last point it continues the last line, but never below the
// last cost. A single point gives a constant cost; without points the cost is 0.
type Curve []Point

// At returns the cost of a message, rounded to the nearest picosecond.
func (c Curve) At(b unit.Bytes) unit.Picos {
	switch {
	case len(c) == 0:
		return 0
	case b <= c[0].Bytes || len(c) == 1:
		return c[0].Cost
	}
	i, _ := slices.BinarySearchFunc(c[1:len(c)-1], b, func(p Point, b unit.Bytes) int { return int(min(1, max(-1, p.Bytes-b))) })
	from, to := c[i], c[i+1]
	if to.Cost < from.Cost {
		if b >= to.Bytes {
			return to.Cost
		}
		return to.Cost + scale(from.Cost-to.Cost, to.Bytes-b, to.Bytes-from.Bytes)
	}
	return min(from.Cost+scale(to.Cost-from.Cost, b-from.Bytes, to.Bytes-from.Bytes), maxCost)
}

// scale returns cost x part / whole, rounded half up; at most maxCost.
func scale(cost unit.Picos, part, whole unit.Bytes) unit.Picos {
	hi, lo := bits.Mul64(uint64(cost), uint64(part))
	lo, carry := bits.Add64(lo, uint64(whole)/2, 0)
	if hi += carry; hi >= uint64(whole) {
		return maxCost
	}
	q, _ := bits.Div64(hi, lo, uint64(whole))
	return unit.Picos(min(q, uint64(maxCost)))
}

// Table holds the parameters of PLogP [kielmann2000, sec. 2]: the overheads of the processors and the gap as
// functions of message size, and a latency. A sender of m bytes is busy for o_s(m), and may send again g(m) after it
// began. The receiver has the message L + g(m) after that begin; it is busy for o_r(m) at the end. By definition g(m)
// is at least o_s(m) and o_r(m), but a measured table may violate that. Beyond the last size, L + g(m) - o_r(m) is
// assumed to be no less than at smaller sizes.
type Table struct {
	Latency            unit.Picos
	Send, Receive, Gap Curve
	first, minReceive  unit.Picos
}

// New returns the table with these parameters.
func New(latency unit.Picos, send, receive, gap Curve) *Table {
	s := &Table{Latency: latency, Send: send, Receive: receive, Gap: gap, first: maxCost, minReceive: maxCost}
	// a piecewise linear function is lowest at one of its points
	for _, p := range slices.Concat(Curve{{}}, receive, gap) {
		s.first = min(s.first, latency+gap.At(p.Bytes)-receive.At(p.Bytes))
		s.minReceive = min(s.minReceive, receive.At(p.Bytes))
	}
	s.first = max(0, s.first)
	return s
}

// FirstByte returns the least of L + g(m) - o_r(m) over all sizes, at least 0. It is the earliest time after the
// begin of a message at which its receiver can notice it.
func (s *Table) FirstByte() unit.Picos { return s.first }

// MinReceive returns the least o_r of any size.
func (s *Table) MinReceive() unit.Picos { return s.minReceive }

// RestOfBytes returns how much later than FirstByte the receiver's processor can take a message up: L + g(m) - o_r(m)
// less FirstByte.
func (s *Table) RestOfBytes(b unit.Bytes) unit.Picos {
	return max(0, s.Latency+s.Gap.At(b)-s.Receive.At(b)-s.first)
}

// Of returns the PLogP parameters of a machine; nil if it has none.
func Of(n *machine.Network) *Table {
	if len(n.Sizes) == 0 {
		return nil
	}
	curve := func(all machine.Optional[unit.Seconds], of func(*machine.Size) machine.Optional[unit.Seconds]) (c Curve) {
		for i := range n.Sizes {
			if v := of(&n.Sizes[i]); v.Known {
				c = append(c, Point{n.Sizes[i].Bytes, v.Value.Picos()})
			}
		}
		if c == nil {
			c = Curve{{0, all.Value.Picos()}}
		}
		return c
	}
	send, receive := n.Sending, n.Receiving
	if !send.Known {
		send = n.Overhead
	}
	if !receive.Known {
		receive = n.Overhead
	}
	return New(n.Latency.Value.Picos(),
		curve(send, func(s *machine.Size) machine.Optional[unit.Seconds] { return s.Sending }),
		curve(receive, func(s *machine.Size) machine.Optional[unit.Seconds] { return s.Receiving }),
		curve(n.Gap, func(s *machine.Size) machine.Optional[unit.Seconds] { return s.Gap }))
}
