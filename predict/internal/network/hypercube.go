package network

// Hypercube is a wormhole network of a power of two of nodes. Nodes whose numbers differ in one bit have links.
// Messages are routed by the lowest bit first [sivasubramaniam1995, sec. 5].
type Hypercube struct{}

var _ Model = Hypercube{}

// Name returns "hypercube".
func (Hypercube) Name() string { return "hypercube" }

// New returns a hypercube.
func (h Hypercube) New(c Config) (Network, error) { return newWormhole(c, h.Name()) }
