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
	EagerLimit    int64      // S: messages of more bytes wait for their receiver; none if negative
	ReceiverPort  bool       // bytes hold the port of their receiver

	// Sizes are o_s, o_r, L and g of PLogP instead of all of these but S.
	Sizes *network.BySize

	// Net delivers messages instead of L, g and G, or Shared, whose links they share. Node is which of its nodes a rank is on.
	Net    network.Network
	Shared network.Shared
	Node   func(rank int32) int

	// LogGOPSim is the semantics of that simulator [hoefler2010]:
	//
	//	a message of s bytes takes o + L + (s-1) G + o
	//	the next one is sent max(o, g + (s-1) G) later; the sender's processor waits for that
	//	the receiver's processor is busy for o + (s-1) G when it comes, whether it waits or not,
	//	and takes up the next message g + (s-1) G later
	//	the sender of more than S bytes waits until the receiver's processor takes them up and the receive has been posted, and a picosecond
	//
	// with o = Send = Receive. Of what a processor could do next when it is free, it does first what was scheduled first: messages when they were
	// sent, its own operations, receives among them, when those began that they wait for; what is nonblocking together. Of what was scheduled
	// at the same time, that of the lower rank is first: messages are their sender's.
	//
	// Differs: LogGOPSim has the order of all events of the simulation, which is that of ranks where they schedule from the same time on. A message of no bytes takes as long as one of one byte, not G less.
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
	case m.LogGOPSim && (m.usesLinks() || m.Sizes != nil):
		return fmt.Errorf("the semantics of LogGOPSim are about L, o, g and G, not a network of links, nor tables by size")
	case m.usesLinks() && m.Sizes != nil, m.Net != nil && m.Shared != nil:
		return fmt.Errorf("messages go over a network of links, or one whose links they share, or by tables of sizes: one of these")
	case m.LogGOPSim && m.Send != m.Receive:
		return fmt.Errorf("the semantics of LogGOPSim have one o, not %v and %v", m.Send, m.Receive)
	}
	return nil
}

// Lookahead is the least time from what a rank does to its effect on another one, a picosecond at
// least. Senders that LogGOPSim lets go on when their message is received know no more than that,
// nor do networks of links.
func (m *Model) Lookahead() unit.Picos {
	if m.usesLinks() || m.LogGOPSim && m.EagerLimit >= 0 {
		return 1
	}
	return max(1, m.firstByteDelay())
}

// linked is whether messages go over links.
func (m *Model) usesLinks() bool { return m.Net != nil || m.Shared != nil }

// reach is how long after a rank began to send the first byte is at the receiver, if no port is taken.
func (m *Model) firstByteDelay() unit.Picos {
	if m.Sizes != nil {
		return m.Sizes.First()
	}
	return m.Send + m.Latency
}

// sending is o_s of a message.
func (m *Model) sendOverhead(bytes int64) unit.Picos {
	if m.Sizes != nil {
		return m.Sizes.Send.At(unit.Bytes(bytes))
	}
	return m.Send
}

// receiving is o_r of a message.
func (m *Model) receiveOverhead(bytes int64) unit.Picos {
	if m.Sizes != nil {
		return m.Sizes.Receive.At(unit.Bytes(bytes))
	}
	return m.Receive
}

// leastReceiving is o_r of whatever comes.
func (m *Model) minReceiveOverhead() unit.Picos {
	if m.Sizes != nil {
		return m.Sizes.LeastReceive()
	}
	return m.Receive
}

// spacing is for how long a message, whose carry is known, holds a port that its bytes hold.
func (m *Model) portTime(bytes int64, carry unit.Picos) unit.Picos {
	if m.Sizes != nil {
		return m.Sizes.Gap.At(unit.Bytes(bytes))
	}
	return m.Gap + carry
}

// carry is for how long the bytes of a message after its first are on their way.
func (m *Model) bytesTime(bytes int64) unit.Picos {
	if t := float64(bytes-1)*m.PerByte + 0.5; m.Sizes == nil && bytes > 1 && t < float64(maxDuration) {
		return unit.Picos(t)
	}
	return m.bytesTimeSlow(bytes)
}

// plainCarry is carry of messages of at least two bytes in LogGP, and whether it is that.
func (m *Model) bytesTimeFast(bytes int64) (unit.Picos, bool) {
	t := float64(bytes-1)*m.PerByte + 0.5
	return unit.Picos(t), bytes > 1 && t < float64(maxDuration)
}

// otherCarry is carry where no byte follows, where it is beyond all time, and by size.
func (m *Model) bytesTimeSlow(bytes int64) unit.Picos {
	switch {
	case m.Sizes != nil:
		return m.Sizes.Rest(unit.Bytes(bytes))
	case bytes <= 1:
		return 0
	}
	return maxDuration
}

// mostBytes bounds a message on any network: at a megabyte a second it takes no longer than maxDuration.
const maxNetworkBytes = 1 << 40

// Longest is how many bytes a message may have. Beyond maxDuration times of bytes are all alike.
func (m *Model) MaxBytes() int64 {
	if m.PerByte*maxNetworkBytes < float64(maxDuration) {
		return maxNetworkBytes
	}
	return int64(float64(maxDuration) / m.PerByte)
}

// long is whether a message waits for its receiver.
func (m *Model) isRendezvous(bytes int64) bool { return m.EagerLimit >= 0 && bytes > m.EagerLimit }
