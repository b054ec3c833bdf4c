package cost

import (
	"fmt"

	"spoor/traces/unit"
)

// IsTooLong reports whether a message takes longer than any valid duration. With Net, that is known only when it is
// sent.
func (m *Model) IsTooLong(from, to int32, bytes int64) bool {
	b := unit.Bytes(bytes)
	switch {
	case bytes <= 1 || from == to:
		return false
	case m.Shared != nil:
		return m.Node(from) != m.Node(to) && m.Shared.MinTime(b) >= MaxDuration
	case m.Sizes != nil:
		return max(m.Sizes.Gap.At(b), m.Sizes.Send.At(b), m.Sizes.Receive.At(b)) >= MaxDuration
	}
	return m.Net == nil && m.BytesTime(bytes) >= MaxDuration
}

// FlightAfterSend returns how long a message is in flight after its sender's processor is done. It is negative if its
// receiver may have it sooner.
func (m *Model) FlightAfterSend(bytes int64) unit.Picos {
	if m.Sizes != nil {
		return m.FirstByteDelay() - m.SendOverhead(bytes) + m.BytesTime(bytes)
	}
	return m.Latency + m.BytesTime(bytes)
}

// ErrTooLong is the error of a message that takes MaxDuration or longer.
func ErrTooLong(from, to int32, bytes int64) error {
	return fmt.Errorf("a message of %d bytes from rank %d to rank %d takes %v or longer, more than can be simulated", bytes, from, to, MaxDuration)
}

// ErrTooLate is the error of a message that arrives after Horizon.
func ErrTooLate(from, to int32) error {
	return fmt.Errorf("a message from rank %d to rank %d arrives after %v, more than can be simulated", from, to, Horizon)
}
