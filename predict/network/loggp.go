package network

// LogGP is LogP with a gap G per byte [alexandrov1995]. With s the bytes of a message, at
// least one: it arrives L + (s-1) G after it was sent. Its sender sends the next g + (s-1) G after
// it was sent: g after its last byte, as in package engine, in LogGOPSim, and in what calibrate
// fits to times. The last bytes of two messages come to a receiver at least g apart. The overhead
// o of processors is not the network's.
//
// As in all of the LogP family, nothing spaces the bytes that come to one receiver from
// several senders: that many send to one is too cheap if messages are long.
type LogGP struct{}

var _ Model = LogGP{}

// Name is "loggp".
func (LogGP) Name() string { return "loggp" }

// New is a network of L, g and G.
func (LogGP) New(c Config) (Network, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return newPorts(c.Nodes, ports{latency: c.L, gap: c.Gap, perByte: float64(c.GapPerByte) * 1e12, sameKind: true}), nil
}
