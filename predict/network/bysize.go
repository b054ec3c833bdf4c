package network

import (
	"math/bits"
	"slices"

	"spoor/calibrate/machine"
	"spoor/traces/unit"
)

// Point is what messages of a size cost.
type Point struct {
	Bytes unit.Bytes
	Cost  unit.Picos
}

// Curve is a cost by the bytes of a message, of which some points are known, by rising bytes: between two it is
// on the line from one to the next, below the first it is that of the first, and beyond the last on the line of the last
// two, but never less than the last. One point alone is the cost of all messages; without any they cost nothing.
type Curve []Point

// At is the cost of a message, rounded to the nearest picosecond.
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
	return min(from.Cost+scale(to.Cost-from.Cost, b-from.Bytes, to.Bytes-from.Bytes), maxWire)
}

// share is cost x part / whole, to the nearest, half up; or maxWire.
func scale(cost unit.Picos, part, whole unit.Bytes) unit.Picos {
	hi, lo := bits.Mul64(uint64(cost), uint64(part))
	lo, carry := bits.Add64(lo, uint64(whole)/2, 0)
	if hi += carry; hi >= uint64(whole) {
		return maxWire
	}
	q, _ := bits.Div64(hi, lo, uint64(whole))
	return unit.Picos(min(q, uint64(maxWire)))
}

// BySize is the parameters of PLogP [kielmann2000, sec. 2]: the overheads of the processors and the gap, by the size of messages, and a latency. A
// processor that sends m bytes is busy for o_s(m), and may send again g(m) after it began; the processor that receives them has them L + g(m)
// after that, having been busy for o_r(m) in the end. By what they mean, g(m) is at least o_s(m) and o_r(m); a table, which was measured, need
// not have it so. Beyond its last size L + g(m) - o_r(m) is taken to be no less than it ever is before.
type SizeTable struct {
	Latency            unit.Picos
	Send, Receive, Gap Curve
	first, minReceive  unit.Picos
}

// NewBySize is PLogP with these parameters.
func NewSizeTable(latency unit.Picos, send, receive, gap Curve) *SizeTable {
	s := &SizeTable{Latency: latency, Send: send, Receive: receive, Gap: gap, first: maxWire, minReceive: maxWire}
	for _, p := range slices.Concat(Curve{{}}, receive, gap) { // lines are lowest at an end of one of them
		s.first = min(s.first, latency+gap.At(p.Bytes)-receive.At(p.Bytes))
		s.minReceive = min(s.minReceive, receive.At(p.Bytes))
	}
	s.first = max(0, s.first)
	return s
}

// First is the least of L + g(m) - o_r(m) over all sizes, or nothing: how long after the begin of a message its receiver may feel it first.
func (s *SizeTable) FirstByte() unit.Picos { return s.first }

// LeastReceive is the least o_r of any size.
func (s *SizeTable) MinReceive() unit.Picos { return s.minReceive }

// Rest is how much later the receiver's processor can take a message up: L + g(m) - o_r(m) less First.
func (s *SizeTable) RestOfBytes(b unit.Bytes) unit.Picos {
	return max(0, s.Latency+s.Gap.At(b)-s.Receive.At(b)-s.first)
}

// SizesOf is what a description says of PLogP; nil if it says nothing.
func SizeTableOf(n *machine.Network) *SizeTable {
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
	return NewSizeTable(n.Latency.Value.Picos(),
		curve(send, func(s *machine.Size) machine.Optional[unit.Seconds] { return s.Sending }),
		curve(receive, func(s *machine.Size) machine.Optional[unit.Seconds] { return s.Receiving }),
		curve(n.Gap, func(s *machine.Size) machine.Optional[unit.Seconds] { return s.Gap }))
}
