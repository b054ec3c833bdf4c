package network

import (
	"fmt"
	"math"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/internal/network/routing"
	"spoor/traces/unit"
)

// SharedLinks is a network whose links several messages share, so that later messages slow down earlier ones. It is
// no Network: the caller must simulate its events in order of time, with Next and Step.
type SharedLinks interface {
	// Send sends a message between two different nodes, at a time not before the last Step's.
	Send(at unit.Picos, m Message, o Order)
	// MinTime returns the least time until a message of b bytes has left.
	MinTime(b unit.Bytes) unit.Picos
	// Next returns the time of the next event, or Never.
	Next() unit.Picos
	// Step simulates all events at Next. It returns the messages whose departure or arrival becomes known, in that
	// order or by their Order. Both are not before Next. The slice is valid until the next Step.
	Step() []Completion
	// Usage returns the traffic so far, and the use of its parts.
	Usage() Usage
}

// Never is the Next of a network without messages.
const Never = unit.Picos(math.MaxInt64)

// Order orders messages that are sent at the same time: by Major, then by Minor. Tag is returned with the message's
// Completion.
type Order struct {
	Major int32
	Minor uint32
	Tag   int32
}

// Completion is a message whose departure or arrival is known. If it has not Arrived, Arrive is its arrival without
// further contention.
type Completion struct {
	Tag  int32
	Sent unit.Picos // when it was sent
	Delivery
	Departed, Arrived bool
}

// NewSharedLinks returns the network of m's links, with m's kind of sharing, between nodes. There may be fewer nodes
// than m has.
func NewSharedLinks(m *machine.Machine, nodes int) (SharedLinks, error) {
	if m.Network != nil && m.Network.Sharing == machine.SharePackets {
		return NewPackets(m, nodes)
	}
	return NewFluid(m, nodes)
}

// linksToShare is linkedBy for a model that may have no links.
func (c Config) linksToShare(name string) (routing.Router, linkTime, error) {
	if err := c.check(); err != nil {
		return routing.Router{}, linkTime{}, err
	}
	if comm.TopologyNamed(name) == nil {
		return routing.Router{}, linkTime{}, fmt.Errorf("a %s network has no links to share", name)
	}
	return c.linkedBy(name)
}
