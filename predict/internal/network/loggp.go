package network

// LogGP is LogP with a gap G per byte [alexandrov1995]. A message of s bytes, at least one, arrives L + (s-1) G after
// it was sent. Its sender sends the next one g + (s-1) G after it was sent, that is g after its last byte. Package
// engine, LogGOPSim, and the fits of calibrate use the same rule. The last bytes of two messages come to a receiver
// at least g apart. The network does not include the overhead o of processors.
//
// Limitation: as in all of the LogP family, nothing separates the bytes that come to one receiver from several
// senders. So many-to-one communication with long messages is too fast. With Config.BothPorts, a message also holds
// its receiver's port for g + (s-1) G, from its first byte on.
type LogGP struct{}

var _ Model = LogGP{}

// Name returns "loggp".
func (LogGP) Name() string { return "loggp" }

// New returns a network of L, g and G.
func (LogGP) New(c Config) (Network, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return newPorts(c.Nodes, ports{latency: c.L, gap: c.Gap, perByte: float64(c.GapPerByte) * 1e12, sameKind: true, bothPorts: c.BothPorts}), nil
}
