package network

import (
	"fmt"

	"spoor/traces/unit"
)

// Notes says which costs the messages had, by level. Overheads are those of messages between nodes.
func (l *Local) Notes(between Overheads) (notes []error) {
	if l.sent.messages == 0 {
		return nil
	}
	m := &l.memories[0]
	if l.plain {
		return []error{fmt.Errorf("messages between ranks of a node use its memory: %v each, and %v (from [memory])",
			m.latency, unit.BytesPerSecond(1e12/m.perByte))}
	}
	for i := range l.levels {
		if v := &l.levels[i]; v.sent.messages > 0 {
			notes = append(notes, v.note(m, between))
		}
	}
	if m.perByte > 0 {
		notes = append(notes, fmt.Errorf("messages of a node share its memory: %v (from [memory])", unit.BytesPerSecond(1e12/m.perByte)))
	}
	return notes
}

// note says which costs the messages of a level had.
func (v *level) note(m *memory, between Overheads) error {
	name, limit := v.name, "no S"
	if name == "" {
		name = "node"
	}
	overhead := func(own, other unit.Picos) string {
		switch {
		case own >= 0:
			return own.String()
		case other >= 0:
			return other.String()
		}
		return "by size"
	}
	if v.EagerLimit >= 0 {
		between.EagerLimit = v.EagerLimit
	}
	if between.EagerLimit >= 0 {
		limit = fmt.Sprint("S ", unit.Bytes(between.EagerLimit))
	}
	latency, perByte := v.in(m)
	return fmt.Errorf("messages between ranks of one %s (%d): L %v, o_s %s, o_r %s, g %v, G %v/B, %s", name, v.sent.messages, latency,
		overhead(v.Send, between.Send), overhead(v.Receive, between.Receive), v.gap, unit.Seconds(perByte*1e-12), limit)
}
