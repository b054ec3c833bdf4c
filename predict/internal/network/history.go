package network

import (
	"fmt"

	"spoor/traces/unit"
)

// history is the traffic of a network, and the time from which it matters.
type history struct {
	sent        tally
	settled     unit.Picos
	tracked     bool
	blocker     uint64 // the message that the present one waited for last, or the root of that chain
	portBlocker uint64 // the same when the sender's port became free
}

// Settled implements Network.
func (h *history) Settled(before unit.Picos) { h.settled = max(h.settled, before) }

// TrackBlocking implements Network.
func (h *history) TrackBlocking() { h.tracked = true }

// Blockers implements Network.
func (h *history) Blockers() (left, came uint64) { return h.portBlocker, h.blocker }

// notePortFree notes that later waits of the present message do not hold its sender's port.
func (h *history) notePortFree() { h.portBlocker = h.blocker }

// rootBlocker returns the message for which those wait that now wait for the present one.
func (h *history) rootBlocker() uint64 {
	if h.blocker > 0 {
		return h.blocker
	}
	return h.sent.messages
}

// noteWait notes that the present message waits for a channel until a time.
func (h *history) noteWait(c *channel, until unit.Picos) {
	if h.tracked {
		h.blocker = c.holder(until)
	}
}

// begin counts a message, and reports false if it costs nothing. It panics if at is before the settled time, because
// reservations before that time may be forgotten.
func (h *history) begin(at unit.Picos, m Message) bool {
	if at < h.settled {
		panic(fmt.Sprintf("network: a message at %d ps, when none was to come before %d ps", int64(at), int64(h.settled)))
	}
	if m.From == m.To || at >= Horizon {
		return false
	}
	h.sent.add(m.Bytes)
	h.blocker, h.portBlocker = 0, 0
	return true
}

// usage returns the use of a network with its parts.
func (h *history) usage(parts []Part) Usage {
	return Usage{h.sent.messages, h.sent.bytes, parts}
}

// delivered returns a Delivery clamped to the Horizon.
func delivered(at, free, arrive, latency unit.Picos) Delivery {
	arrive = min(arrive, Horizon)
	return Delivery{Free: min(free, Horizon), Arrive: arrive, Latency: min(latency, arrive-at)}
}
