package network

import "spoor/traces/unit"

// packetHead is the head of a packet that arrives at a link of its route.
type packetHead struct {
	at      unit.Picos
	bytes   unit.Bytes
	order   Order
	transit int32
	hop     int32
	last    bool // packet of its message
}

// heads is a heap of packets by when their heads arrive at a link, ties by order. Its arity is heapArity.
type heads []packetHead

// before reports whether x is first. Two packets of a message never arrive at a link at the same time.
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
