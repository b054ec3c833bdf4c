package engine

import (
	"fmt"

	"spoor/predict/network"
	"spoor/traces/unit"
)

// Model says what messages cost.
type Model struct {
	Send, Receive unit.Picos // o_s and o_r
	Latency       unit.Picos // L
	Gap           unit.Picos // g
	PerByte       float64    // G, in picoseconds
	Long          int64      // S: messages of more bytes wait for their receiver; none if negative
	Receiver      bool       // bytes hold the port of their receiver

	// Net delivers messages instead of L, g and G. Node is which of its nodes a rank is on.
	Net  network.Network
	Node func(rank int32) int

	// LogGOPSim is the semantics of that simulator [hoefler2010]:
	//
	//	a message of s bytes takes o + L + (s-1) G + o
	//	the next one is sent max(o, g + (s-1) G) later; the sender's processor waits for that
	//	the receiver's processor is busy for o + (s-1) G when it comes, whether it waits or not,
	//	and takes up the next message g + (s-1) G later
	//	the sender of more than S bytes waits until they are received, which costs nothing
	//
	// with o = Send = Receive. A processor that is free takes up messages that have come before
	// it goes on.
	//
	// Differs: of two events at a time, LogGOPSim has first what was scheduled first. A message of
	// no bytes takes as long as one of one byte, not G less.
	LogGOPSim bool
}

// check says what is impossible about m.
func (m *Model) check() error {
	for _, t := range []unit.Picos{m.Send, m.Receive, m.Latency, m.Gap} {
		if t < 0 || t > maxDuration {
			return fmt.Errorf("a message costs %v; that must be from 0 to %v", t, maxDuration)
		}
	}
	switch {
	case !(m.PerByte >= 0):
		return fmt.Errorf("a byte costs %v ps", m.PerByte)
	case m.LogGOPSim && m.Net != nil:
		return fmt.Errorf("the semantics of LogGOPSim are about L, o, g and G, not a network of links")
	case m.LogGOPSim && m.Send != m.Receive:
		return fmt.Errorf("the semantics of LogGOPSim have one o, not %v and %v", m.Send, m.Receive)
	}
	return nil
}

// Lookahead is the least time from what a rank does to its effect on another one, a picosecond at
// least. Senders that LogGOPSim lets go on when their message is received know no more than that,
// nor do networks of links.
func (m *Model) Lookahead() unit.Picos {
	if m.Net != nil || m.LogGOPSim && m.Long >= 0 {
		return 1
	}
	return max(1, m.Send+m.Latency)
}

// carry is for how long the bytes of a message after its first are on their way.
func (m *Model) carry(bytes int64) unit.Picos {
	if bytes <= 1 {
		return 0
	}
	if t := float64(bytes-1)*m.PerByte + 0.5; t < float64(maxDuration) {
		return unit.Picos(t)
	}
	return maxDuration
}

// long is whether a message waits for its receiver.
func (m *Model) long(bytes int64) bool { return m.Long >= 0 && bytes > m.Long }
