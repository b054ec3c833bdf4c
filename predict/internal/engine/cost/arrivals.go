package cost

import (
	"fmt"

	"spoor/traces/unit"
)

// Arrivals are the costs of messages that come before their receiver waits for them [dickens1996, sec. 2, fig. 1b].
//
// A message of s bytes that comes from another node while the processor is busy interrupts it for Interrupt +
// (s-1) G, until all of the message is there. The cost of bytes is that of Model.BytesTime. Over links, it is 0: the
// message is there at once. A computation goes on when the interrupt is over. A processor that sends or receives
// first finishes that. A processor that waits is not interrupted. RTS and CTS interrupt no processor.
//
// A message without a posted receive when its first byte comes is in a buffer of the system. Its receiver copies it
// from there, for s CopyPerByte after o_r. Messages that use the rendezvous protocol are never copied.
//
// Differs: the paper interrupts a processor that sends, too. Here its message leaves first, because a packet on its
// way cannot be delayed.
type Arrivals struct {
	Interrupts  bool
	Interrupt   unit.Picos
	CopyPerByte float64 // in picoseconds
}

// InterruptTime returns for how long a message from another node interrupts a processor.
func (m *Model) InterruptTime(bytes int64) unit.Picos {
	if m.UsesLinks() {
		return m.Interrupt
	}
	return min(m.Interrupt+m.BytesTime(bytes), MaxDuration)
}

// CopyTime returns how long the processor copies an early message.
func (m *Model) CopyTime(bytes int64) unit.Picos {
	return unit.Picos(min(float64(bytes)*m.CopyPerByte+0.5, float64(MaxDuration)))
}

// checkArrivals returns an error if the costs of arrivals are not valid.
func (m *Model) checkArrivals() error {
	switch {
	case m.Interrupt < 0 || m.Interrupt > MaxDuration || !(m.CopyPerByte >= 0):
		return fmt.Errorf("machine model: an interrupt takes %v and the copy of a byte %v ps; both must be from 0 to %v", m.Interrupt, m.CopyPerByte, MaxDuration)
	case (m.Interrupts || m.CopyPerByte > 0) && (m.LogGOPSim || m.SMPI != nil):
		return fmt.Errorf("interrupts and copies of early messages cannot be used with the semantics of LogGOPSim or SMPI")
	}
	return nil
}
