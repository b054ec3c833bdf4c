package network

import (
	"math"

	"spoor/traces/unit"
)

// Usage is the traffic of a network.
type Usage struct {
	Messages uint64
	Bytes    unit.Bytes // of messages, without headers
	Parts    []Part     // that carried messages, in order; none in an ideal network
}

// Part is a resource for which messages compete: a bus, a link, or a node's port.
type Part struct {
	Name     string
	Messages uint64
	Bytes    unit.Bytes
	Busy     unit.Picos // time for which it was held, including messages that waited for their next link
}

// Busiest returns the part that was held longest, ties by order. It has no name if there is none.
func (u Usage) Busiest() (p Part) {
	for _, q := range u.Parts {
		if p.Name == "" || q.Busy > p.Busy {
			p = q
		}
	}
	return p
}

// tally counts messages.
type tally struct {
	messages uint64
	bytes    unit.Bytes // at most the largest value
}

func (t *tally) add(b unit.Bytes) {
	t.messages++
	if t.bytes += b; t.bytes < 0 {
		t.bytes = math.MaxInt64
	}
}
