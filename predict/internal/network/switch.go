package network

import "spoor/analyze/comm"

// Switch is one switch with a port for every node and direction. A message holds its sender's port and its receiver's
// port together. It waits in front of the switch until both are free, and messages behind it for other receivers may
// go first. So messages compete for the receiver's port.
type Switch struct{}

var _ Model = Switch{}

// Name returns "switch".
func (Switch) Name() string { return "switch" }

// New returns a switch.
func (Switch) New(c Config) (Network, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return newCircuits(c, oneSwitch(c), false)
}

// oneSwitch returns a fat tree of one level.
func oneSwitch(c Config) comm.Topology { return comm.FatTree(c.Nodes, max(2, c.Nodes)) }
