package network

import (
	"fmt"
	"math"

	"spoor/analyze/comm/topology"
	"spoor/calibrate/machine"
	"spoor/traces/unit"
)

// Shared is a network whose links messages share, so that what comes later slows down what came before. It is no Network: who sends has to take what
// happens in it in order of time, by Next and Step.
type SharedLinks interface {
	// Send sends a message between two nodes that are not the same, at a time that is not before the last Step's.
	Send(at unit.Picos, m Message, o Order)
	// Least is how long a message of so many bytes takes at least until it has left.
	MinTime(b unit.Bytes) unit.Picos
	// Next is when something happens next, or Never.
	Next() unit.Picos
	// Step does all that happens at Next. It is the messages of which it is known then when they leave or come, which is not before then, in the order
	// of that or by their Order; the slice is valid until the next Step.
	Step() []Completion
	// Usage is what was sent so far, and over what.
	Usage() Usage
}

// Never is when nothing happens in a Shared that has no messages.
const Never = unit.Picos(math.MaxInt64)

// Order says which of two messages that are sent at a time is first: by Major, then by Minor. Tag is given back when it ends.
type Order struct {
	Major int32
	Minor uint32
	Tag   int32
}

// Ended is a message of which it is known when it has left its sender, or come, or both. If it has not Came, Arrive is when it would come if nothing more
// were in its way.
type Completion struct {
	Tag  int32
	Sent unit.Picos // when it was sent
	Delivery
	Departed, Arrived bool
}

// NewShared is the network of m's links, as its sharing has it, between so many nodes, which may be fewer than m has.
func NewSharedLinks(m *machine.Machine, nodes int) (SharedLinks, error) {
	if m.Network != nil && m.Network.Sharing == machine.SharePackets {
		return NewPackets(m, nodes)
	}
	return NewFluid(m, nodes)
}

// shareable is the links of the model of that name, and the time that bytes take of one.
func (c Config) linksToShare(name string) (topology.Topology, linkTime, error) {
	if err := c.check(); err != nil {
		return nil, linkTime{}, err
	}
	of := topologies[name]
	if name == (Switch{}).Name() {
		of = func(c Config) (topology.Topology, error) { return oneSwitch(c), nil }
	}
	if of == nil {
		return nil, linkTime{}, fmt.Errorf("a %s network has no links to share", name)
	}
	net, err := of(c)
	if err != nil {
		return nil, linkTime{}, err
	}
	w, err := c.linkTime()
	return net, w, err
}
