package network

// Torus is a mesh whose rows and columns are rings. Messages take the shorter direction around.
type Torus struct{}

var _ Model = Torus{}

// Name returns "torus".
func (Torus) Name() string { return "torus" }

// New returns a torus.
func (t Torus) New(c Config) (Network, error) { return newWormhole(c, t.Name()) }
