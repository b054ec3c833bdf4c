package network

// Hypercube is a wormhole network of a power of two of nodes with links between those whose
// numbers differ in one bit. Messages go the lowest bit first [sivasubramaniam1995, sec. 5].
type Hypercube struct{}

var _ Model = Hypercube{}

// Name is "hypercube".
func (Hypercube) Name() string { return "hypercube" }

// New is a hypercube.
func (h Hypercube) New(c Config) (Network, error) { return newWormhole(c, h.Name()) }
