package network

import (
	"spoor/traces/heap"
	"spoor/traces/unit"
)

// head is the head of a packet that arrives at a link of its route, at its key. Ties are by order.
type head = heap.Item[unit.Picos, int32, uint64, headed]

// headed is the packet of a head.
type headed struct {
	bytes   unit.Bytes
	transit int32
	hop     int32
	last    bool // packet of its message
}

// headAt returns the head of a packet. Numbers of messages wrap around. Two packets of a message never arrive at a
// link at the same time. Of those that arrive at different links, the one ahead goes first.
func headAt(at unit.Picos, o Order, p headed) head {
	return head{Key: at, Tie: o.Major, Turn: uint64(o.Minor)<<32 | uint64(^uint32(p.hop)), Value: p}
}
