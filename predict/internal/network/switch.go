package network

// Switch is one switch with a port for every node and direction. A message holds its sender's port and its receiver's
// port together. It waits in front of the switch until both are free, and messages behind it for other receivers may
// go first. So messages compete for the receiver's port.
type Switch struct{}

var _ Model = Switch{}

// Name returns "switch".
func (Switch) Name() string { return "switch" }

// New returns a switch.
func (s Switch) New(c Config) (Network, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return newCircuits(c, s.Name(), false)
}
