package network

import (
	"errors"

	"spoor/predict/internal/network/bysize"
)

// PLogP has a gap that depends on message size [kielmann2000]: see package bysize. The network does not include the
// overheads o_s and o_r of processors. A message of m bytes arrives L + g(m) - o_s(m) - o_r(m) after it was sent, at
// least at once. It holds its sender's port for g(m) from then on, and its receiver's port from the earliest time at
// which it can be noticed there. So messages from many senders to one receiver queue with all of their bytes.
type PLogP struct{}

var _ Model = PLogP{}

// Name returns "plogp".
func (PLogP) Name() string { return "plogp" }

// PaidPorts returns the ports of nodes with the costs of s, for messages that are sent when o_s is over. Their begin,
// which is that of o_s, may not be before the last Settled. Their Latency is from the end of o_s on. It is negative if
// the receiver may have a message before its sender is done with it.
func PaidPorts(nodes int, s *bysize.Table) Network {
	return newPorts(nodes, ports{sizes: s, sameKind: true, paid: true})
}

// New returns a network of L, and of o_s, o_r and g by size.
func (PLogP) New(c Config) (Network, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Sizes == nil {
		return nil, errors.New("the machine has no [[network.size]]; each gives o_s, o_r and g for one message size")
	}
	return newPorts(c.Nodes, ports{sizes: c.Sizes, sameKind: true}), nil
}
