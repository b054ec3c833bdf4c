// Package cost is what messages cost the engine.
package cost

import (
	"fmt"

	"spoor/predict/internal/network"
	"spoor/predict/internal/network/bysize"
	"spoor/traces/unit"
)

// Horizon is the simulated time that no run may reach: 53 days. It leaves room for the sum of any two durations.
const Horizon = unit.Picos(1) << 62

// MaxDuration bounds each duration that a program or a message adds.
const MaxDuration = Horizon / 4

// Model is the cost model of messages.
type Model struct {
	Send, Receive unit.Picos // o_s and o_r
	Latency       unit.Picos // L
	Gap           unit.Picos // g
	PerByte       float64    // G, in picoseconds
	EagerLimit    int64      // S: larger messages use the rendezvous protocol; if negative, none do
	ReceiverPort  bool       // messages also hold the port of their receiver

	// Sizes replaces o_s, o_r, L, g and G by the tables of PLogP. With a Net, it replaces o_s and o_r only.
	Sizes *bysize.Table

	// Net replaces L, g and G by a network. Shared does the same for a network on which messages share links. Node
	// returns the node of a rank. Local carries messages between ranks of one node; without it they cost nothing. It may
	// also replace o_s, o_r and S of these messages.
	Net    network.Network
	Shared network.SharedLinks
	Local  *network.Local
	Node   func(rank int32) int

	// LogGOPSim selects the semantics of that simulator [hoefler2010]:
	//
	//	a message of s bytes takes o + L + (s-1) G + o
	//	the next one is sent max(o, g + (s-1) G) later; the sender's processor waits for that
	//	the receiver's processor is busy for o + (s-1) G when the message comes, whether it waits or not,
	//	and takes up the next message g + (s-1) G later
	//	the sender of more than S bytes waits until the receiver's processor has taken them up and the receive
	//	has been posted, and one picosecond more
	//
	// with o = Send = Receive. A free processor does first what was enqueued first. A message is enqueued when it is
	// sent. An operation of the rank, receives included, is enqueued when the operations before it begin; nonblocking
	// operations are enqueued together. Ties go to the lower rank; a message counts as its sender's.
	//
	// Differs: LogGOPSim orders by all events of the simulation. That is the order of ranks if they enqueue from the
	// same time on. A message without bytes takes as long as a message of one byte, not G less.
	LogGOPSim bool

	SMPI *SMPI // or nil; it replaces o_s and o_r

	Arrivals
}

// Check returns an error if m is not a valid model.
func (m *Model) Check() error {
	for _, t := range []unit.Picos{m.Send, m.Receive, m.Latency, m.Gap} {
		if t < 0 || t > MaxDuration {
			return fmt.Errorf("machine model: the overhead, latency or gap of a message is %v; it must be from 0 to %v", t, MaxDuration)
		}
	}
	switch {
	case !(m.PerByte >= 0):
		return fmt.Errorf("machine model: the time of a byte is %v ps; it must be at least 0", m.PerByte)
	case m.LogGOPSim && (m.UsesLinks() || m.Sizes != nil):
		return fmt.Errorf("LogGOPSim's semantics need L, o, g and G; they cannot use a network of links or tables by size")
	case m.Shared != nil && (m.Net != nil || m.Sizes != nil):
		return fmt.Errorf("machine model: a network of shared links excludes another network and tables by size")
	case m.SMPI != nil && (m.Shared == nil || m.Local != nil || m.LogGOPSim):
		return fmt.Errorf("SMPI's semantics need a network of shared links that carries all messages")
	case m.LogGOPSim && m.Send != m.Receive:
		return fmt.Errorf("LogGOPSim's semantics need equal send and receive overheads, not %v and %v", m.Send, m.Receive)
	}
	return m.checkArrivals()
}

// Lookahead returns the least time from an action of a rank to its effect on another rank. It is at least one
// picosecond. It is exactly that for networks of links, and for LogGOPSim with rendezvous messages, because their
// senders go on when the message is received.
func (m *Model) Lookahead() unit.Picos {
	if m.UsesLinks() || m.LogGOPSim && m.EagerLimit >= 0 {
		return 1
	}
	return max(1, m.FirstByteDelay())
}

// UsesLinks reports whether messages use a network of links.
func (m *Model) UsesLinks() bool { return m.Net != nil || m.Shared != nil }

// FirstByteDelay returns the time from the begin of a send to the first byte at the receiver if no port is taken.
func (m *Model) FirstByteDelay() unit.Picos {
	if m.Sizes != nil {
		return m.Sizes.FirstByte()
	}
	return m.Send + m.Latency
}

// SendOverhead returns o_s of a message.
func (m *Model) SendOverhead(bytes int64) unit.Picos {
	if m.Sizes != nil {
		return m.Sizes.Send.At(unit.Bytes(bytes))
	}
	return m.Send
}

// ReceiveOverhead returns o_r of a message.
func (m *Model) ReceiveOverhead(bytes int64) unit.Picos {
	switch {
	case m.Sizes != nil:
		return m.Sizes.Receive.At(unit.Bytes(bytes))
	case m.SMPI != nil && !m.IsRendezvous(bytes):
		return OverheadOf(m.SMPI.Receive, bytes)
	}
	return m.Receive
}

// Near returns the overheads of messages between two ranks, or nil if they are as between nodes.
func (m *Model) Near(a, b int32) *network.Overheads {
	if m.Local == nil {
		return nil
	}
	return m.Local.Overheads(a, b)
}

// SendOverheadTo returns o_s of a message between two ranks.
func (m *Model) SendOverheadTo(from, to int32, bytes int64) unit.Picos {
	if n := m.Near(from, to); n != nil && n.Send >= 0 {
		return n.Send
	}
	return m.SendOverhead(bytes)
}

// ReceiveOverheadFrom returns o_r of a message between two ranks.
func (m *Model) ReceiveOverheadFrom(from, to int32, bytes int64) unit.Picos {
	if n := m.Near(from, to); n != nil && n.Receive >= 0 {
		return n.Receive
	}
	return m.ReceiveOverhead(bytes)
}

// IsRendezvousTo reports whether a message between two ranks uses the rendezvous protocol.
func (m *Model) IsRendezvousTo(from, to int32, bytes int64) bool {
	if n := m.Near(from, to); n != nil && n.EagerLimit >= 0 {
		return bytes > n.EagerLimit
	}
	return m.IsRendezvous(bytes)
}

// MinReceiveOverhead returns the least o_r of any message.
func (m *Model) MinReceiveOverhead() unit.Picos {
	if m.Sizes != nil {
		return m.Sizes.MinReceive()
	}
	return m.Receive
}

// PortTime returns how long a message holds a port. carry is its bytesTime.
func (m *Model) PortTime(bytes int64, carry unit.Picos) unit.Picos {
	if m.Sizes != nil {
		return m.Sizes.Gap.At(unit.Bytes(bytes))
	}
	return m.Gap + carry
}

// BytesTime returns the time from the first to the last byte of a message.
func (m *Model) BytesTime(bytes int64) unit.Picos {
	if t := float64(bytes-1)*m.PerByte + 0.5; m.Sizes == nil && bytes > 1 && t < float64(MaxDuration) {
		return unit.Picos(t)
	}
	return m.BytesTimeSlow(bytes)
}

// BytesTimeFast returns bytesTime for LogGP messages of at least two bytes. It reports false for all others.
func (m *Model) BytesTimeFast(bytes int64) (unit.Picos, bool) {
	t := float64(bytes-1)*m.PerByte + 0.5
	return unit.Picos(t), bytes > 1 && t < float64(MaxDuration)
}

// BytesTimeSlow returns bytesTime for messages of at most one byte, for tables by size, and for times beyond the
// horizon.
func (m *Model) BytesTimeSlow(bytes int64) unit.Picos {
	switch {
	case m.Sizes != nil:
		return m.Sizes.RestOfBytes(unit.Bytes(bytes))
	case bytes <= 1:
		return 0
	}
	return MaxDuration
}

// maxNetworkBytes bounds a message on any network. At one megabyte a second it takes no longer than MaxDuration.
const maxNetworkBytes = 1 << 40

// MaxBytes returns the largest valid message size in bytes. Sizes that take longer than maxDuration are not
// distinguished.
func (m *Model) MaxBytes() int64 {
	if m.PerByte*maxNetworkBytes < float64(MaxDuration) {
		return maxNetworkBytes
	}
	return int64(float64(MaxDuration) / m.PerByte)
}

// IsRendezvous reports whether a message uses the rendezvous protocol.
func (m *Model) IsRendezvous(bytes int64) bool { return m.EagerLimit >= 0 && bytes > m.EagerLimit }

// SMPI selects the semantics of SMPI of SimGrid [clauss2011], with Model.Shared as network:
//
//	a message begins to cross the network when it has been sent and its receive has been posted
//	the sender of at most S bytes goes on at once; that of more bytes waits until the message has arrived
//	a processor is busy for a time of its own when it sends a message for which it does not wait, and when it has
//	received such a message
//
// Messages of fewer than Early bytes do not wait for their receives. S is Model.EagerLimit.
//
// Differs: a rank may see what others do a picosecond later.
type SMPI struct {
	Early                int64
	Send, Isend, Receive func(bytes int64) unit.Picos // the overheads; nil: none
}

// OverheadOf returns an overhead.
func OverheadOf(of func(int64) unit.Picos, bytes int64) unit.Picos {
	if of == nil {
		return 0
	}
	return of(bytes)
}

// Bounded returns a duration clamped to the valid range, because an invalid operation may have any.
func Bounded(long unit.Picos) unit.Picos {
	if uint64(long) <= uint64(MaxDuration) {
		return long
	}
	return min(max(long, 0), MaxDuration)
}
