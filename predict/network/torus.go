package network

// Torus is a mesh whose rows and columns are rings. Messages go the shorter way around.
type Torus struct{}

var _ Model = Torus{}

// Name is "torus".
func (Torus) Name() string { return "torus" }

// New is a torus.
func (t Torus) New(c Config) (Network, error) { return newWormhole(c, t.Name()) }
