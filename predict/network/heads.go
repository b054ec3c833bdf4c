package network

import "spoor/traces/unit"

// head is that of a packet, which comes to a link of its way at a time.
type packetHead struct {
	at      unit.Picos
	bytes   unit.Bytes
	order   Order
	transit int32
	hop     int32
	last    bool // packet of its message
}

// heads are packets by when their heads come to a link, ties by order: a heap in which each has four behind it.
type heads []packetHead

// before is whether x is first. Two packets of a message never come to a link at the same time.
func (x *packetHead) before(y *packetHead) bool {
	switch {
	case x.at != y.at:
		return x.at < y.at
	case x.order.Major != y.order.Major:
		return x.order.Major < y.order.Major
	case x.order.Minor != y.order.Minor:
		return int32(x.order.Minor-y.order.Minor) < 0 // numbers wrap around
	}
	return x.hop > y.hop
}

func (q *heads) push(h packetHead) {
	*q = append(*q, h)
	i := len(*q) - 1
	for i > 0 {
		parent := (i - 1) / heapArity
		if !h.before(&(*q)[parent]) {
			break
		}
		(*q)[i] = (*q)[parent]
		i = parent
	}
	(*q)[i] = h
}

func (q *heads) pop() packetHead {
	all := *q
	first, h := all[0], all[len(all)-1]
	all = all[:len(all)-1]
	*q = all
	for i := 0; len(all) > 0; {
		child := heapArity*i + 1
		if child >= len(all) {
			all[i] = h
			break
		}
		least := child
		for k := child + 1; k < min(child+heapArity, len(all)); k++ {
			if all[k].before(&all[least]) {
				least = k
			}
		}
		if !all[least].before(&h) {
			all[i] = h
			break
		}
		all[i] = all[least]
		i = least
	}
	return first
}
