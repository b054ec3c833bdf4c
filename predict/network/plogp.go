package network

import "errors"

// PLogP has a gap by the size of messages [kielmann2000]: see BySize. The overheads o_s and o_r of processors are not the
// network's: a message of m bytes arrives L + g(m) - o_s(m) - o_r(m) after it was sent, if that is not less than nothing. It holds its sender's
// port for g(m) from then on, and its receiver's from when it can be felt there first. So what many send to one
// queues for all of its bytes.
type PLogP struct{}

var _ Model = PLogP{}

// Name is "plogp".
func (PLogP) Name() string { return "plogp" }

// New is a network of L, and of o_s, o_r and g by size.
func (PLogP) New(c Config) (Network, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Sizes == nil {
		return nil, errors.New("the machine has no [[network.size]]; each gives o_s, o_r and g for one message size")
	}
	return newPorts(c.Nodes, ports{sizes: c.Sizes, sameKind: true}), nil
}
