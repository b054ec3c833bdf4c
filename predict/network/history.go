package network

import (
	"fmt"

	"spoor/traces/unit"
)

// history is what was sent over a network, and since when it matters.
type history struct {
	sent        tally
	settled     unit.Picos
	tracked     bool
	blocker     uint64 // what the present message waited for last, or what that waited for
	portBlocker uint64 // the same when its sender's port was free
}

// Settled remembers the time.
func (h *history) Settled(before unit.Picos) { h.settled = max(h.settled, before) }

// Watch implements Network.
func (h *history) TrackBlocking() { h.tracked = true }

// Behind implements Network.
func (h *history) Blockers() (left, came uint64) { return h.portBlocker, h.blocker }

// leaves says that what the present message waits for from now on does not keep its sender's port.
func (h *history) notePortFree() { h.portBlocker = h.blocker }

// origin is the message that those wait for who wait for the present one now.
func (h *history) rootBlocker() uint64 {
	if h.blocker > 0 {
		return h.blocker
	}
	return h.sent.messages
}

// waits says that the present message waits for a channel until a time.
func (h *history) noteWait(c *channel, until unit.Picos) {
	if h.tracked {
		h.blocker = c.holder(until)
	}
}

// begin counts a message, unless it costs nothing. A time before what is settled is the
// caller's mistake, as what was taken then may be forgotten.
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

// usage is the history of a network of parts.
func (h *history) usage(parts []Part) Usage {
	return Usage{h.sent.messages, h.sent.bytes, parts}
}

// delivered is a delivery by the Horizon.
func delivered(at, free, arrive, latency unit.Picos) Delivery {
	arrive = min(arrive, Horizon)
	return Delivery{Free: min(free, Horizon), Arrive: arrive, Latency: min(latency, arrive-at)}
}
