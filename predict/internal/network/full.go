package network

// Full has a link from every node to every other [sivasubramaniam1995, sec. 5].
type Full struct{}

var _ Model = Full{}

// Name returns "full".
func (Full) Name() string { return "full" }

// New returns a full network.
func (f Full) New(c Config) (Network, error) { return newWormhole(c, f.Name()) }
